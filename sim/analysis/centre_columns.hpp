// Columns of a catalogue about how centres of groups were found.
#pragma once

#include <functional>
#include <span>

#include "halo/centres/centres.hpp"
#include "sim/core/table.hpp"

namespace aureole::run {

/// Of centre most_connected: GroupCentreFriends, the number of friends of the particle at the centre, and
/// GroupCentreTies, the number of members that have as many, 1 where it is the only one.
void add_ties(Table& groups, const halo::Centres& centres);

struct PoissonCheck {
    std::size_t least_members = 1;  ///< of a group that was searched on the grid
    std::size_t groups = 0;         ///< whose exact centre is sought too, at most
};

/// Of centre poisson: GroupCentreExact is 1 where the centre is the member of least potential, 0 where
/// another one is, -1 where it was not checked. Smaller groups were searched exactly; of the others
/// `check.groups` are searched once more, spread evenly over them from the first on, by `most_bound`, which
/// gives the most bound members of the groups that it is told. The column's description tells the fraction.
/// `lengths`: numbers of members.
void add_exactness(Table& groups, std::span<const std::uint64_t> lengths, const halo::Centres& centres,
                   const PoissonCheck& check,
                   const std::function<halo::Centres(std::span<const std::size_t>)>& most_bound);

}  // namespace aureole::run
