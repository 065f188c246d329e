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

// The cubic spline (Monaghan & Lattanzio 1985) in units of its support h, u = r / h: the polynomials of
// Springel, Yoshida & White (2001), eq. 71. T is a number or a vector of numbers. Beyond u = 1/2 they are
// written in v = max(1 - u, 0), as corrections to the Newtonian point mass: the textbook form loses 6 bits to
// cancellation at u = 1.

/// Force of u < 1/2, times h^3.
template <class T>
AUREOLE_HD inline T spline_inner_force(T u)
{
    const T u2 = u * u;
    return T(32.0 / 3.0) + u2 * (T(32) * u - T(38.4));
}
/// Potential of u < 1/2, times h.
template <class T>
AUREOLE_HD inline T spline_inner_potential(T u)
{
    const T u2 = u * u;
    return T(-2.8) + u2 * (T(16.0 / 3.0) + u2 * (T(6.4) * u - T(9.6)));
}
/// Force of u >= 1/2, times r^3: the fraction of the mass inside r.
template <class T>
AUREOLE_HD inline T spline_outer_force(T v)
{
    const T v2 = v * v;
    return T(1) - v2 * v2 * (T(16) + v * (T(32.0 / 3.0) * v - T(25.6)));
}
/// Potential of u >= 1/2, times -r.
template <class T>
AUREOLE_HD inline T spline_outer_potential(T v)
{
    const T v2 = v * v;
    return T(1) - v2 * v2 * v * (T(3.2) - T(32.0 / 15.0) * v);
}

/// Cubic spline with support h, Newtonian beyond. Needs h > 0; r may be zero.
template <class T>
AUREOLE_HD inline PairKernel<T> spline_pair(T r2, T h)
{
    const T r = std::sqrt(r2);
    const T inv_h = T(1) / h;
    const T u = r * inv_h;
    if (u < T(0.5)) return {inv_h * inv_h * inv_h * spline_inner_force(u), inv_h * spline_inner_potential(u)};
    const T inv_r = T(1) / r;
    const T v = u < T(1) ? T(1) - u : T(0);
    return {inv_r * inv_r * inv_r * spline_outer_force(v), -inv_r * spline_outer_potential(v)};
}

}  // namespace aureole::gravity
