// Subhalos of 3-D groups, found in phase space and tested for boundness.
//
// Candidates come from the hierarchy of 6-D groups (hierarchy.hpp); particles go to the candidate that is
// densest at their place in phase space (competition.hpp); what is not bound leaves (unbinding.hpp); from who
// stays new densities follow, and the last two steps are repeated. What is bound to the group and lies in
// none of its subhalos is its main halo. The method's ideas are those of Behroozi, Wechsler & Wu (2013).
// Cost: some n log n per group.
#pragma once

#include <cstdint>
#include <vector>

#include "gravity/solver_config.hpp"
#include "halo/groups.hpp"
#include "halo/substructure/hierarchy.hpp"
#include "halo/substructure/unbinding.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/progress.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

struct SubhaloConfig {
    Index min_members = 20;  ///< fewer bound members are no subhalo
    bool unbinding = true;   ///< false: all particles offered to a candidate are its members
    /// A candidate that holds less of what it is offered is none.
    double least_bound_fraction = 0.5;
    int rounds = 2;       ///< of competition and unbinding, at least 1
    int turns = 4;        ///< of fitting densities in each round
    int most_turns = 30;  ///< where halos of comparable mass overlap, unless their members settle before
    HierarchyConfig hierarchy{};
    /// A subhalo lies in its parent only where it is inside the radius in which the parent's own members have
    /// this mean density (of R_200c, say; mass and G = 1 as in the particles); 0: inside their extent.
    double reach_density = 0;
    Box box{};
    /// Softening, and the solver for potentials of many; it runs on the host.
    gravity::Config gravity{};
};

/// Subhalos of all groups of `host` particles, in host memory. Equal bit for bit for any number of
/// threads, and the same subhalos for any order of the particles; ids have to differ.
/// Throws aureole::Error for members that are no particles, and settings out of range.
/// Needs masses and velocities; ids that are absent are the indices, types 1. `progress` is called between
/// large groups and blocks of small ones, and its stop() within large groups.
Subhalos find_subhalos(const ConstParticlesView& host, const Members& groups, const SubhaloConfig& config,
                       const Progress& progress = {});

// The subhalos of one group.

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
