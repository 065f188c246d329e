// The refinement of an octree (Kaehler 2017): a node is refined where more than a given number of tetrahedra
// may overlap it. Tetrahedra are counted six at a time, as lattice cubes whose bounding boxes reach into the
// node. Only cubes of blocks whose bounding boxes reach into it are looked at, and a child looks at the
// blocks of its parent only. The tree is built level by level, in parallel, and is the same for any number of
// threads.
//
// It is refined by the bounding boxes of lattice cubes and of blocks of 8^3 cubes in the periodic box, which
// also say which patches a block may reach into. A box takes 48 bytes.
#pragma once

#include <span>
#include <vector>

#include "density/octree/octree.hpp"
#include "density/sheet/block_corners.hpp"
#include "density/sheet/lattice.hpp"
#include "density/sheet/tessellation.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/progress.hpp"

namespace aureole::density {

/// The interval low <= x <= high and its periodic images; low is in [0, period) and high <= low + period.
struct PeriodicInterval {
    double low, high;

    /// The interval with low moved into [0, period); low must be in [-period, 2 period).
    static PeriodicInterval of(double low, double high, double period);

    /// Whether it reaches into [begin, end) of [0, period). A point on a plane is in the cell above it.
    bool reaches(double begin, double end, double period) const
    {
        return (low < end && high >= begin) || high - period >= begin;
    }
};

/// In cells of a grid.
struct PeriodicBox {
    PeriodicInterval axis[3];
};

/// A cube of space in the same cells.
struct CellCube {
    double low[3], size;

    bool reached_by(const PeriodicBox& box, Vec3 period) const
    {
        for (int a = 0; a < 3; ++a)
            if (!box.axis[a].reaches(low[a], low[a] + size, component(period, a))) return false;
        return true;
    }
};

/// Computes the boxes of the cubes of one block after the other; each thread has its own.
class CubeBoxes {
public:
    CubeBoxes(const BlockCorners& corners, const CellCoordinates& cells);

    /// The boxes of the cubes of a block; valid until the next call. Cost: O(cubes).
    std::span<const PeriodicBox> of(Index block);

    /// One box around all cubes of a block.
    PeriodicBox around(Index block);

private:
    BlockCorners corners_of_;
    CellCoordinates cells_;
    std::vector<Vec3> corners_;
    std::vector<PeriodicBox> boxes_;
};

/// The boxes of some blocks of the lattice, in their order. Cost: O(cubes).
std::vector<PeriodicBox> block_boxes(const BlockCorners& corners, std::span<const Index> blocks,
                                     const CellCoordinates& cells);

struct RefinementRules {
    std::uint64_t refine_above = 0;  ///< number of tetrahedra above which a node is refined
    Index levels = 0;                ///< largest number of levels below the root
};

/// A sixteenth of the lattice spacing of so many particles, of which every k-th along each axis is used: the
/// smallest cells where nothing else is asked for.
double usual_smallest_cell(const Box& box, std::size_t n_particles, Index every);

/// How often the cells of `root` can be halved and are still not smaller than `smallest_cell`, but for
/// rounding. Throws ArgumentError when a double cannot tell that size from nothing.
Index levels_down_to(const Grid& root, double smallest_cell);

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

/// The blocks that may reach into each node of one level, by their places in a list of blocks.
struct LevelBlocks {
    std::vector<std::size_t> first;  ///< of each node, and the end
    std::vector<Index> block;

    std::size_t n_nodes() const { return first.size() - 1; }
};

/// Builds the tree level by level. Where each of several builders has some of the blocks, and all refine by
/// the sums of what they count, all get one tree, and each the blocks of its own in the leaves.
class OctreeBuilder {
public:
    /// `blocks` in rising order; what `corners` views must outlive the object.
    OctreeBuilder(const BlockCorners& corners, std::vector<Index> blocks, const Grid& root,
                  const RefinementRules& rules);

    /// Whether the last level has nodes that refine() has not seen.
    bool has_level() const { return level_.n_nodes() > 0; }
    /// The tetrahedra of the own blocks that may reach into each node of the last level.
    std::vector<std::uint64_t> count();
    /// Refines the nodes with too many, `tetrahedra` of all blocks; keeps the blocks of the others.
    void refine(std::span<const std::uint64_t> tetrahedra);
    /// The tree, when no level is left.
    OctreeOfBlocks take() { return std::move(built_); }

private:
    using CubeCount = std::uint16_t;  // a block has 512

    Octree& tree() { return built_.tree; }
    Index first_node() const { return *(built_.tree.first_of_level.end() - 2); }
    void count_cubes();
    CubeCount cubes_that_reach(std::span<const PeriodicBox> boxes, Index node) const;
    void make_room(const std::vector<std::size_t>& refined);
    void note_bytes(std::size_t of_level);
    LevelBlocks blocks_of_children(const std::vector<std::size_t>& refined);

    BlockCorners corners_;
    std::vector<Index> blocks_;
    RefinementRules rules_;
    CellCoordinates cells_;
    std::vector<PeriodicBox> boxes_;  ///< of the blocks
    OctreeOfBlocks built_;
    Index depth_ = 0;
    LevelBlocks level_;
    std::vector<CubeCount> cubes_;  ///< of each pair of a node of the level and a block that reach into it
};

/// The tree of particles of host memory over `root`. Throws aureole::Error when the tree grows beyond 10^11
/// cells and Stopped when `progress` asks for it between levels. Cost: O(cubes of the blocks of all nodes).
OctreeOfBlocks build_octree(const ConstParticlesView& particles, const Lattice& lattice, const Grid& root,
                            const RefinementRules& rules, const Progress& progress = {});

/// The cube of a node, in cells of the root.
CellCube cube_of(const Octree& tree, Index node);

}  // namespace aureole::density
