// What one list of members is, group or subhalo: masses, centres, motion, radii, shape, energies. On the
// host, in double, equal bit for bit for any number of threads; cost linear in the members.
#pragma once

#include <span>
#include <vector>

#include "halo/groups.hpp"
#include "halo/properties/halo_properties.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

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
