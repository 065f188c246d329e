// Properties of one list of members, a group or a subhalo: the numbers, on either backend.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "halo/properties/shape.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::halo {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Where members have mass all means are weighted by it; where none has, each counts alike. Lengths, masses
/// and velocities in the units of the particles.
struct HaloProperties {
    std::int64_t n_members = 0;
    double mass = 0;
    std::array<std::int64_t, n_particle_types> n_members_by_type{};
    std::array<double, n_particle_types> mass_by_type{};

    Vec3 centre;          ///< the one that was given, else the centre of mass; inside a periodic box
    Vec3 centre_of_mass;  ///< inside a periodic box
    Vec3 offset;          ///< centre - centre_of_mass, nearest images

    Vec3 velocity;                        ///< mean
    double dispersion = 0;                ///< one-dimensional: sqrt(trace / 3) of the tensor
    SymmetricTensor velocity_dispersion;  ///< mean of (v - velocity)_i (v - velocity)_j
    Vec3 angular_momentum;  ///< per mass: mean of (x - centre) x (v - velocity), which no choice of centre
                            ///< changes

    double max_velocity = 0;         ///< V_max: largest sqrt(G M(<=r) / r) of members about the centre
    double max_velocity_radius = 0;  ///< R_max, where it is reached (see least_inside)
    double half_mass_radius = 0;     ///< smallest radius about the centre that holds half of the mass
    double extent = 0;               ///< distance of the farthest member from the centre

    Shape shape;          ///< of the plain tensor sum m x_i x_j about the centre
    Shape reduced_shape;  ///< of sum m x_i x_j / r^2; members at the centre have no direction

    double kinetic_energy = 0;          ///< of motion relative to `velocity`
    double potential_energy = unknown;  ///< W = 1/2 sum m phi; NaN without potentials
    double virial_ratio = unknown;      ///< -2 K / W: 1 in equilibrium; NaN where W is not below 0
};

}  // namespace aureole::halo
