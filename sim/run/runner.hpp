// The loop of one run and everything it keeps.
#pragma once

#include "sim/core/memory/transfers.hpp"
#include "sim/run/checkpoints/checkpoint_files.hpp"
#include "sim/run/control/progress_file.hpp"
#include "sim/run/control/run_control.hpp"
#include "sim/run/device_choice.hpp"
#include "sim/run/diagnostics/state_check.hpp"
#include "sim/run/run.hpp"

namespace aureole::run {

/// What a loop starts from.
struct RunStart {
    Config config;    ///< as the user wrote it, units settled, paths absolute
    Config internal;  ///< the same in internal units, coefficients loaded
    RunUnits units;
    double time = 0;                     ///< of the run's beginning, internal
    Particles particles;                 ///< host; of the beginning, or of the checkpoint
    std::optional<RunState> checkpoint;  ///< nothing: the run begins
    std::string doubt{};                 ///< StartingState::doubt
};

class Runner {
public:
    /// The run's configuration is in `start`, which must outlive the runner but for its particles. Outputs go
    /// to `directory`; those of the checkpoint are there already.
    Runner(RunStart& start, const DeviceChoice& device, const std::filesystem::path& directory,
           const RunOptions& options);
    ~Runner();

    /// Runs to the end, or until `control` has a reason to stop, before a step or in the middle of an output,
    /// which is then due in the checkpoint and made first of all when the run is resumed. Then it writes a
    /// checkpoint: always after a stop, and of the first and the last state where
    /// CheckpointFiles::due_at_the_start() and due_at_the_end() say so. The last line of the log after a
    /// stop, and the message of an IoError or MemoryError, tell how to resume. When a check fails
    /// (StateCheck), it writes failed_STEP.hdf5 and throws Error with step, time, what was found and where a
    /// resumed run would begin; the checkpoints stay as they are.
    void run(RunControl& control);

private:
    void run_with_advice(RunControl& control);
    void run_to_end_or_stop(RunControl& control);
    void run_to_end(RunControl& control, const Progress& progress);
    std::string resume_advice() const;
    static Simulation simulation_of(RunStart& start, const DeviceChoice& device, const RunOptions& options,
                                    Timers& timers);
    Provenance provenance(const DeviceChoice& device) const;
    bool finished() const { return simulation_.time() >= internal_.end_time; }
    struct Step {
        double length, end;
    };
    Step next_step();
    Step comoving_step();
    double adaptive_step();
    void observe(bool edge, const Progress& progress);
    void make_due_outputs(const Progress& progress);
    void finish_snapshot();
    void finish_picture();
    void finish_outputs();
    void finish_checkpoint();
    void finish_writes();
    void look_at_writes();
    void record(const Progress& progress);
    RunState state() const;
    enum class Next { step, end };
    CheckpointPieces pieces_of_ranks();
    void begin_checkpoint(const RunControl& control, Next next);
    void stop(const std::string& reason, const RunControl& control);
    void advance(double dt, double end, bool potential);
    void check_particles(bool later = false);
    void warn(const std::string& message);
    [[noreturn]] void fail(const FailedCheck& failure, const RunControl& control);
    double user_time() const { return simulation_.time() * units_.from_internal(Quantity::time); }
    void say(const std::string& line, LogLevel level = LogLevel::info) const;
    RunProgress progress_now() const;
    void report_progress(const RunControl& control);
    void draw_requested_frame();
    void report(const std::string& how);

    const Config& config_;
    const Config& internal_;
    RunUnits units_;
    const RunOptions& options_;
    std::string device_;
    std::filesystem::path directory_;
    double start_time_, first_time_;           ///< of the run, and of what this program does of it
    std::uint64_t step_ = 0, first_step_ = 0;  ///< steps done; those of them done before
    bool begins_ = true, writes_pieces_ = true;
    unsigned synced_ = 0;  ///< outputs before this number are on the disk
    Timers timers_;
    device::Transfers transfers_before_ = device::transfers();
    Diagnostics diagnostics_;
    Provenance provenance_;
    ProgressFile progress_file_;
    Outputs outputs_;
    OutputSchedule schedule_;
    DueOutputs due_;  ///< of the present time, not done yet
    CheckpointFiles checkpoints_;
    Simulation simulation_;
    StateCheck check_;
    std::optional<std::uint64_t> checkpoint_step_;  ///< of the newest checkpoint
    std::optional<std::uint64_t> begun_step_;       ///< of the last that this program has begun to write
};

}  // namespace aureole::run
