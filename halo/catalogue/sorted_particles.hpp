// Particles in the order of a catalogue without subhalos, put in order where they are.
#pragma once

#include <vector>

#include "halo/groups_view.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/particles.hpp"

namespace aureole::halo {

/// As member_order() without subhalos, in the memory that `exec` runs in: `members` are the lists of
/// `groups`, which a DeviceMembers filled. Cost: two passes over the labels.
Buffer<Index> order_by_group(Exec exec, const GroupsView& groups, const MembersView& members);

/// Entry k is particle order[k]; `particles` and `order` are in the memory that `exec` runs in. Absent arrays
/// are as those of new particles. Each array travels once; scratch: 8 bytes a particle.
Particles gathered_on_host(Exec exec, const ConstParticlesView& particles, const Buffer<Index>& order);

/// The labels in that order.
std::vector<std::int32_t> labels_on_host(Exec exec, const GroupsView& groups, const Buffer<Index>& order);

}  // namespace aureole::halo
