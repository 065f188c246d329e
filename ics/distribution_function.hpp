// A tabulated f(Q) and velocities drawn from it: at radius r a vector u, isotropic with density
// u^2 f(psi - u^2 / 2), by rejection; v is u with its tangential part divided by sqrt(1 + r^2 / r_a^2)
// (Merritt 1985).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ics/density.hpp"
#include "ics/sphere.hpp"
#include "sim/core/random.hpp"

namespace aureole::ics {

/// The field of spheres that share a centre, each with its mass inside its own outer radius, and of disks by
/// their means over spheres.
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

/// Why there is no distribution function: f < 0 for bodies of the energy of one at rest at `radius`.
struct NegativeAt {
    double radius;
    std::optional<double> least_anisotropy_radius;  ///< with which there is one; none: with no r_a
};

/// Where the table's f < 0 by more than its rounding, if its negative part makes up more than `negligible` of
/// the positive one in the density of some radius.
std::optional<NegativeAt> negative_at(const EddingtonTable& table, std::optional<double> anisotropy_radius,
                                      double negligible = 0);

class DistributionFunction {
public:
    DistributionFunction(const EddingtonTable& table, std::optional<double> anisotropy_radius);

    double psi(double radius) const;  ///< 0 at the edge; radii are taken as no nearer than the first
    double value(double q) const;     ///< f(Q); 0 for Q <= 0

    /// A velocity at `position`, which is not the origin.
    Vec3 velocity(Vec3 position, Random& random) const;

private:
    std::vector<double> radius_, psi_, gradient_;  ///< outwards: r, psi(r), -dpsi/dr
    std::vector<double> f_, slope_;                ///< f(psi(r)), df/dpsi
    std::vector<double> bound_;                    ///< of u^2 f(psi(r) - u^2 / 2)
    double inverse_anisotropy_radius2_;
};

}  // namespace aureole::ics
