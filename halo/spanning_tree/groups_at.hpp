// Friends-of-friends groups from a spanning tree, for any linking length.
#pragma once

#include <span>

#include "halo/groups.hpp"
#include "halo/spanning_tree/spanning_tree.hpp"

namespace aureole::halo {

/// The groups that FriendsOfFriends::find would give for this linking length (inclusive, as there), with
/// particles that do not link in the group of their nearest that does, if it is near enough. `ids` of all
/// particles, in the order that the tree was built from, or none: their indices. In phase space the linking
/// velocity follows from the tree's velocity scale. Throws aureole::Error for a length that is not positive
/// and finite, min_members 0, and ids of another number than particles. Cost: n, on the host.
Groups groups_at(const SpanningTree& tree, double linking_length, Index min_members,
                 std::span<const std::uint64_t> ids);

}  // namespace aureole::halo
