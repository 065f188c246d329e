// Who may ask a run to stop or to write a snapshot while it runs: signals, files in its directory, its time
// limit.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

#include "sim/run/stop_signal.hpp"

namespace aureole::run {

/// "00:50:00" as seconds; throws ConfigError for anything but HH:MM:SS above 0.
double parse_wall_time(std::string_view text);

class RunControl {
public:
    /// The limit counts wall-clock seconds from now on. Files `stop` and `dump` that lie there already are
    /// removed: they were meant for an earlier run.
    RunControl(std::filesystem::path directory, std::optional<double> wall_seconds);

    /// Why the run is to end now, "SIGINT"; empty while it may go on. A file `stop` is removed when seen.
    std::string stop_reason();

    /// Whether a snapshot is asked for, by SIGHUP or a file `dump`, which is removed.
    bool dump_wanted();

private:
    using Clock = std::chrono::steady_clock;

    void look_for_files();

    std::filesystem::path directory_;
    std::optional<double> wall_seconds_;
    StopSignal signal_;
    Clock::time_point start_, looked_;
    bool stop_file_ = false, dump_file_ = false;
};

}  // namespace aureole::run
