// Groups from memberships that are known already: those of another finder, or of an earlier search.
#pragma once

#include <span>

#include "halo/groups.hpp"

namespace aureole::halo {

/// Canonical groups, as a finder numbers them, of the sets of particles with one membership number: by
/// falling number of members, ties by the smallest id; sets below `min_members` are none. A negative number
/// is no membership. Throws aureole::Error when there are not as many ids as memberships, and for min_members
/// 0. O(N log N).
Groups groups_of_memberships(std::span<const std::int64_t> membership, std::span<const std::uint64_t> id,
                             Index min_members);

}  // namespace aureole::halo
