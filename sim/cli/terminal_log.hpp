// What a command prints while it works: lines that stay, and the progress, which is one renewed line on a
// terminal and a plain line every few seconds elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "sim/run/run_callbacks.hpp"

namespace aureole::cli {

class TerminalLog {
public:
    /// `quiet`: nothing is printed.
    explicit TerminalLog(bool quiet);
    ~TerminalLog() { finish(); }
    TerminalLog(const TerminalLog&) = delete;
    TerminalLog& operator=(const TerminalLog&) = delete;

    /// Prints a line that stays, behind "note: " or "warning: " where the level says so. A log that cannot be
    /// written, to a full disk or a closed terminal, is no error.
    void say(const std::string& line, run::LogLevel level = run::LogLevel::info);

    /// Counts the elapsed time from now on.
    void start_clock();

    /// Shows `progress` when the last showing is long enough ago.
    void show(const run::RunProgress& progress);

    /// The same for work of one kind, as "density", of which `fraction` is done.
    void show(const std::string& what, double fraction);

    /// Ends the renewed line.
    void finish();

private:
    using Clock = std::chrono::steady_clock;

    bool due();
    double elapsed() const;
    std::string time_left(double fraction, double first = 0) const;
    void renew(const std::string& line);

    bool quiet_, terminal_, line_open_ = false;
    Clock::time_point start_, last_;
};

}  // namespace aureole::cli
