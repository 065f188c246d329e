// The two generations of checkpoints in a run's directory: when the next is due, and which one to go on from.
#pragma once

#include "sim/run/checkpoints/checkpoint_state.hpp"
#include "sim/run/control/wall_clock.hpp"

namespace aureole::run {

inline constexpr char checkpoint_name[] = "checkpoint.bin";
inline constexpr char previous_checkpoint_name[] = "checkpoint_previous.bin";

/// Whether a name in a directory is that of a checkpoint, in any state.
bool is_checkpoint_of_a_run(const std::string& name);

/// Writing them changes nothing in the run: no step is shortened to land on their times.
class CheckpointFiles {
public:
    /// `internal` in internal units; `time` and now are the beginning.
    CheckpointFiles(std::filesystem::path directory, const Config& internal, double time,
                    WallClock clock = steady_seconds);

    /// After output.checkpoints.steps steps, at .every of time, or .minutes of wall-clock time after the
    /// last.
    bool due(std::uint64_t step, double time) const;

    /// Takes the place of the newest, which becomes the previous one.
    void write(const RunState& state, const Particles& host, const io::Provenance& provenance = {});

    bool any() const;  ///< whether there is one in the directory, the newest or the previous

    /// Whether a run that came to its end leaves one, so that it goes on when its end is moved: when it
    /// writes any at all, whether or not one was due yet, or when there is one already, which would be older.
    bool due_at_the_end() const { return steps_ > 0 || minutes_ > 0 || schedule_.ever() || any(); }

private:
    std::filesystem::path directory_;
    std::uint64_t steps_;
    double minutes_;
    OutputInterval schedule_;
    WallClock clock_;
    double last_;  ///< seconds
};

/// The newest checkpoint in `directory` that is whole. A damaged one before it is named in `notes`, and
/// renamed to checkpoint_damaged.bin when `set_aside`, so that it does not take the place of the good one.
/// Throws IoError naming every file and what is wrong with it when there is none.
Checkpoint newest_checkpoint(const std::filesystem::path& directory, bool set_aside,
                             std::vector<std::string>& notes);

}  // namespace aureole::run
