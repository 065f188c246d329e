// Which halo of its group a halo lies in.
#pragma once

#include <span>
#include <vector>

#include "halo/overdensity/radial_lists.hpp"
#include "halo/substructure/hierarchy.hpp"

namespace aureole::halo {

/// A branch as its relatives see it.
struct Relative {
    std::int32_t branch = -1;  ///< that it left, of lower number; -1: none
    int level = 0;             ///< of the hierarchy, where it left
    std::int32_t rank = -1;    ///< among the halos of the group, 0 the greatest; -1: no halo
    Vec3 centre{};             ///< of the halo
    double reach = 0;          ///< how far from its centre other halos may lie in it
};

/// Per rank: the rank of the parent, -1 for none. Branches meet where they parted, the last to part first,
/// and the lesser halo lies in the greater one. A halo beyond the reach of its parent hangs one level higher,
/// below the parent of that, and so on.
std::vector<std::int32_t> parents_of(std::span<const Relative> branches);

/// A branch that is a halo.
struct HaloRow {
    Index branch;
    Vec3 centre{};
    double reach = 0;
};

/// Per row: the row of the parent, -1 for none. `rows` are those of all groups, group by group and by rank.
std::vector<std::int32_t> parents_of_rows(std::span<const Branch> branches, Index n_groups,
                                          std::span<const HaloRow> rows);

/// How far each of some lists of members reaches: R of the sphere in which its members have the mean
/// `density`, or their extent where `density` is 0 (then masses do not matter). Members that reach the
/// density nowhere have no reach. `members` are in the memory that `exec` runs in; a number per list travels.
std::vector<double> reaches_of(Exec exec, const RadialLists& members, double density, Arena& arena);

}  // namespace aureole::halo
