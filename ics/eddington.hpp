// Distribution functions of spheres (Eddington 1916; Osipkov 1979 and Merritt 1985 for anisotropic ones;
// Binney & Tremaine 2008, eqs. 4.46 and 4.74):
//     f(Q) = 1 / (sqrt(8) pi^2) int_0^Q (d2 rho_Q / d psi2) d psi / sqrt(Q - psi),
//     rho_Q = (1 + r^2 / r_a^2) rho,   Q = psi - v^2 / 2 - L^2 / (2 r_a^2),   beta(r) = r^2 / (r^2 + r_a^2),
// where psi is the potential of all mass, not of rho alone. f is linear in 1 / r_a^2, so one
// inversion gives the functions of all r_a. Every derivative is a formula: with V = M / r the square of the
// circular speed, mu = d ln M / d ln r, and L1, L2 the logarithmic derivatives of rho_Q,
//     d2 rho_Q / d psi2 = rho_Q / V^2 (L1^2 + L2 - L1 (mu - 1)).
#pragma once

#include <memory>
#include <vector>

#include "ics/density.hpp"
#include "ics/sphere.hpp"

namespace aureole::ics {

/// The field of spheres that share a centre: each holds its mass inside its own outer radius.
class Field {
public:
    /// A component as its particles will be, cut at outer_radius(); or, when `whole`, the untruncated model.
    void add(const Component& component, bool whole);

    double enclosed_mass(double radius) const;
    double density(double radius) const;

private:
    struct Part {
        std::unique_ptr<MassModel> mass;
        std::unique_ptr<Density> density;  ///< none: a uniform sphere of `uniform_density`
        double uniform_density, outer;
    };
    std::vector<Part> parts_;
};

/// At the radii of a grid: psi, zero at the last one, and f(psi) = isotropic + radial / r_a^2. The density
/// must be negligible at the last radius. `rounding` bounds the error of either part.
struct EddingtonTable {
    std::vector<double> radius, psi, isotropic, radial, isotropic_rounding, radial_rounding;
};

/// N^2 / 2 square roots per quadrature point for N radii, in parallel; bit for bit the same for any number of
/// threads.
EddingtonTable invert(const Density& density, const Field& field, std::vector<double> radii);

}  // namespace aureole::ics
