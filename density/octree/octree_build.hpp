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
    CubeBoxes(const ConstParticlesView& particles, const Lattice& lattice, const CellCoordinates& cells);

    /// The boxes of the cubes of a block; valid until the next call. Cost: O(cubes).
    std::span<const PeriodicBox> of(Index block);

    /// One box around all cubes of a block.
    PeriodicBox around(Index block);

private:
    ConstParticlesView particles_;
    LatticeView lattice_;
    CellCoordinates cells_;
    std::vector<Vec3> corners_;
    std::vector<PeriodicBox> boxes_;
};

/// The boxes of all blocks of the lattice. Cost: O(N).
std::vector<PeriodicBox> block_boxes(const ConstParticlesView& particles, const Lattice& lattice,
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

/// The tree of particles of host memory over `root`. Throws aureole::Error when the tree grows beyond 10^11
/// cells and Stopped when `progress` asks for it between levels. Cost: O(cubes of the blocks of all nodes).
OctreeOfBlocks build_octree(const ConstParticlesView& particles, const Lattice& lattice, const Grid& root,
                            const RefinementRules& rules, const Progress& progress = {});

/// The cube of a node, in cells of the root.
CellCube cube_of(const Octree& tree, Index node);

}  // namespace aureole::density
