#include "integrators/clock.hpp"

#include <cmath>

namespace aureole::integrators {

StepFactors Clock::factors(double time, double dt) const
{
    if (!background_) return {dt / 2, dt, dt / 2};
    const double end = time + dt, middle = std::sqrt(time * end);
    return {background_->kick(time, middle) / hubble_rate_, background_->drift(time, end) / hubble_rate_,
            background_->kick(middle, end) / hubble_rate_};
}

double Clock::step_of(double time, double dt) const
{
    if (!background_) return dt;
    return dt * hubble_rate_ * background_->expansion(time) * std::sqrt(time * time * time);
}

}  // namespace aureole::integrators
