// The member with most friends: members within the linking length, itself not counted (Sewell et al. 2015).
// Counted by walks of a tree in which nodes that lie within reach count whole. Cost n log n, and n^(2/3) per
// member of the surface of a dense core.
#pragma once

#include <span>
#include <vector>

#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

/// Per member, how many others are no farther than `length`: nearest images, decided as the finders do
/// (squared_separation). One member at least; a periodic box must be longer than twice `length`.
std::vector<Index> friend_counts(const ConstParticlesView& host, const Box& box,
                                 std::span<const Index> members, double length);

}  // namespace aureole::halo
