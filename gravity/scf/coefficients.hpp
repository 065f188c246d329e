// What an expansion knows of its particles: orthonormal coefficients A_nlm = sum m psi_nlm, and the
// convention of Lowing et al. (2011) that files use:
//     Phi = sum_nlm Phi_nl Ybar_lm (S cos m phi + T sin m phi),   S, T = -sqrt(2 - delta_m0) A / sqrt|I_nl|
//
// Before them the constants of the recursions that evaluate a basis: every number a kernel needs besides the
// particles.
//
// With v = h x / a, h = 4^eta (1 + u)^(-2 eta), so that |v| <= 1 everywhere, an orthonormal function is
//     psi_nlm = weight[slot][n] P g_n(xi) q_lm(v_z, v^2) {c_m, s_m}(v_x, v_y),   P = (1 + u)^(-eta),
//     g_0 = 1, g_1 = xi,  g_(n+1) = alpha[l][n] xi g_n - g_(n-1)
//     q_mm = 1, q_(m+1,m) = v_z,  q_(l+1,m) = axial[l][m] v_z q_lm - v^2 q_(l-1,m)
//     c_0 = 1, s_0 = 0,  c_(m+1) = c_m v_x - s_m v_y,  s_(m+1) = s_m v_x + c_m v_y
// and the derivatives of q are other q: d/dv_z (all of it) = rise_z[l][m] q_(l-1,m) and
// d/d(v^2) at fixed v_z = rise_r[l][m] q_(l-1,m+1), zero where the indices leave the triangle.
// All normalisation sits in the weights, so each recursion costs two or three operations.
//
// Orthonormal: A = sum_k m_k psi(x_k / a),  Phi = -(1 / a) sum A psi,  W = -(1 / 2 a) sum A^2.
#pragma once

#include <vector>

#include "gravity/scf/basis.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::gravity::scf {

struct Tables {
    Basis basis;
    std::vector<double> alpha;                  ///< [l_max + 1][n_max + 1]
    std::vector<double> axial, rise_z, rise_r;  ///< [l_max + 1][l_max + 1], l first
    std::vector<double> weight;                 ///< [slot][n_max + 1]
    std::vector<double> norm;                   ///< sqrt|I_nl|, [l_max + 1][n_max + 1]

    double norm_of(int n, int l) const { return norm[row(l) + static_cast<std::size_t>(n)]; }
    std::size_t row(int l) const
    {
        return static_cast<std::size_t>(l) * static_cast<std::size_t>(basis.n_max + 1);
    }
};

/// Throws ConfigError as check_basis() does. Functions that `symmetry` leaves out have weight zero.
Tables make_tables(const Basis& basis, const Symmetry& symmetry = {});

/// The coefficients at one time; values[basis.index(n, slot)], in units of mass.
struct Coefficients {
    double time = 0;
    Vec3 centre{};
    std::vector<double> values;
    std::vector<double> variances{};  ///< of the values; empty where they were not measured
};

/// A basis and its coefficients over time, in rising order of time.
struct CoefficientSeries {
    Basis basis;
    std::vector<Coefficients> moments;
};

/// The expansion of one component as it was at one evaluation.
struct ComponentCoefficients {
    int component = 0;
    Basis basis;
    Coefficients moment;
};

/// S and T of Lowing et al. (2011), laid out as the coefficients are.
std::vector<double> to_lowing(const Tables& tables, const std::vector<double>& orthonormal);
std::vector<double> from_lowing(const Tables& tables, const std::vector<double>& s_and_t);

/// The potential energy of the particles in their own expanded field, -(1 / 2 a) sum A^2.
double potential_energy(const Basis& basis, const std::vector<double>& orthonormal);

/// Linear in time between the moments around `time`, constant beyond the first and the last. The series must
/// not be empty.
Coefficients interpolate(const CoefficientSeries& series, double time);

/// Coefficients of the field whose "potential" gives the density: A_nlm K_nl / (4 pi), see density().
std::vector<double> density_coefficients(const Tables& tables, const std::vector<double>& orthonormal);

/// rho at distance r from the centre, from the potential there of the density_coefficients(): the factor
/// -s^(1/eta - 2) / (1 + u)^2 / a^2. Infinite at the centre of a cusp.
double density(const Basis& basis, double radius, double potential_of_density_coefficients);

}  // namespace aureole::gravity::scf
