// Requests to a run that is under way, to stop or to write a snapshot: of its caller, by files in its
// directory, and by its time limit.
#pragma once

#include <optional>
#include <string_view>

#include "sim/run/control/run_directory.hpp"
#include "sim/run/run_callbacks.hpp"
#include "sim/run/timers.hpp"

namespace aureole::run {

/// "00:50:00" as seconds; throws ConfigError for anything but HH:MM:SS above 0.
double parse_wall_time(std::string_view text);

/// Removes files `stop` and `dump` that are in the directory already: they were meant for an earlier run.
/// Call it once the directory is locked; files that appear later are requests to this run, even while it
/// still reads its checkpoint.
void forget_requests(const DirectoryLock& lock);

class RunControl {
public:
    /// The limit counts wall-clock seconds from now on. `callbacks` must outlive the object; of them
    /// stop_reason, progress.stop and dump_requested are used.
    RunControl(const DirectoryLock& lock, std::optional<double> wall_seconds, const RunCallbacks& callbacks,
               WallClock clock = steady_seconds);

    /// Throws IoError when the directory is no longer this run's. Call it before anything is written.
    void expect_directory() const { lock_.expect_held(); }

    /// Why the run is to end now, as "--max-wall"; empty while it may go on. A file `stop` is removed when
    /// seen. Where there is a reason it throws as expect_directory() does, because a checkpoint will be
    /// written.
    std::string stop_reason();

    /// Whether an extra snapshot was requested since the last call, by the caller or by a file `dump`, which
    /// is removed. Throws in the same way.
    bool take_dump_request();

private:
    std::string present_reason();
    void look_for_files();

    const DirectoryLock& lock_;
    std::optional<double> wall_seconds_;
    WallClock clock_;
    const RunCallbacks& callbacks_;
    double start_, looked_;  ///< seconds of the clock
    bool stop_file_ = false, dump_file_ = false;
};

}  // namespace aureole::run
