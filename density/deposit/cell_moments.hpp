// From sums of mass, momentum and squared speed to the velocity and dispersion of what is in a cell. Sums may
// be of any units that belong together. NaN where there is no mass.
#pragma once

#include <cmath>
#include <limits>

#include "sim/core/vec3.hpp"

namespace aureole::density {

/// Of all mass.
inline Vec3 mean_velocity(double mass, Vec3 momentum)
{
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    if (!(mass > 0)) return {nothing, nothing, nothing};
    return 1 / mass * momentum;
}

/// One-dimensional: the root of a third of the variance of the velocity's vector; squares are mass times
/// squared speed.
inline double one_dimensional_dispersion(double mass, Vec3 momentum, double squares)
{
    if (!(mass > 0)) return std::numeric_limits<double>::quiet_NaN();
    const Vec3 mean = 1 / mass * momentum;
    return std::sqrt(std::fmax(0.0, squares / mass - dot(mean, mean)) / 3);
}

}  // namespace aureole::density
