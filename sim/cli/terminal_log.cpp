#include "sim/cli/terminal_log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "sim/cli/standard_streams.hpp"
#include "sim/io/utf8.hpp"

namespace aureole::cli {
namespace {

std::string clock_text(double seconds)
{
    const auto s = static_cast<std::int64_t>(seconds + 0.5);
    if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
    return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string prefix_of(run::LogLevel level)
{
    switch (level) {
        case run::LogLevel::note:
            return "note: ";
        case run::LogLevel::warning:
            return "warning: ";
        default:
            return "";
    }
}

}  // namespace

TerminalLog::TerminalLog(bool quiet)
    : quiet_(quiet), terminal_(isatty(STDOUT_FILENO) != 0), start_(Clock::now()), last_(start_)
{
}

void TerminalLog::say(const std::string& line, run::LogLevel level)
{
    if (quiet_) return;
    finish();
    print_text(prefix_of(level) + io::printable(line) + "\n");
}

/// Whether the last showing is long enough ago; if so, the next interval begins now.
bool TerminalLog::due()
{
    const auto now = Clock::now();
    const double since = std::chrono::duration<double>(now - last_).count();
    if (quiet_ || since < (terminal_ ? 0.2 : 5.0)) return false;
    last_ = now;
    return true;
}

void TerminalLog::start_clock() { start_ = last_ = Clock::now(); }

double TerminalLog::elapsed() const { return std::chrono::duration<double>(last_ - start_).count(); }

/// `first`: the fraction that was done before this program began.
std::string TerminalLog::time_left(double fraction, double first) const
{
    return clock_text(fraction > first ? elapsed() * (1 - fraction) / (fraction - first) : 0);
}

void TerminalLog::renew(const std::string& line)
{
    print_text(terminal_ ? "\r\033[K" + line : line + "\n");
    line_open_ = terminal_;
}

void TerminalLog::show(const run::RunProgress& progress)
{
    if (!due()) return;
    renew(fmt::format("step {}  t = {}  {:.1f} %  dE/E {:.1e}  {:.3g} steps/s  {} left", progress.step,
                      progress.time, 100 * progress.fraction, progress.energy_error,
                      static_cast<double>(progress.step - progress.first_step) / elapsed(),
                      time_left(progress.fraction, progress.first_fraction)));
}

void TerminalLog::show(const std::string& what, double fraction)
{
    if (due()) renew(fmt::format("{}  {:.1f} %  {} left", what, 100 * fraction, time_left(fraction)));
}

void TerminalLog::finish()
{
    if (line_open_) print_text("\r\033[K");
    line_open_ = false;
}

}  // namespace aureole::cli
