// Bounding boxes of lattice cubes and of blocks of 8^3 cubes in the periodic box. An octree is refined by
// them (Kaehler 2017), and they say which patches a block may reach into. A box takes 48 bytes.
#pragma once

#include <span>
#include <vector>

#include "density/sheet/lattice.hpp"
#include "density/sheet/tessellation.hpp"
#include "sim/core/particles_view.hpp"

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

}  // namespace aureole::density
