// Halos of comparable mass that pass through each other hang together in phase space down to their cores, so
// that one of them begins as a branch at a late level: a core too light to hold what surrounds it. Such
// rivals do not compete as a satellite and its host do, from the core outwards; they start from equal parts
// of what they have together.
#pragma once

#include <span>
#include <vector>

#include "halo/substructure/group_points.hpp"
#include "halo/substructure/hierarchy.hpp"
#include "halo/substructure/phase_profile.hpp"

namespace aureole::halo {

/// Whether the pieces at which `branch` and `parent` parted have comparable numbers of members, and lie
/// farther apart than pieces of one core do.
bool are_rivals(const Branch& branch, const Branch& parent);

/// Shares `pool` out among `centres`: each particle goes to the one that is nearest in phase space, positions
/// and velocities in units of the dispersions of `whole` (ties: the first). One list for each centre, in the
/// order of the pool.
std::vector<std::vector<Index>> nearest_parts(const GroupPoints& points, std::span<const Index> pool,
                                              std::span<const PhaseCentre> centres, const Moments& whole);

}  // namespace aureole::halo
