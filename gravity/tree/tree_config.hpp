// What the tree solver is told: which cells it opens, and where the tree ends.
#pragma once

#include "sim/core/backend.hpp"

namespace aureole::gravity::tree {

/// How the CUDA walk spreads few groups over the device in mixed precision; results differ by rounding. No
/// key of the configuration: benchmarks and tests set it. Measured on an H200 (tests/bench/RESULTS.md).
struct WalkPlan {
    Index groups_by_four = 1024;  ///< up to so many, four warps share a group
    Index groups_by_two = 2048;   ///< up to so many, two do
    /// Up to so many, four share only groups whose walk looks at more than `long_walk` times the usual number
    /// of nodes; these start first, and of the others the longer ones, as the walk before told.
    Index groups_by_cost = 4096;
    double long_walk = 2;

    bool operator==(const WalkPlan&) const = default;
};

struct Config {
    /// Standard: larger opens less. Used alone when force_accuracy is 0, and by the first evaluation, when no
    /// accelerations are known.
    double opening_angle = 0.6;
    /// alpha: 99 % of the relative force errors are at most this. 0: by angle alone.
    double force_accuracy = 1e-3;
    int leaf_size = 16;  ///< most particles of an unopened cell's end, from 1 to largest_leaf
    /// Takes the net force, which is an error of the tree, off the particles in proportion to their
    /// accelerations when all are sources and targets: the total momentum stays.
    bool conserve_momentum = true;
    /// On several ranks: each holds its domain of the particles and of the tree (gravity/ranks).
    bool domains = false;
    WalkPlan plan;

    bool operator==(const Config&) const = default;
};

inline constexpr int largest_leaf = 64;

}  // namespace aureole::gravity::tree
