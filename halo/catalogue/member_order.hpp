// The sequence in which a snapshot beside a catalogue stores its particles (the writer then parts it by
// type).
#pragma once

#include "halo/groups.hpp"

namespace aureole::halo {

/// Particle indices by group; inside a group by subhalo (rank), inside a subhalo by rising binding energy,
/// after the subhalos the group's other members; ungrouped particles last. Ties and the rest stay in input
/// order. Throws aureole::Error for labels or subhalos that contradict each other, naming the first.
std::vector<Index> member_order(const Groups& groups, const Subhalos& subhalos = {});

}  // namespace aureole::halo
