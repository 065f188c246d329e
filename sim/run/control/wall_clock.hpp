// The wall clock of a run: for its time limit, and for checkpoints every so many minutes.
#pragma once

#include <chrono>
#include <functional>

namespace aureole::run {

/// Seconds since some moment. Handed over, so that tests can let it jump.
using WallClock = std::function<double()>;

/// The clock of every run: never set, so it goes on evenly when somebody sets the time of day.
inline double steady_seconds()
{
    using Clock = std::chrono::steady_clock;
    static_assert(Clock::is_steady);
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

}  // namespace aureole::run
