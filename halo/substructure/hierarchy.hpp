// Candidates for subhalos: a group is linked in 6-D phase space, what hangs together is linked again with
// shorter lengths, and so on (the practice of Behroozi, Wechsler & Wu 2013, Rockstar). At every level lengths
// follow from the piece itself: positions and velocities are measured in its dispersions, and the linking
// length is the one that gives a set fraction of its members a friend. Where a piece falls apart, its longest
// part carries the branch on and the others begin branches of their own.
// Cost: each level keeps less than the fraction, so about n log n / (1 - fraction).
#pragma once

#include <cstdint>
#include <vector>

#include "halo/substructure/group_points.hpp"
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

}  // namespace aureole::halo
