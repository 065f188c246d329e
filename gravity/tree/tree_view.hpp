// What the walks see of a tree: sources along the curve and the nodes above them. No ownership.
// The tree is binary: an inner node splits the run of its sources where the curve's keys first differ. Inner
// nodes are numbered by the boundary between leaves at which they split, 1 <= p < n_leaves, and the children
// of p lie side by side in the slots 2p and 2p + 1. Slot 0 holds the root; slot 1 nothing.
// Lengths are scaled by a power of two to an extent below 1, masses by another to a largest one below 1.
#pragma once

#include "gravity/force_request.hpp"

namespace aureole::gravity::tree {

/// Where the curve lies and what one unit of the tree is; in the memory of the backend.
struct Frame {
    Vec3 low;                 ///< corner of the cube around all particles
    double cells_per_length;  ///< 2^21 cells span it
    double length_scale;      ///< scaled length = length_scale * length, a power of two
    double mass_scale;        ///< scaled mass = mass_scale * mass, a power of two
};

/// A source, scaled.
struct alignas(32) Body {
    double x, y, z, mass;
};

/// What decides whether a node is opened, and its monopole; scaled.
struct alignas(32) NodeHead {
    double x, y, z;  ///< centre of mass; of the positions where there is no mass
    float mass;
    float radius;  ///< no source of the node is farther from the centre of mass
};

/// The rest of a node. Second moments sum m x_a x_b about the centre of mass, over radius^2.
struct alignas(32) NodeTail {
    float xx, xy, xz, yy, yz, zz;
    Index first;  ///< inner: its number p; leaf: its first source
    Index count;  ///< inner: 0; leaf: its sources
};

/// Of all sources, relative to the centre of mass; scaled.
struct NodeBox {
    float low[3], high[3];
};

inline constexpr Index root_slot = 0, empty_slot = 1;

/// Softening lengths as kernels take them; not scaled.
struct TypeSoftening {
    double length[n_particle_types];
    double largest;
    bool uniform;  ///< all alike
};

struct TreeView {
    Index n_bodies, n_leaves;
    const Frame* frame;
    const Body* bodies;
    const Index* order;  ///< particle index of each body
    const NodeHead* heads;
    const NodeTail* tails;
    const NodeBox* boxes;
    const float* body_softening;  ///< scaled eps; nullptr when all are alike
    const float* node_softening;  ///< largest eps of a node, negative when it holds several; or nullptr
};

}  // namespace aureole::gravity::tree
