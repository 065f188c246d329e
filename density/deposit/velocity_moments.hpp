// Velocity and dispersion of a cell from its sums of mass, momentum and squared speed.
#pragma once

#include <cmath>
#include <limits>

#include "sim/core/particles_view.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::density {

/// The unit of speed of fixed-point sums: the power of two above the largest speed of host particles, 1 when
/// all are at rest. Throws aureole::Error naming the first particle whose velocity is not finite.
double speed_unit(const ConstParticlesView& particles);

/// Momentum over mass in any units; NaN without mass.
inline Vec3 mean_velocity(double mass, Vec3 momentum)
{
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    if (!(mass > 0)) return {nothing, nothing, nothing};
    return 1 / mass * momentum;
}

/// One-dimensional velocity dispersion sqrt((<v^2> - <v>^2) / 3); `squares` is the sum of mass times squared
/// speed. NaN without mass.
inline double one_dimensional_dispersion(double mass, Vec3 momentum, double squares)
{
    if (!(mass > 0)) return std::numeric_limits<double>::quiet_NaN();
    const Vec3 mean = 1 / mass * momentum;
    return std::sqrt(std::fmax(0.0, squares / mass - dot(mean, mean)) / 3);
}

}  // namespace aureole::density
