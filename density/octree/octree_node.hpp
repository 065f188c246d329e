// A node of an octree of patches, n^3 cells each. The root is node 0; a node without children is a leaf; the
// cells of other nodes hold what is averaged over their children. A uniform grid is an octree of one node.
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

}  // namespace aureole::density
