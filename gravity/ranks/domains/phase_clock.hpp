// Where the time of an evaluation goes.
#pragma once

#include <algorithm>
#include <chrono>
#include <string_view>
#include <vector>

namespace aureole::gravity::domains {

/// Adds up wall-clock seconds by name, of the parts held here together.
class PhaseClock {
public:
    struct Phase {
        std::string_view name;  ///< a literal
        double seconds;
    };

    /// What was done since the last call belongs to `name`.
    void end(std::string_view name)
    {
        const Clock::time_point now = Clock::now();
        const double seconds = std::chrono::duration<double>(now - last_).count();
        last_ = now;
        const auto found = std::ranges::find(phases_, name, &Phase::name);
        if (found == phases_.end())
            phases_.push_back({name, seconds});
        else
            found->seconds += seconds;
    }

    const std::vector<Phase>& phases() const noexcept { return phases_; }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point last_ = Clock::now();
    std::vector<Phase> phases_;
};

}  // namespace aureole::gravity::domains
