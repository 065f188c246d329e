// The tree in which friends are looked for: the balanced hierarchy of sim/core/spatial over points along a
// space-filling curve, in float and in a common frame, with boxes that know whether all of their points are
// friends.
#pragma once

#include "halo/frame.hpp"
#include "sim/core/spatial/balanced_tree.hpp"
#include "sim/core/spatial/bounding_box.hpp"

namespace aureole::halo {

/// A point in the tree's own frame (see Frame) and the particle that it is.
struct alignas(16) TreePoint {
    float x, y, z;
    Index particle;

    AUREOLE_HD Vec3f position() const { return {x, y, z}; }
};

/// The velocity of a tree point in units of the frame, where the linking velocity is as long as the linking
/// length.
struct alignas(16) TreeVelocity {
    float x, y, z, unused;

    AUREOLE_HD static TreeVelocity of(Vec3f v) { return {v.x, v.y, v.z, 0}; }
    AUREOLE_HD Vec3f velocity() const { return {x, y, z}; }
};

/// Smallest box around the members, with flags in its padding. `friends`: it is so small that all of them are
/// friends of each other. `united`: all of them are known to share a set, as friends do and others may once
/// linking has begun.
struct alignas(32) LinkNode {
    Vec3f low;
    std::uint32_t friends;
    Vec3f high;
    std::uint32_t united;

    AUREOLE_HD BoundingBox<float> box() const { return {low, high}; }
};

struct LinkTree : Hierarchy<LinkNode> {
    TreePoint* point = nullptr;
    TreeVelocity* velocity = nullptr;   ///< of every point, in phase space only
    PaddedBox* velocity_box = nullptr;  ///< of every node, in phase space only
    /// Where it is not 0, leaves are not halves of halves, but filled one after the other with so many
    /// points: all are full but the last one with points, and those behind it are empty. A warp takes as long
    /// for nodes that are half full as for full ones.
    Index leaf_points = 0;

    static constexpr Index default_leaf_size = 8;

    /// `leaf_size` points in every leaf, or as many as a tree of this depth has to hold.
    void fill_leaves(Index leaf_size)
    {
        const auto least = static_cast<Index>((n + (std::size_t{1} << depth) - 1) >> depth);
        leaf_points = leaf_size > least ? leaf_size : least;
    }
    /// As if the nodes of a level above the leaves were the leaves.
    void cut_off_below(int level)
    {
        leaf_points <<= depth - level;
        depth = level;
    }

    /// These three as in BalancedTree, for either kind of leaves.
    AUREOLE_HD Index begin(Index k) const { return leaf_points == 0 ? Hierarchy::begin(k) : filled_to(k, 0); }
    AUREOLE_HD Index end(Index k) const { return leaf_points == 0 ? Hierarchy::end(k) : filled_to(k, 1); }
    AUREOLE_HD Index leaf_of(Index i) const
    {
        return leaf_points == 0 ? Hierarchy::leaf_of(i) : n_leaves() + i / leaf_points;
    }

    /// The largest node around k whose members are all friends; k itself when there is none.
    AUREOLE_HD Index friendly_node(Index k) const
    {
        while (k != root && node[parent(k)].friends) k = parent(k);
        return k;
    }

private:
    /// Where node k begins, or ends.
    AUREOLE_HD Index filled_to(Index k, Index step) const
    {
        const int level = level_of(k);
        const std::uint64_t leaves = std::uint64_t{k - (Index{1} << level) + step} << (depth - level);
        const std::uint64_t points = leaves * leaf_points;
        return points < n ? static_cast<Index>(points) : n;
    }
};

}  // namespace aureole::halo
