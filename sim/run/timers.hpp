// The clocks of a run: seconds per phase, and the wall clock of its time limit and of its checkpoints.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <string_view>

namespace aureole::run {

/// Seconds since a fixed time. It is a parameter, so that tests can let it jump.
using WallClock = std::function<double()>;

/// The clock of every run. It is steady: setting the time of day does not change it.
inline double steady_seconds()
{
    using Clock = std::chrono::steady_clock;
    static_assert(Clock::is_steady);
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

enum class Phase { forces, integration, diagnostics, halos, snapshots, pictures, checkpoints };
inline constexpr std::array<std::string_view, 7> phase_names{
    "forces", "integration", "diagnostics", "halos", "snapshots", "pictures", "checkpoints"};

/// Seconds spent in each phase. Phases nest: time spent in an inner one does not count for the outer one.
class Timers {
public:
    using Clock = std::chrono::steady_clock;

    double seconds(Phase phase) const { return seconds_[static_cast<std::size_t>(phase)]; }
    const std::array<double, phase_names.size()>& all() const { return seconds_; }
    void restore(const std::array<double, phase_names.size()>& seconds) { seconds_ = restored_ = seconds; }

    /// Of this program alone, without what restore() brought.
    double seconds_here(Phase phase) const
    {
        return seconds(phase) - restored_[static_cast<std::size_t>(phase)];
    }

    /// Counts for `phase` while it lives.
    class Scope {
    public:
        Scope(Timers& timers, Phase phase) : timers_(timers), outer_(timers.current_)
        {
            timers_.charge();
            timers_.current_ = static_cast<int>(phase);
        }
        ~Scope()
        {
            timers_.charge();
            timers_.current_ = outer_;
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        Timers& timers_;
        int outer_;
    };

private:
    void charge()
    {
        const auto now = Clock::now();
        if (current_ >= 0)
            seconds_[static_cast<std::size_t>(current_)] +=
                std::chrono::duration<double>(now - last_).count();
        last_ = now;
    }

    std::array<double, phase_names.size()> seconds_{}, restored_{};
    int current_ = -1;
    Clock::time_point last_{};
};

}  // namespace aureole::run
