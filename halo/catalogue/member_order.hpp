// The sequence in which a snapshot beside a catalogue stores its particles (the writer then parts it by
// type), and particles put in that order where they are.
#pragma once

#include "halo/groups.hpp"
#include "halo/groups_view.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/particles.hpp"

namespace aureole::halo {

/// Particle indices by group; inside a group by subhalo (rank), inside a subhalo by rising binding energy,
/// after the subhalos the group's other members; ungrouped particles last. Ties and the rest stay in input
/// order. Throws aureole::Error for labels or subhalos that contradict each other, naming the first.
std::vector<Index> member_order(const Groups& groups, const Subhalos& subhalos = {});

/// As member_order() without subhalos, in the memory that `exec` runs in: `members` are the lists of
/// `groups`, which a DeviceMembers filled. Cost: two passes over the labels.
Buffer<Index> order_by_group(Exec exec, const GroupsView& groups, const MembersView& members);

/// Entry k is particle order[k]; `particles` and `order` are in the memory that `exec` runs in. Absent arrays
/// are as those of new particles. Each array travels once; scratch: 8 bytes a particle.
Particles gathered_on_host(Exec exec, const ConstParticlesView& particles, const Buffer<Index>& order);

/// The labels in that order.
std::vector<std::int32_t> labels_on_host(Exec exec, const GroupsView& groups, const Buffer<Index>& order);

}  // namespace aureole::halo
