// Which nodes an octree has (Kaehler 2017): a node is refined where more than a given number of tetrahedra
// overlap it. Tetrahedra are counted six by six, as cubes whose bounding boxes reach into the node; the cubes
// that are looked at are those of blocks of 8^3 whose boxes do, and a child looks at its parent's blocks
// only. Level by level, in parallel, the same tree for any number of threads. O(cubes of the blocks of all
// nodes).
#pragma once

#include <span>

#include "density/octree/block_boxes.hpp"
#include "density/octree/octree.hpp"

namespace aureole::density {

struct RefinementRules {
    std::uint64_t refine_above = 0;  ///< tetrahedra of a node
    Index levels = 0;                ///< below the root, at most
};

/// An octree and, for each leaf, the blocks with cubes that reach into it, growing; none for other nodes.
struct OctreeOfBlocks {
    Octree tree;
    std::vector<std::size_t> first;  ///< of each node in `block`, and the end
    std::vector<Index> block;
    std::size_t building_bytes = 0;  ///< what it took at most to find them, beside all this

    std::span<const Index> blocks(Index node) const
    {
        return {block.data() + first[node], first[node + 1] - first[node]};
    }
};

/// Throws aureole::Error when the tree grows beyond 10^11 cells.
OctreeOfBlocks build_octree(const ParticlesView& particles, const Lattice& lattice, const Grid& root,
                            const RefinementRules& rules);

/// Of a node, in cells of the root.
CellCube cube_of(const Octree& tree, Index node);

}  // namespace aureole::density
