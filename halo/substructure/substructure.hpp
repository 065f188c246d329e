// Subhalos of 3-D groups, found in phase space and tested for boundness, on either backend.
//
// Candidates come from the hierarchy of 6-D groups (hierarchy.hpp); particles go to the candidate that is
// densest at their place in phase space (competition.hpp); what is not bound leaves (unbinding.hpp); from who
// stays new densities follow, and the last two steps are repeated. What is bound to the group and lies in
// none of its subhalos is its main halo. The method's ideas are those of Behroozi, Wechsler & Wu (2013).
// Cost: some n log n.
#pragma once

#include <cstdint>

#include "halo/groups.hpp"
#include "halo/groups_view.hpp"
#include "halo/substructure/hierarchy.hpp"
#include "sim/core/buffer.hpp"
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
    /// this mean density (of R_200c, say), masses multiplied by G; 0: inside their extent.
    double reach_density = 0;
    Box box{};
    double softening = 0;               ///< of potentials, Plummer's
    double gravitational_constant = 1;  ///< masses are multiplied by it
};

/// Subhalos whose lists of members stay in the memory that they were found in.
struct SubhaloLists {
    /// Begins of lists and all that there is one of for each subhalo; members and their energies are not.
    Subhalos rows;
    Buffer<Index> particle;        ///< per member, as in Subhalos; the buffer may be longer
    Buffer<float> binding_energy;  ///< per member
    Buffer<std::uint64_t> begin;   ///< as in the rows

    MembersView members() const
    {
        return {static_cast<Index>(rows.size()), rows.members.begin.back(), particle.data(), begin.data()};
    }
};

/// Subhalos of all groups of `particles`, which like the lists are in the memory that `exec` runs in. The
/// same on both backends and for any number of threads, to the bit, and the same subhalos for any order of
/// the particles; ids have to differ. Throws aureole::Error for members that are no particles, and settings
/// out of range. Needs masses and velocities; ids that are absent are the indices. `progress` is called
/// between steps. A row per subhalo travels, and rows of what was tried.
SubhaloLists find_subhalo_lists(Exec exec, const ConstParticlesView& particles, const MembersView& groups,
                                const SubhaloConfig& config, const Progress& progress = {});

/// All of it in host memory.
Subhalos subhalos_on_host(Exec exec, const SubhaloLists& lists);

/// The same search with its result in host memory.
Subhalos find_subhalos(Exec exec, const ConstParticlesView& particles, const MembersView& groups,
                       const SubhaloConfig& config, const Progress& progress = {});

/// The same of particles in host memory.
Subhalos find_subhalos(const ConstParticlesView& host, const Members& groups, const SubhaloConfig& config,
                       const Progress& progress = {});

/// Bytes that the search takes for groups of `n` members that are searched together, its result included: all
/// of them on a GPU, up to 2^25, on a host the largest or up to 2^18; for the memory forecast.
std::size_t subhalo_scratch_bytes(Backend where, std::size_t n);
/// Of these, those that it takes while it searches alone.
std::size_t subhalo_search_bytes(Backend where, std::size_t n);

/// Where members of subhalos go: it holds all members of the groups, in the memory of a backend.
struct SubhaloMembers {
    Index* particle;
    float* binding_energy;
};

/// Rows of some groups, numbered from 0. `begin`: where their members begin, on the host; `particle`: from
/// the first of them on.
Subhalos subhalos_of_groups(Exec exec, const ConstParticlesView& particles,
                            const std::vector<std::uint64_t>& begin, const Index* particle,
                            const SubhaloConfig& config, const SubhaloMembers& members, Arena& arena,
                            const Progress& progress);

}  // namespace aureole::halo
