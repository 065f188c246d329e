// Parameters that relate a halo to a sphere of known mass and radius (M_200c and R_200c where they are known,
// else all members and their extent): NFW concentration, spin.
#pragma once

#include "halo/overdensity/overdensity.hpp"
#include "halo/properties/properties.hpp"

namespace aureole::halo {

/// x = r / r_s at which the circular velocity of an NFW profile is largest.
inline constexpr double nfw_peak = 2.1625815870646098;

/// c = R / r_s of the NFW profile with V_max / V = `velocity_ratio`, V = sqrt(G M / R): Prada et al. (2012)
/// eqs. 8 to 10, with the constant 0.216 in full. NaN below 1, where R lies inside R_max; at most 1e4.
double concentration_of_velocities(double velocity_ratio);

/// The same from V_max of the members and the sphere. NaN where either is nothing.
double concentration_of_velocities(const HaloProperties& halo, const OverdensitySphere& sphere,
                                   double gravitational_constant);

/// c = 2.1626 R / R_max, as R_max = 2.1626 r_s. NaN where either is nothing.
double concentration_of_radii(const HaloProperties& halo, const OverdensitySphere& sphere);

/// lambda = J |E|^(1/2) / (G M^(5/2)) with J, E = K + W and M of the members (Peebles 1969). NaN without
/// potentials.
double peebles_spin(const HaloProperties& halo, double gravitational_constant);

/// lambda' = j / (2^(1/2) V R) with j of the members per mass, V = sqrt(G M / R) (Bullock et al. 2001, eq.
/// 5).
double bullock_spin(const HaloProperties& halo, const OverdensitySphere& sphere,
                    double gravitational_constant);

/// `sphere` where it has a mass, else all members inside their extent.
OverdensitySphere sphere_or_members(const OverdensitySphere& sphere, const HaloProperties& halo);

}  // namespace aureole::halo
