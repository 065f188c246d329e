#include "sim/cli/terminal_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "sim/core/error.hpp"
#include "sim/io/utf8.hpp"

namespace aureole::cli {
namespace {

int failure = 0;  // errno of the first print_text() that failed

/// A terminal that was closed answers EIO; a disk that does so has failed.
bool has_lost_its_reader(int reason)
{
    struct stat output {};
    const bool is_file = ::fstat(STDOUT_FILENO, &output) == 0 && S_ISREG(output.st_mode);
    return reason == EPIPE || (reason == EIO && !is_file);
}

}  // namespace

void open_missing_descriptors()
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
        // open() takes the lowest free number, which is this one: those below are open by now
        if (::open("/dev/null", O_RDWR) != descriptor)
            throw IoError(fmt::format("/dev/null: cannot be opened in place of the closed descriptor {}: {}",
                                      descriptor, std::strerror(errno)));
    }
}

void report_size_limits() { std::signal(SIGXFSZ, SIG_IGN); }

void print_text(const std::string& text) noexcept
{
    errno = 0;
    const bool printed = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    if (!printed && failure == 0) failure = errno;
}

void close_standard_output()
{
    const bool failed_before = std::ferror(stdout) != 0;
    errno = 0;
    const bool flushed = std::fflush(stdout) == 0;
    int reason = failure != 0 ? failure : errno;
    const bool gone = has_lost_its_reader(reason);
    errno = 0;
    const bool closed = std::fclose(stdout) == 0;
    if (reason == 0) reason = errno;
    if ((!failed_before && flushed && closed) || gone) return;
    throw IoError(fmt::format(
        "the standard output could not be written in full: {}. What the command wrote into files is complete",
        reason != 0 ? std::strerror(reason) : "no reason given"));
}

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
