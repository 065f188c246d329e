// The softened pair, shared by every solver, both backends and both precisions.
#pragma once

#include <cmath>

#include "gravity/softening.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::gravity {

/// What a unit mass does at distance r: acceleration = force * d (d = source - target), potential =
/// potential.
template <class T>
struct PairKernel {
    T force;      ///< 1 / length^3
    T potential;  ///< 1 / length, negative
};

/// Plummer sphere: (r^2 + eps^2)^{-3/2} and -(r^2 + eps^2)^{-1/2}. Needs r2 + eps2 > 0.
template <class T>
AUREOLE_HD inline PairKernel<T> plummer_pair(T r2, T eps2)
{
    const T inv_r = T(1) / std::sqrt(r2 + eps2);
    return {inv_r * inv_r * inv_r, -inv_r};
}

/// Cubic spline (Monaghan & Lattanzio 1985) with support h, Newtonian beyond: Springel, Yoshida & White
/// (2001), eq. 71 for the potential W2 and its derivative for the force. Needs h > 0; r may be zero.
template <class T>
AUREOLE_HD inline PairKernel<T> spline_pair(T r2, T h)
{
    const T r = std::sqrt(r2);
    const T inv_h = T(1) / h;
    const T u = r * inv_h;
    if (u >= T(1)) {
        const T inv_r = T(1) / r;
        return {inv_r * inv_r * inv_r, -inv_r};
    }
    const T inv_h3 = inv_h * inv_h * inv_h;
    const T u2 = u * u;
    if (u < T(0.5)) {
        const T force = inv_h3 * (T(32.0 / 3.0) + u2 * (T(32) * u - T(38.4)));
        const T potential = inv_h * (T(-2.8) + u2 * (T(16.0 / 3.0) + u2 * (T(6.4) * u - T(9.6))));
        return {force, potential};
    }
    const T u3 = u2 * u;
    const T force =
        inv_h3 * (T(64.0 / 3.0) - T(48) * u + T(38.4) * u2 - T(32.0 / 3.0) * u3 - T(1.0 / 15.0) / u3);
    const T potential = inv_h * (T(-3.2) + T(1.0 / 15.0) / u +
                                 u2 * (T(32.0 / 3.0) + u * (T(-16) + u * (T(9.6) - T(32.0 / 15.0) * u))));
    return {force, potential};
}

}  // namespace aureole::gravity
