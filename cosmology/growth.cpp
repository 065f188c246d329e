#include "cosmology/growth.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"

namespace aureole::cosmology {
namespace {

constexpr double steps_per_e_folding =
    512;  ///< errors of 1e-11 by the fourth-order rule, 1e-13 between steps

}  // namespace

Growth::Growth(const Background& background, double last)
    : background_(background),
      first_(background.parameters().omega_r > 0 ? 1e-8 : 1e-6),
      last_(std::max(1.0, last))
{
    const double begin = std::log(first_);
    const auto n_to_today = static_cast<std::size_t>(std::ceil(-begin * steps_per_e_folding));
    step_ = -begin / static_cast<double>(n_to_today);  // today is the end of a step
    const auto n_beyond = static_cast<std::size_t>(std::ceil(std::log(last_) / step_));
    const auto& p = background.parameters();
    states_.push_back({first_ + 2.0 / 3 * p.omega_r / p.omega_m, first_, -3.0 / 7 * first_ * first_,
                       -6.0 / 7 * first_ * first_});
    for (std::size_t k = 0; k < n_to_today + n_beyond; ++k) {
        const double ln_a = begin + static_cast<double>(k) * step_;
        const double a = std::exp(ln_a + step_);
        if (!(background_.expansion_squared(a) > 0))
            throw ConfigError(fmt::format(
                "cosmology: a universe with Omega_m {}, Omega_DE {} and Omega_r {} has H^2 = {} H0^2 at the "
                "scale "
                "factor {}, so that nothing grows there; expected positive numbers from {} to {}",
                p.omega_m, p.omega_de, p.omega_r, background_.expansion_squared(a), a, first_, last_));
        states_.push_back(stepped(ln_a, states_.back(), step_));
    }
    suppression_ = states_[n_to_today][0];
    for (State& y : states_)
        y = {y[0] / suppression_, y[1] / suppression_, y[2] / (suppression_ * suppression_),
             y[3] / (suppression_ * suppression_)};
}

Growth::State Growth::derivative(double ln_a, const State& y) const
{
    const double a = std::exp(ln_a);
    const double friction = 2 + background_.expansion_slope(a), source = 1.5 * background_.matter_fraction(a);
    return {y[1], source * y[0] - friction * y[1], y[3], source * (y[2] - y[0] * y[0]) - friction * y[3]};
}

/// The classical rule of Runge and Kutta.
Growth::State Growth::stepped(double ln_a, const State& y, double h) const
{
    const auto moved = [&y](const State& slope, double by) {
        State result;
        for (std::size_t i = 0; i < y.size(); ++i) result[i] = y[i] + by * slope[i];
        return result;
    };
    const State k1 = derivative(ln_a, y), k2 = derivative(ln_a + h / 2, moved(k1, h / 2));
    const State k3 = derivative(ln_a + h / 2, moved(k2, h / 2)), k4 = derivative(ln_a + h, moved(k3, h));
    State mean;
    for (std::size_t i = 0; i < y.size(); ++i) mean[i] = (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) / 6;
    return moved(mean, h);
}

GrowthFactors Growth::at(double a) const
{
    if (!(a >= first_ && a <= last_))
        throw ConfigError(
            fmt::format("cosmology: growth is asked for at the scale factor {}; expected one from {} to {}",
                        a, first_, last_));
    const double begin = std::log(first_), steps = (std::log(a) - begin) / step_;
    const auto most = static_cast<double>(states_.size() - 2);
    const auto k = static_cast<std::size_t>(std::clamp(std::floor(steps), 0.0, most));
    // a cubic through values and slopes at both ends of the step
    const double t = steps - static_cast<double>(k), u = 1 - t, ln_a = begin + static_cast<double>(k) * step_;
    const State &y0 = states_[k], &y1 = states_[k + 1];
    const State s0 = derivative(ln_a, y0), s1 = derivative(ln_a + step_, y1);
    State y;
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = u * u * (1 + 2 * t) * y0[i] + t * t * (1 + 2 * u) * y1[i] +
               step_ * t * u * (u * s0[i] - t * s1[i]);
    return {y[0], y[1] / y[0], y[2], y[3] / y[2]};
}

}  // namespace aureole::cosmology
