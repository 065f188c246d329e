// What one list of members is, group or subhalo: masses, centres, motion, radii, shape, energies. On the
// host, in double, with the same bits for any number of threads; cost linear in the members.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "halo/groups.hpp"
#include "halo/shape.hpp"
#include "sim/core/box.hpp"
#include "sim/core/particles.hpp"

namespace aureole::halo {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Where members have mass all means are weighted by it; where none has, each counts alike. Lengths, masses
/// and velocities in the units of the particles.
struct HaloProperties {
    std::int64_t length = 0;
    double mass = 0;
    std::array<std::int64_t, n_particle_types> length_by_type{};
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

/// What properties are computed from.
struct PropertyInput {
    const Particles& particles;  ///< in host memory
    Box box{};
    std::span<const Vec3> centre{};  ///< one per list; none: centres of mass
    /// Per particle, per unit mass, without its own contribution: the energy of a list is meaningful where
    /// this is the potential of its members alone. None: energies are NaN.
    std::span<const double> potential{};
    double gravitational_constant = 1;
};

/// One entry per list; an empty list has zeros and its given centre. Positions are relative to the given
/// centre or the first member (nearest images), so lists may lie across the faces of a box; one longer than
/// half the box has no unique centre. Throws aureole::Error for numbers of centres, potentials or members
/// that do not fit the particles, and for types above 5.
std::vector<HaloProperties> halo_properties(const PropertyInput& input, const Members& members);

}  // namespace aureole::halo
