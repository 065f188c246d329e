// A grid of cells over a region of the box, and positions in its cells. A position is rounded once, to a
// multiple of a quantum that leaves all differences and shifts by the period exact: neighbours share their
// faces to the last bit, and whether a point is in a tetrahedron is decided exactly.
//
// Boxes of cells, and the planes between cells.
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/core/backend.hpp"
#include "sim/core/spatial/box.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::density {

/// The largest integer at or below x, |x| < 2^63; std::floor is a call where SSE 4.1 is not assumed.
AUREOLE_HD inline std::int64_t floor_of(double x)
{
    const auto towards_zero = static_cast<std::int64_t>(x);
    return towards_zero - (static_cast<double>(towards_zero) > x ? 1 : 0);
}

/// Cells low .. high of one axis, both included.
struct CellRange {
    std::int64_t low, high;

    AUREOLE_HD bool empty() const { return high < low; }
    AUREOLE_HD std::int64_t size() const { return empty() ? 0 : high - low + 1; }
    AUREOLE_HD CellRange within(CellRange other) const
    {
        return {low > other.low ? low : other.low, high < other.high ? high : other.high};
    }
};

/// A rectangular set of cells in index space.
struct IndexBox {
    CellRange axis[3];

    AUREOLE_HD bool empty() const { return axis[0].empty() || axis[1].empty() || axis[2].empty(); }
    AUREOLE_HD bool one_cell() const
    {
        return axis[0].size() == 1 && axis[1].size() == 1 && axis[2].size() == 1;
    }
    AUREOLE_HD IndexBox within(const IndexBox& other) const
    {
        return {
            {axis[0].within(other.axis[0]), axis[1].within(other.axis[1]), axis[2].within(other.axis[2])}};
    }
    AUREOLE_HD bool same_size(const IndexBox& other) const
    {
        return axis[0].size() == other.axis[0].size() && axis[1].size() == other.axis[1].size() &&
               axis[2].size() == other.axis[2].size();
    }
};

/// Planes between cells relative to `origin` (in cells), a corner of a tetrahedron. Coordinates are multiples
/// of one quantum, so these differences are exact.
struct Planes {
    double origin;

    /// The lower plane of a cell.
    AUREOLE_HD double below(std::int64_t cell) const { return static_cast<double>(cell) - origin; }

    /// Cells that [low, high] reaches into; a point on a plane is in the cell above it, an interval that ends
    /// there is not.
    AUREOLE_HD CellRange cells(double low, double high) const
    {
        CellRange range{floor_of(low + origin), floor_of(high + origin)};
        while (below(range.low) > low) --range.low;  // the sum above was rounded
        while (below(range.low + 1) <= low) ++range.low;
        while (below(range.high + 1) < high) ++range.high;
        while (range.high > range.low && below(range.high) >= high) --range.high;
        if (range.high < range.low) range.high = range.low;
        return range;
    }
};

/// The interval from low to high along one axis, divided into `cells`. A patch stores a window of them in the
/// coordinates of the whole axis, so patches share their faces to the last bit.
struct GridAxis {
    double low = 0, high = 0;  ///< in the unit of the positions
    std::int64_t cells = 0;
    CellRange window{0, -1};  ///< the cells that are stored; by default all

    AUREOLE_HD bool whole() const { return window.high < window.low; }
    AUREOLE_HD std::int64_t n_kept() const { return whole() ? cells : window.high - window.low + 1; }
    AUREOLE_HD CellRange kept() const { return whole() ? CellRange{0, cells - 1} : window; }
    AUREOLE_HD double cell_size() const { return (high - low) / static_cast<double>(cells); }
    AUREOLE_HD double centre(std::int64_t i) const
    {
        return low + (static_cast<double>(i) + 0.5) * cell_size();
    }
};

/// Stored cells are numbered with z fastest.
struct Grid {
    GridAxis axis[3];
    Box box;  ///< of the particles

    AUREOLE_HD std::int64_t n_cells() const { return axis[0].n_kept() * axis[1].n_kept() * axis[2].n_kept(); }
    AUREOLE_HD std::int64_t index(std::int64_t i, std::int64_t j, std::int64_t k) const
    {
        i -= axis[0].window.low;  // 0 where all are kept
        j -= axis[1].window.low;
        k -= axis[2].window.low;
        return (i * axis[1].n_kept() + j) * axis[2].n_kept() + k;
    }
    AUREOLE_HD bool covers_box(int a) const
    {
        return box.periodic() && axis[a].high - axis[a].low == box.side;
    }
    /// Whether all cells around the periodic box are stored.
    AUREOLE_HD bool wraps(int a) const { return covers_box(a) && axis[a].whole(); }
    AUREOLE_HD double cell_volume() const
    {
        return axis[0].cell_size() * axis[1].cell_size() * axis[2].cell_size();
    }
};

/// A periodic box as a grid of one cell: coordinates are multiples of 2^-52 of its side.
inline Grid box_as_one_cell(Box box)
{
    Grid grid;
    grid.box = box;
    for (GridAxis& axis : grid.axis) axis = {0, box.side, 1};
    return grid;
}

/// One axis of positions in cells of a grid.
struct CellCoordinate {
    double origin, per_cell, quantum;
    double per_quantum;  ///< 1 / quantum, exact
    double period;       ///< in cells, a multiple of the quantum; 0 in open space

    CellCoordinate() = default;
    CellCoordinate(const Grid& grid, int a)
        : origin(grid.axis[a].low),
          per_cell(static_cast<double>(grid.axis[a].cells) / (grid.axis[a].high - grid.axis[a].low))
    {
        const double n = static_cast<double>(grid.axis[a].cells);
        period = grid.covers_box(a) ? n : grid.box.side * per_cell;
        // A first corner in [0, period) and others within half of it: of images that reach into the grid,
        // which is not longer than a period, all corners are less than two periods from its planes. This is
        // what 53 bits hold; so a grid of twice the cells has the same quanta of space.
        const double largest = 2 * (period > 0 ? period : n);
        quantum = std::ldexp(1.0, std::ilogb(std::nextafter(largest, 0.0)) + 1 - 53);
        per_quantum = 1 / quantum;
        period = rounded(period);
    }

    AUREOLE_HD double rounded(double x) const { return std::rint(x * per_quantum) * quantum; }

    /// The coordinate of a position, in cells: in [0, period), or any number in open space.
    AUREOLE_HD double of(double position) const
    {
        const double x = rounded((position - origin) * per_cell);
        if (period == 0 || (x >= 0 && x < period)) return x;
        return wrapped(x - std::floor(x / period) * period);
    }

    /// The separation of the nearest images of two coordinates from their difference; exact.
    AUREOLE_HD double nearest(double difference) const
    {
        if (2 * difference > period) return difference - period;
        return 2 * difference < -period ? difference + period : difference;
    }

private:
    AUREOLE_HD double wrapped(double x) const
    {
        const double inside = rounded(x);
        return inside < 0 ? inside + period : inside >= period ? inside - period : inside;
    }
};

struct CellCoordinates {
    CellCoordinate x, y, z;

    explicit CellCoordinates(const Grid& grid) : x(grid, 0), y(grid, 1), z(grid, 2) {}

    AUREOLE_HD Vec3 of(Vec3 position) const { return {x.of(position.x), y.of(position.y), z.of(position.z)}; }
    AUREOLE_HD Vec3 nearest(Vec3 d) const { return {x.nearest(d.x), y.nearest(d.y), z.nearest(d.z)}; }
    AUREOLE_HD Vec3 period() const { return {x.period, y.period, z.period}; }
    AUREOLE_HD Vec3 quantum() const { return {x.quantum, y.quantum, z.quantum}; }
};

}  // namespace aureole::density
