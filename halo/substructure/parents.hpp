// Which halo of its group a halo lies in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halo/substructure/group_points.hpp"
#include "halo/substructure/hierarchy.hpp"
#include "halo/substructure/unbinding.hpp"

namespace aureole::halo {

/// A branch as its relatives see it.
struct Relative {
    std::int32_t branch = -1;  ///< that it left, of lower number; -1: none
    int level = 0;             ///< of the hierarchy, where it left
    std::int32_t rank = -1;    ///< among the halos of the group, 0 the greatest; -1: no halo
    Vec3 centre{};             ///< of the halo
    double reach = 0;          ///< how far from its centre other halos may lie in it
};

/// How far a halo reaches: R of the sphere in which its bound members have the mean `density`, or their
/// extent where `density` is 0. A halo whose members reach the density nowhere has no reach.
double reach_of(const GroupPoints& points, const BoundMembers& bound, double density);

/// Per rank: the rank of the parent, -1 for none. Branches meet where they parted, the last to part first,
/// and the lesser halo lies in the greater one. A halo beyond the reach of its parent hangs one level higher,
/// below the parent of that, and so on.
std::vector<std::int32_t> parents_of(std::span<const Relative> branches);

}  // namespace aureole::halo
