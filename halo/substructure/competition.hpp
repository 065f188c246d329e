// Which halo each particle of a group is offered to: of those that reach it the one with the highest density
// in phase space there, the densities being fitted to all halos together. All groups are worked on together.
// Cost of a turn: one density for each particle, and one for each halo that reaches it.
#pragma once

#include <span>
#include <vector>

#include "halo/substructure/hierarchy.hpp"
#include "halo/substructure/phase_profile.hpp"
#include "sim/core/progress.hpp"
#include "sim/core/spatial/balanced_tree.hpp"
#include "sim/core/spatial/bounding_box.hpp"

namespace aureole::halo {

/// A halo that takes part.
struct SubhaloCandidate {
    Index group, branch;
    PhaseCentre centre{};
    bool merging = false;  ///< followed until its number of members settles
};

struct CompetitionRules {
    int turns = 4;       ///< of fitting, at least
    int most_turns = 4;  ///< of fitting, while numbers of members of merging halos still change
    /// Halos reach only what they hold; the background reaches everything, and has next to no density where
    /// it does not hold.
    bool bound_only = true;
};

/// What counts as zero, and units, per group; in the memory of a backend.
struct GroupScales {
    PhaseFloor* floor;
    ProfileUnits* units;
};

/// `floor`: per group, on the host.
GroupScales find_scales(Exec exec, const PhasePoints& points, std::span<const PhaseFloor> floor,
                        Arena& arena);

/// Expectation and maximisation (Dempster, Laird & Rubin 1977), some turns or until numbers of members change
/// little: each particle is shared among the halos that reach it in proportion to their densities, and each
/// halo's density is read anew from its shares. So outskirts that a hard choice would cut off are not lost to
/// the density that follows. In the end each goes to the densest (equal densities: the lower branch).
///
/// `candidates`: group by group, the background of each first: it reaches everything. `start`: per point,
/// the branch that it belongs to at first. `winner`: per point of these groups, the branch that it goes to.
void compete(Exec exec, const PhasePoints& points, const GroupScales& scales,
             std::span<const SubhaloCandidate> candidates, Index n_branches, const Index* start,
             const CompetitionRules& rules, Index* winner, Arena& arena, const Progress& progress = {});

// Halos of comparable mass that pass through each other hang together in phase space down to their cores, so
// that one of them begins as a branch at a late level: a core too light to hold what surrounds it. Such
// halos do not compete as a satellite and its host do, from the core outwards; they start from equal parts
// of what they have together.

/// Whether the pieces at which `branch` and `parent` parted have comparable numbers of members, and lie
/// farther apart than pieces of one core do.
bool are_comparable(const Branch& branch, const Branch& parent);

/// Branches of one group that share out what they have together.
struct MergerPool {
    Index group;
    Moments whole;  ///< its dispersions are the units
    std::vector<Index> branch;
    std::vector<PhaseCentre> centre;  ///< per branch
};

/// Branches with those of comparable mass that parted from them: the k-th pools of all groups together, those
/// of parents before those of their children. Their candidates are marked as merging, and get another centre
/// where the branch itself has one.
std::vector<std::vector<MergerPool>> merger_pools(std::span<const Branch> branches, Index n_groups,
                                                  std::span<SubhaloCandidate> candidates);

/// Of the points that belong to a branch of a pool, start[i] becomes the branch whose centre is nearest in
/// phase space (ties: the first of the pool). Pools are of different groups.
void share_out(Exec exec, const PhasePoints& points, std::span<const MergerPool> pools, Index n_branches,
               Index* start, Arena& arena);

// The loops.

/// Halos of a group in the order of a small tree.
struct HaloTree {
    Index first;  ///< number of the background; the candidates follow
    Index first_node;
    BalancedTree shape;  ///< over the candidates
};

/// In the memory of a backend.
struct CompetitionView {
    PhasePoints points;
    GroupScales scales;
    const HaloTree* tree;         ///< per group
    std::uint8_t* active;         ///< per group: still turning
    BoundingBox<double>* box;     ///< per node of all trees
    const PhaseCentre* centre;    ///< per halo, at the start
    PhaseProfile* profile;        ///< per halo
    std::uint8_t* unsettled;      ///< per halo: whether its number of members still changes
    ProfileSums* sums;            ///< per halo
    ProfileShells* shells;        ///< per halo
    double* least_top;            ///< per halo
    const Index* group;           ///< per halo
    const Index* branch;          ///< per halo
    const Index* halo_of_branch;  ///< no_halo where it takes no part
    const Index* to_assign;       ///< points of groups with candidates
    Index n_to_assign, n_halos, n_nodes;
    bool bound_only;

    static constexpr Index no_halo = ~Index{0};
};

void start_profiles(Exec exec, const CompetitionView& view, const Index* start);
void turn_profiles(Exec exec, const CompetitionView& view);
void flag_unsettled(Exec exec, const CompetitionView& view);
void find_winners(Exec exec, const CompetitionView& view, Index* winner);
void flag_to_assign(Exec exec, const PhasePoints& points, const HaloTree* tree, std::uint8_t* flag);

}  // namespace aureole::halo
