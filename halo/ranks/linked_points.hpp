// Friends among the points of one part: its own and ghosts.
#pragma once

#include <vector>

#include "halo/fof/friends_of_friends.hpp"
#include "halo/ranks/part_points.hpp"

namespace aureole::halo {

inline constexpr Index in_no_set = 0xffffffffu;

/// A number for each point that is equal for points of one set: those of linking points by the settings, and
/// of those that join the set of their nearest linking one, ties by smaller id. in_no_set for the others.
/// min_friends and border are not looked at: the roles tell.
std::vector<Index> sets_of_friends(const PartPoints& points, FofConfig config);

/// Per point whether it links and has at least min_friends friends among those that link.
std::vector<std::uint8_t> points_with_friends(const PartPoints& points, FofConfig config);

}  // namespace aureole::halo
