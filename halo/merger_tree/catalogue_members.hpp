// Which halo of a catalogue holds each particle, and the particles at the core of each halo: what catalogues
// are linked by.
#pragma once

#include <span>
#include <vector>

#include "halo/groups.hpp"
#include "halo/groups_view.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

/// The most members of a halo that vote for where it goes and where it comes from.
inline constexpr std::uint64_t most_core_members = 20;

struct CatalogueMembers {
    Buffer<std::int32_t> owner;  ///< per particle, where they are: row of its halo, -1 for none
    Members cores;  ///< on the host, per halo: its most bound (or central) members, the first of them first
};

/// Of halos whose lists have the most bound member first, such as subhalos. `n` particles; lists are in the
/// memory that `exec` runs in. Cost: one pass over particles and members; only cores travel.
CatalogueMembers members_by_binding(Exec exec, Index n, const MembersView& members);

/// Of groups, whose members have no binding energies: the core is what is nearest to the centre, in single
/// precision; ties go to the member that comes first. Cost: a radix sort of the members.
CatalogueMembers members_by_distance(Exec exec, const ConstParticlesView& particles,
                                     const MembersView& members, std::span<const Vec3> centre,
                                     const Box& box);

/// owner[particle], on the host.
std::vector<std::int32_t> owners_of(Exec exec, const Buffer<std::int32_t>& owner,
                                    std::span<const Index> particle);

/// Positions and velocities of some particles, on the host.
struct PhaseSpace {
    std::vector<Vec3> position, velocity;
};
PhaseSpace phase_space_of(Exec exec, const ConstParticlesView& particles, std::span<const Index> particle);

}  // namespace aureole::halo
