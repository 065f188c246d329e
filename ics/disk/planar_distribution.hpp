// Motions in the plane of a disk after Dehnen (1999): with R_E the radius of the circular orbit of energy E,
//     f(E, L) = gamma S(R_E) / (2 pi s(R_E)^2) exp{Omega(R_E) [L - L_c(E)] / s(R_E)^2},  gamma = 2 Omega /
//     kappa,
// for L > 0. S and s are changed until surface density and radial dispersion are those asked for.
#pragma once

#include <functional>
#include <vector>

#include "ics/disk/galactic_field.hpp"
#include "sim/core/random.hpp"

namespace aureole::ics {

/// Second moments of velocities in the plane.
struct PlanarMoments {
    double surface_density, mean_phi, sigma_r, sigma_phi;
};

/// What a disk is asked to have at a radius.
struct PlanarTarget {
    std::function<double(double)> surface_density, sigma_r;
};

struct PlanarVelocity {
    double radial, azimuthal;
};

class PlanarDistribution {
public:
    /// `radii` grow, inside the curve's; 12 rounds of corrections there, in parallel, bit for bit the same
    /// for any number of threads. The curve is kept by reference.
    PlanarDistribution(const RotationCurve& curve, const PlanarTarget& target, std::vector<double> radii);

    /// 0 where no orbit of the table has them.
    double value(double radius, PlanarVelocity velocity) const;

    /// At radii()[k], by sums over velocities.
    const std::vector<PlanarMoments>& moments() const { return moments_; }
    const std::vector<double>& radii() const { return radii_; }

    PlanarMoments moments_at(
        double radius) const;  ///< between the radii; constant ratios to the target beyond

    /// By which parts surface density and radial dispersion differ from the target at most between two radii.
    struct Misses {
        double surface_density, sigma_r;
    };
    Misses largest_misses(double from, double to) const;

    /// Surface density of the particles over the target's, between and beyond the radii too.
    double density_ratio(double radius) const;

    /// From f at that radius, by rejection.
    PlanarVelocity velocity(double radius, Random& random) const;

private:
    /// Velocities at a radius outside of which f is negligible: |v_R| at most `radial`.
    struct VelocityBox {
        double radial, low, high;
    };
    struct Node {
        double x, exponent;  ///< ln R_E and Omega (L - L_c)
    };
    struct Row {
        VelocityBox box;
        std::vector<Node> nodes;
        double bound;  ///< of f
    };

    VelocityBox first_box(double radius) const;
    Row make_row(double radius) const;
    double node_value(const Node& node) const;
    double value(double radius, double potential, PlanarVelocity velocity) const;
    PlanarMoments measure(const Row& row) const;
    void tighten(Row& row) const;
    std::size_t cell_of(double radius) const;

    const RotationCurve& curve_;
    PlanarTarget target_;
    std::vector<double> radii_, x_;
    std::vector<double> density_factor_, dispersion_factor_;  ///< by which S and s differ from the targets
    std::vector<Row> rows_;
    std::vector<PlanarMoments> moments_;
    std::vector<double> density_ratio_;
};

/// Gaussians with the moments of Hernquist (1993): sigma_phi of the epicyclic approximation, the mean from
/// the Jeans equation.
PlanarMoments epicyclic_moments(const RotationCurve& curve, const PlanarTarget& target, double radius);

}  // namespace aureole::ics
