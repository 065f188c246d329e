// What an expansion knows of its particles: orthonormal coefficients A_nlm = sum m psi_nlm, and the
// convention of Lowing et al. (2011) that files use:
//     Phi = sum_nlm Phi_nl Ybar_lm (S cos m phi + T sin m phi),   S, T = -sqrt(2 - delta_m0) A / sqrt|I_nl|
#pragma once

#include <vector>

#include "gravity/scf/tables.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::gravity::scf {

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
