// What the tree solver is told: which cells it opens, and where the tree ends.
#pragma once

namespace aureole::gravity::tree {

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

    bool operator==(const Config&) const = default;
};

inline constexpr int largest_leaf = 64;

}  // namespace aureole::gravity::tree
