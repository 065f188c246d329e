// Ghosts: points of other domains that may be friends of those of a domain.
#pragma once

#include <vector>

#include "halo/ranks/part_points.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

/// Of one part.
struct Ghosts {
    PartPoints points;                     ///< those of part 0 first; all of them link
    std::vector<std::size_t> begin;        ///< where those of each part begin, and the end
    std::vector<std::vector<Index>> sent;  ///< places of the own points that are ghosts of each part
};

/// What is within a linking length of each domain, and little more: boxes of runs of points along the curve
/// tell it. `points` are those of the domains, of each part that is held here. Where `both_ways` is false,
/// parts get ghosts of later parts only, so that each pair of friends is seen once; otherwise each point has
/// all points near it that link. Collective.
std::vector<Ghosts> exchange_ghosts(comm::Parts& parts, const std::vector<PartPoints>& points, const Box& box,
                                    double linking_length, bool both_ways);

}  // namespace aureole::halo
