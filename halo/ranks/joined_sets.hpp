// Sets of friends that reach over several parts, and the groups that they make.
#pragma once

#include <vector>

#include "halo/ranks/ghosts.hpp"
#include "halo/ranks/linked_points.hpp"

namespace aureole::halo {

/// The groups of all parts.
struct NumberedGroups {
    /// Of each part that is held here, per own point: row of its group from 0, -1 for none.
    std::vector<std::vector<std::int32_t>> label;
    std::vector<std::uint64_t> n_members;  ///< per group
};

/// Joins the sets that share a ghost and numbers what has enough members: by falling number of members,
/// smallest id, smallest serial. `sets` are those of sets_of_friends() for the own points and then the ghosts
/// of each part that is held here. Collective. Throws ArgumentError on all ranks where there are more groups
/// than a label can number.
NumberedGroups number_groups(comm::Parts& parts, const std::vector<PartPoints>& points,
                             const std::vector<Ghosts>& ghosts, std::vector<std::vector<Index>> sets,
                             Index min_members);

}  // namespace aureole::halo
