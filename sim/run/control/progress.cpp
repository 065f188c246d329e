#include "sim/run/control/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace aureole::run {
namespace {

std::string clock_text(double seconds)
{
    const auto s = static_cast<std::int64_t>(seconds + 0.5);
    if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
    return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

/// A log that nobody can take, on a full disk or a closed terminal, ends no run: fmt::print would throw.
void put(const std::string& text) { std::fputs(text.c_str(), stdout); }

}  // namespace

Progress::Progress(bool quiet)
    : quiet_(quiet), terminal_(isatty(STDOUT_FILENO) != 0), start_(Clock::now()), last_(start_)
{
}

void Progress::say(const std::string& line)
{
    if (quiet_) return;
    finish();
    put(line + "\n");
    std::fflush(stdout);
}

/// Whether the last showing is long enough ago; takes now for the next question.
bool Progress::due()
{
    const auto now = Clock::now();
    const double since = std::chrono::duration<double>(now - last_).count();
    if (quiet_ || since < (terminal_ ? 0.2 : 5.0)) return false;
    last_ = now;
    return true;
}

double Progress::elapsed() const { return std::chrono::duration<double>(last_ - start_).count(); }

/// `first`: the fraction that an earlier program did.
std::string Progress::time_left(double fraction, double first) const
{
    return clock_text(fraction > first ? elapsed() * (1 - fraction) / (fraction - first) : 0);
}

void Progress::renew(const std::string& line)
{
    put(terminal_ ? "\r\033[K" + line : line + "\n");
    line_open_ = terminal_;
    std::fflush(stdout);
}

void Progress::show(const ProgressState& state)
{
    if (!due()) return;
    renew(fmt::format("step {}  t = {}  {:.1f} %  dE/E {:.1e}  {:.3g} steps/s  {} left", state.step,
                      state.time, 100 * state.fraction, state.energy_error,
                      static_cast<double>(state.step - state.first_step) / elapsed(),
                      time_left(state.fraction, state.first_fraction)));
}

void Progress::show(const std::string& what, double fraction)
{
    if (due()) renew(fmt::format("{}  {:.1f} %  {} left", what, 100 * fraction, time_left(fraction)));
}

void Progress::finish()
{
    if (line_open_) put("\r\033[K");
    line_open_ = false;
}

}  // namespace aureole::run
