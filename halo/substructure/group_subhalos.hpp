// The subhalos of one group.
#pragma once

#include <cstdint>
#include <vector>

#include "halo/substructure/substructure.hpp"
#include "halo/substructure/unbinding.hpp"

namespace aureole::halo {

struct GroupSubhalo {
    BoundMembers bound;        ///< numbers in the group's points
    double mass = 0;           ///< of the bound members
    std::int32_t parent = -1;  ///< which of the group's subhalos, -1: none
};

/// By rank: falling mass, then length, then smallest member first. `progress` is called between the parts of
/// the search.
std::vector<GroupSubhalo> subhalos_of(const GroupPoints& points, const SubhaloConfig& config,
                                      const Progress& progress = {});

}  // namespace aureole::halo
