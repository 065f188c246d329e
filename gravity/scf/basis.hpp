// Biorthogonal pairs of the Zhao family: which functions an expansion uses and how its numbers are laid out.
//     Phi_nl = -sqrt(4 pi) s^l (1 + u)^(-eta (2 l + 1)) C_n^(w)(xi),  s = r / a,  u = s^(1 / eta),
//     xi = (u - 1) / (u + 1),  w = 1/2 + eta (2 l + 1)
// eta = 1: Hernquist & Ostriker (1992); eta = 1/2: Clutton-Brock (1973), whose lowest member is Plummer's
// sphere; the family is Zhao's (1996).
#pragma once

#include <cstddef>

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

}  // namespace aureole::gravity::scf
