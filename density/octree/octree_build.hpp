// The refinement of an octree (Kaehler 2017): a node is refined where more than a given number of tetrahedra
// may overlap it. Tetrahedra are counted six at a time, as lattice cubes whose bounding boxes reach into the
// node. Only cubes of blocks whose bounding boxes reach into it are looked at, and a child looks at the
// blocks of its parent only. The tree is built level by level, in parallel, and is the same for any number of
// threads.
#pragma once

#include <span>

#include "density/octree/block_boxes.hpp"
#include "density/octree/octree.hpp"
#include "sim/core/progress.hpp"

namespace aureole::density {

struct RefinementRules {
    std::uint64_t refine_above = 0;  ///< number of tetrahedra above which a node is refined
    Index levels = 0;                ///< largest number of levels below the root
};

/// An octree and, for each leaf, the blocks with cubes that reach into it in rising order; other nodes have
/// none.
struct OctreeOfBlocks {
    Octree tree;
    std::vector<std::size_t> first;  ///< where the blocks of each node begin in `block`, then its size
    std::vector<Index> block;
    std::size_t building_bytes = 0;  ///< largest amount of temporary memory of the build

    std::span<const Index> blocks(Index node) const
    {
        return {block.data() + first[node], first[node + 1] - first[node]};
    }
};

/// The tree of particles of host memory over `root`. Throws aureole::Error when the tree grows beyond 10^11
/// cells and Stopped when `progress` asks for it between levels. Cost: O(cubes of the blocks of all nodes).
OctreeOfBlocks build_octree(const ConstParticlesView& particles, const Lattice& lattice, const Grid& root,
                            const RefinementRules& rules, const Progress& progress = {});

/// The cube of a node, in cells of the root.
CellCube cube_of(const Octree& tree, Index node);

}  // namespace aureole::density
