// The two newest checkpoints in a run's directory: when the next one is due, and from which one to continue.
#pragma once

#include "sim/core/memory/memory_part.hpp"
#include "sim/run/checkpoints/checkpoint_state.hpp"
#include "sim/run/outputs/background_write.hpp"
#include "sim/run/timers.hpp"

namespace aureole::run {

inline constexpr char checkpoint_name[] = "checkpoint.bin";
inline constexpr char previous_checkpoint_name[] = "checkpoint_previous.bin";

/// Whether a file of that name is a checkpoint, a damaged one included, or a piece of one.
bool is_checkpoint_of_a_run(const std::string& name);

/// Whether `directory` holds a file with the name of a checkpoint, a damaged one included.
bool holds_checkpoint(const std::filesystem::path& directory);

/// Whether checkpoints between two steps are written from a copy of the particles, beside the next steps. On
/// a GPU, always: the host has a copy anyway. On the CPU, where the copy takes at most a quarter of a
/// gigabyte: more would be missed elsewhere, and steps of so many particles take longer than a checkpoint.
bool written_beside_steps(Backend backend, std::size_t n_particles);

/// What that copy takes, for the forecast. The host's copy of a GPU serves all outputs.
memory::Part checkpoints_memory(const Config& internal, Backend where, std::size_t n_particles);

/// Writes checkpoints when they are due. They do not change the run: no step is shortened to end at their
/// times.
class CheckpointFiles {
public:
    /// `internal` in internal units; `time` and now are the beginning.
    CheckpointFiles(std::filesystem::path directory, const Config& internal, double time,
                    WallClock clock = steady_seconds);

    /// After output.checkpoints.steps steps, at .every of time, or .minutes of wall-clock time after the
    /// last.
    bool due(std::uint64_t step, double time) const;

    /// Waits for the checkpoint before, then begins to write one in a thread of its own, in place of the
    /// newest one, which becomes the previous one. `host` must stay as it is until finish(). Before the file
    /// gets its name, the thread calls `before_rename`, which may wait for what the checkpoint counts as done
    /// and throws where that failed: then there is no such checkpoint. `pieces` as write_checkpoint() has
    /// them; those of checkpoints that are gone are removed then.
    void begin(RunState state, const Particles& host, io::Provenance provenance,
               std::function<void()> before_rename = {}, CheckpointPieces pieces = {});

    /// Waits for the checkpoint that is being written; throws what went wrong with it, once.
    void finish() { write_.wait(); }
    bool ended() const { return write_.ended(); }  ///< finish() would not wait

    /// Both at once.
    void write(RunState state, const Particles& host, io::Provenance provenance = {})
    {
        begin(std::move(state), host, std::move(provenance));
        finish();
    }

    bool any() const;  ///< whether the directory holds a checkpoint, the newest or the previous one

    /// Whether a run writes one of its initial state, so that a run that is killed early goes on from there:
    /// if its configuration writes checkpoints at all.
    bool due_at_the_start() const { return steps_ > 0 || minutes_ > 0 || schedule_.ever(); }

    /// Whether a run that came to its end writes one, from which it continues when its end is moved: if its
    /// configuration writes checkpoints at all, or if an older one, of a stop, is in the directory.
    bool due_at_the_end() const { return due_at_the_start() || any(); }

private:
    std::filesystem::path directory_;
    std::uint64_t steps_;
    double minutes_;
    OutputTimes schedule_;
    WallClock clock_;
    double last_;  ///< seconds
    BackgroundWrite write_;
};

/// The newest checkpoint in `directory` that is whole. Where the newest file is damaged, `warnings` names it,
/// and with `set_aside` it is renamed to checkpoint_damaged.bin, so that it does not take the place of the
/// good one. Throws IoError naming every file and what is wrong with it when there is none.
Checkpoint newest_checkpoint(const std::filesystem::path& directory, bool set_aside,
                             std::vector<std::string>& warnings);

}  // namespace aureole::run
