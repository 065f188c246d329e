// The two newest checkpoints in a run's directory: when the next one is due, and from which one to continue.
#pragma once

#include "sim/run/checkpoints/checkpoint_state.hpp"
#include "sim/run/timers.hpp"

namespace aureole::run {

inline constexpr char checkpoint_name[] = "checkpoint.bin";
inline constexpr char previous_checkpoint_name[] = "checkpoint_previous.bin";

/// Whether a file of that name is a checkpoint, a damaged one included.
bool is_checkpoint_of_a_run(const std::string& name);

/// Whether `directory` holds a file with the name of a checkpoint, a damaged one included.
bool holds_checkpoint(const std::filesystem::path& directory);

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

    /// Writes a checkpoint in place of the newest one, which becomes the previous one.
    void write(const RunState& state, const Particles& host, const io::Provenance& provenance = {});

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
};

/// The newest checkpoint in `directory` that is whole. Where the newest file is damaged, `warnings` names it,
/// and with `set_aside` it is renamed to checkpoint_damaged.bin, so that it does not take the place of the
/// good one. Throws IoError naming every file and what is wrong with it when there is none.
Checkpoint newest_checkpoint(const std::filesystem::path& directory, bool set_aside,
                             std::vector<std::string>& warnings);

}  // namespace aureole::run
