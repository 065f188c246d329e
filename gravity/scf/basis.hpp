// Biorthogonal pairs of the Zhao family: which functions an expansion uses and how its numbers are laid out.
//     Phi_nl = -sqrt(4 pi) s^l (1 + u)^(-eta (2 l + 1)) C_n^(w)(xi),  s = r / a,  u = s^(1 / eta),
//     xi = (u - 1) / (u + 1),  w = 1/2 + eta (2 l + 1)
// eta = 1: Hernquist & Ostriker (1992); eta = 1/2: Clutton-Brock (1973), whose lowest member is Plummer's
// sphere; the family is Zhao's (1996).
//
// Behind them: where a particle stands in a basis, and the recursions of one particle: shared by all kernels.
// The formulas are those of coefficients.hpp. T is float, double, or a vector register with the arithmetic of
// one.
#pragma once

#include <cmath>
#include <cstddef>

#include "sim/core/vec3.hpp"

namespace aureole::gravity::scf {

enum class Family { hernquist_ostriker, clutton_brock };

constexpr double eta_of(Family family) { return family == Family::hernquist_ostriker ? 1.0 : 0.5; }

/// Largest orders that tables and kernels are made for.
inline constexpr int largest_n = 64, largest_l = 64;

struct Basis {
    Family family = Family::hernquist_ostriker;
    int n_max = 6, l_max = 4;
    double scale_radius = 1;

    /// Angular functions, counted from 0: for each l the cosine of m = 0, then cosine and sine of m = 1, 2
    /// ...
    constexpr std::size_t n_slots() const
    {
        return static_cast<std::size_t>(l_max + 1) * static_cast<std::size_t>(l_max + 1);
    }
    /// Coefficients: index(n, slot) runs over n first.
    constexpr std::size_t size() const { return n_slots() * static_cast<std::size_t>(n_max + 1); }
    constexpr std::size_t index(int n, int slot) const
    {
        return static_cast<std::size_t>(slot) * static_cast<std::size_t>(n_max + 1) +
               static_cast<std::size_t>(n);
    }

    bool operator==(const Basis&) const = default;
};

constexpr int slot_of(int l, int m, bool sine) { return l * l + (m == 0 ? 0 : 2 * m - 1 + int(sine)); }

/// Throws ConfigError for negative or too large orders and for a scale radius that is not positive and
/// finite; `what` names the owner of the basis.
void check_basis(const Basis& basis, const char* what);

/// Which angular functions take part; the others are kept at zero.
struct Symmetry {
    bool even_l = false, even_m = false;
    bool axisymmetric = false;  ///< m = 0 only
    bool spherical = false;     ///< l = 0 only

    constexpr bool keeps(int l, int m) const
    {
        return !(even_l && l % 2) && !(even_m && m % 2) && !(axisymmetric && m) && !(spherical && l);
    }
    bool operator==(const Symmetry&) const = default;
};

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
