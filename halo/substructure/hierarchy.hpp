// Candidates for subhalos: a group is linked in 6-D phase space, what hangs together is linked again with
// shorter lengths, and so on (the practice of Behroozi, Wechsler & Wu 2013, Rockstar). At every level lengths
// follow from the piece itself: positions and velocities are measured in its dispersions, and the linking
// length is the one that gives a set fraction of its members a friend. Where a piece falls apart, its longest
// part carries the branch on and the others begin branches of their own.
// Cost: each level keeps less than the fraction, so about n log n / (1 - fraction).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halo/substructure/group_points.hpp"
#include "halo/substructure/unbinding.hpp"
#include "sim/core/progress.hpp"

namespace aureole::halo {

struct HierarchyConfig {
    double linked_fraction = 0.7;  ///< of the members of a piece have a friend in it
    Index min_piece = 10;          ///< smaller pieces are noise
    /// Two pieces are one when their centres are nearer than so many of their Poisson uncertainties.
    double distinct = 5;
};

/// A line of pieces, each inside the one before.
struct Branch {
    std::int32_t parent = -1;    ///< the branch that it left, of lower number; -1: the whole group
    int level = 0;               ///< of the hierarchy, where it left
    std::vector<Index> members;  ///< its first piece, all of it, rising
    std::vector<Index> core;     ///< its last piece that holds a twentieth of the first
    Moments moments{};           ///< of its first piece
    Moments sibling{};           ///< of the piece with which the branch that it left goes on there
    std::size_t n_sibling = 0;   ///< members of that piece
};

/// Branch 0 begins with the whole group; children follow their parents. `points` has at least one member.
/// `progress` is called before every level.
std::vector<Branch> find_branches(const GroupPoints& points, const HierarchyConfig& config,
                                  const Progress& progress = {});

// Which halo of its group a halo lies in.

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
