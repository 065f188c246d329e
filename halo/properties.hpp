// What each group is: length, mass, centre of mass, velocity, dispersion, radii. On the host, in fixed order.
#pragma once

#include <vector>

#include "halo/friends_of_friends.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/table.hpp"

namespace aureole::halo {

/// Particle indices sorted by group, ungrouped last, input order inside: the sequence in which a snapshot
/// beside a catalogue stores them (the writer then parts it by type).
std::vector<Index> group_order(const Groups& groups);

/// One row per group, columns named as in GADGET-4's fof_subhalo_tab: GroupLen, GroupLenType[6],
/// GroupOffsetType[6] (offsets into each type's particles in group_order), GroupMass, GroupMassType[6],
/// GroupPos (centre of mass, inside the box when periodic), GroupVel, GroupVelDisp (1-D), GroupRadius
/// (farthest member from GroupPos), GroupHalfMassRad. Units are those of the particles.
Table group_properties(const Particles& host, const Groups& groups, const Box& box);

}  // namespace aureole::halo
