// Where a particle stands in a basis, and the recursions of one particle: shared by all kernels. The formulas
// are those of tables.hpp. T is float, double, or a vector register with the arithmetic of one.
#pragma once

#include <cmath>

#include "gravity/scf/basis.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::gravity::scf {

/// Everything that radial and angular recursions start from, for x in scale radii from the centre.
template <class T>
struct Place {
    T vx, vy, vz, v2;  ///< the bounded vector h x and its square, 1 - xi^2
    T xi;
    T prefactor;       ///< P = (1 + u)^(-eta)
    T stretch;         ///< h
    T power_slope;     ///< u / (s (1 + u)): the radial derivative of h^l P is -(2 l + 1) of this
    T argument_slope;  ///< d xi / d s = 2 u / (eta s (1 + u)^2)
    T nx, ny, nz;      ///< x / r, zero at the centre
};

/// inverse_root(r2) = 1 / sqrt(r2), 0 for r2 = 0; reciprocal(x) = 1 / x; both as exact as T is.
template <class T, class InverseRoot, class Reciprocal>
AUREOLE_HD inline Place<T> place_in_basis(Family family, T x, T y, T z, InverseRoot inverse_root,
                                          Reciprocal reciprocal)
{
    const T r2 = x * x + y * y + z * z;
    const T inverse_r = inverse_root(r2);
    const T s = r2 * inverse_r, one = T(1);
    Place<T> p;
    if (family == Family::hernquist_ostriker) {
        const T d = reciprocal(one + s);
        p.xi = one - T(2) * d;
        p.prefactor = d;
        p.stretch = T(4) * d * d;
        p.power_slope = d;
        p.argument_slope = T(2) * d * d;
    } else {
        const T root = inverse_root(one + r2), d = root * root;
        p.xi = one - T(2) * d;
        p.prefactor = root;
        p.stretch = T(2) * d;
        p.power_slope = s * d;
        p.argument_slope = T(4) * s * d * d;
    }
    p.vx = p.stretch * x;
    p.vy = p.stretch * y;
    p.vz = p.stretch * z;
    p.v2 = p.vx * p.vx + p.vy * p.vy + p.vz * p.vz;
    p.nx = x * inverse_r;
    p.ny = y * inverse_r;
    p.nz = z * inverse_r;
    return p;
}

}  // namespace aureole::gravity::scf
