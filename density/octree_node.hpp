// What kernels see of an octree of patches: nodes with n^3 cells each, and one number a cell. The root is
// node 0; a node without children is a leaf; the cells of other nodes hold what is averaged over their
// children. A uniform grid of n^3 cells is an octree of one node.
#pragma once

#include "sim/core/vec3.hpp"

namespace aureole::density {

inline constexpr Index no_child = 0xffffffffu;

/// A cube of space.
struct OctreeNode {
    Vec3 low;           ///< its lower corner, in the particles' unit
    double size;        ///< of its side
    Index first_child;  ///< the eight children follow each other, 4 towards x, 2 towards y, 1 towards z; or
                        ///< no_child
    Index level;        ///< 0 for the root
};

struct OctreeView {
    const OctreeNode* nodes;
    Index n_nodes;
    Index cells;  ///< along each side of a node

    /// Where a field has the cell i, j, k of a node: z running fastest, nodes one after the other.
    AUREOLE_HD std::size_t at(Index node, Index i, Index j, Index k) const
    {
        return ((std::size_t{node} * cells + i) * cells + j) * cells + k;
    }
};

}  // namespace aureole::density
