// What a command prints while it works: lines that stay, and the progress, which is one renewed line on a
// terminal and a plain line every few seconds elsewhere.
//
// Before that, the three descriptors that every program starts with, made safe before anything is opened, and
// the check at the end that what was printed has arrived.
#pragma once

#include <chrono>
#include <string>

#include "sim/run/run_callbacks.hpp"

namespace aureole::cli {

/// Opens /dev/null for each of the descriptors 0 to 2 that the parent process has closed (`<&- >&-`). Without
/// this the next file that is opened gets the number of a missing one, and printed text lands inside it.
/// Throws IoError when /dev/null cannot be opened. Call it before any file is opened.
void open_missing_descriptors();

/// From now on a write beyond the limit on the size of files (`ulimit -f`) fails with "File too large", as
/// other failed writes do, and no longer ends the program without a word (SIGXFSZ).
void report_size_limits();

/// Prints to stdout. A failure is remembered for close_standard_output() and is no error now: a full disk or
/// a closed terminal must not end a run.
void print_text(const std::string& text) noexcept;

/// Flushes and closes stdout. Throws IoError with the reason of the system when not all that was printed
/// could be written; a pipe without a reader and a terminal that is gone are no failure: the reader
/// has ended that itself. Call it last.
void close_standard_output();

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
