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

    static constexpr Index default_leaf_size = 8;

    /// The largest node around k whose members are all friends; k itself when there is none.
    AUREOLE_HD Index friendly_node(Index k) const
    {
        while (k != root && node[parent(k)].friends) k = parent(k);
        return k;
    }
};

}  // namespace aureole::halo
