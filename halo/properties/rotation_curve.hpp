// Circular velocity v(r) = sqrt(G M(<=r) / r) of masses about a centre: its maximum, and radii that hold
// parts of the mass. Exact to the particle; cost linear in the masses.
#pragma once

#include "halo/properties/radial_bins.hpp"
#include "sim/core/backend.hpp"

namespace aureole::halo {

struct RotationCurve {
    double max_mass_per_radius = 0;  ///< largest M(<=r) / r: V_max^2 / G
    double max_radius = 0;           ///< where it is: R_max
    double half_mass_radius = 0;     ///< smallest radius that holds half of the mass
    double extent = 0;               ///< distance of the farthest mass
};

/// Radii that hold fewer masses do not count for the maximum (half of the masses where there are fewer than
/// twice as many): next to the centre M / r is the luck of one particle.
inline constexpr std::size_t least_inside = 10;

/// As many of `n` masses are inside the smallest radius that counts for the maximum.
AUREOLE_HD inline std::size_t least_for_maximum(std::size_t n)
{
    const std::size_t half = n < 2 ? 1 : n / 2;
    return half < least_inside ? half : least_inside;
}

/// What counts as half of the mass: as the rounding of running sums may miss it, a little less will do, so
/// that the result for an even number of equal masses is unique.
AUREOLE_HD inline double half_of(double total)
{
    constexpr double rounding = 1e-12;
    return total / 2 * (1 - rounding);
}

/// `total` is the sum of all masses. Where all lie at the centre, every radius is 0.
RotationCurve rotation_curve(RadialBins& bins, double total);

}  // namespace aureole::halo
