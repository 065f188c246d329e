// Bounding boxes of the sheet's cubes and of its blocks of 8^3 cubes, around the periodic box: what an octree
// is refined by (Kaehler 2017), and which patches a block may reach into. A box of a block is 48 bytes.
#pragma once

#include <span>
#include <vector>

#include "density/sheet/lattice.hpp"
#include "density/sheet/tessellation.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::density {

/// low <= x <= high, and all images of it a period away; low in [0, period), high <= low + period.
struct PeriodicInterval {
    double low, high;

    /// Of low in [-period, 2 period).
    static PeriodicInterval of(double low, double high, double period);

    /// Into [begin, end) of [0, period): as cells are reached, a point on a plane is in the cell above it.
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

/// The boxes of the cubes of one block after the other; one for each thread.
class CubeBoxes {
public:
    CubeBoxes(const ParticlesView& particles, const Lattice& lattice, const CellCoordinates& cells);

    /// Of a block's cubes; valid until the next call. O(cubes).
    std::span<const PeriodicBox> of(Index block);

    /// One that holds them all.
    PeriodicBox around(Index block);

private:
    ParticlesView particles_;
    LatticeView lattice_;
    CellCoordinates cells_;
    std::vector<Vec3> corners_;
    std::vector<PeriodicBox> boxes_;
};

/// The boxes of all blocks of the lattice. O(N).
std::vector<PeriodicBox> block_boxes(const ParticlesView& particles, const Lattice& lattice,
                                     const CellCoordinates& cells);

}  // namespace aureole::density
