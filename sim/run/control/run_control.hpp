// Who may ask a run to stop or to write a snapshot while it runs: signals, files in its directory, its time
// limit.
#pragma once

#include <optional>
#include <string_view>

#include "sim/run/control/run_directory.hpp"
#include "sim/run/control/stop_signal.hpp"
#include "sim/run/control/wall_clock.hpp"

namespace aureole::run {

/// "00:50:00" as seconds; throws ConfigError for anything but HH:MM:SS above 0.
double parse_wall_time(std::string_view text);

/// Removes files `stop` and `dump` that lie in the directory already: they were meant for an earlier run. To
/// be called once it is locked; from then on they are this run's, though it may still read its checkpoint.
void forget_requests(const DirectoryLock& lock);

class RunControl {
public:
    /// The limit counts wall-clock seconds from now on.
    RunControl(const DirectoryLock& lock, std::optional<double> wall_seconds,
               WallClock clock = steady_seconds);

    /// Throws IoError when the directory is no longer this run's: to be asked before anything is written.
    void expect_directory() const { lock_.expect_held(); }

    /// Why the run is to end now, "SIGINT"; empty while it may go on. A file `stop` is removed when seen.
    /// Throws as expect_directory() does: who ends writes a checkpoint.
    std::string stop_reason();

    /// Whether a snapshot is asked for, by SIGHUP or a file `dump`, which is removed. Throws in the same way.
    bool dump_wanted();

private:
    std::string present_reason();
    void look_for_files();

    const DirectoryLock& lock_;
    std::optional<double> wall_seconds_;
    WallClock clock_;
    StopSignal signal_;
    double start_, looked_;  ///< seconds of the clock
    bool stop_file_ = false, dump_file_ = false;
};

}  // namespace aureole::run
