// Boxes of cells, and the planes between cells.
#pragma once

#include <cstdint>

#include "sim/core/backend.hpp"

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

struct CellBox {
    CellRange axis[3];

    AUREOLE_HD bool empty() const { return axis[0].empty() || axis[1].empty() || axis[2].empty(); }
    AUREOLE_HD bool one_cell() const
    {
        return axis[0].size() == 1 && axis[1].size() == 1 && axis[2].size() == 1;
    }
    AUREOLE_HD CellBox within(const CellBox& other) const
    {
        return {
            {axis[0].within(other.axis[0]), axis[1].within(other.axis[1]), axis[2].within(other.axis[2])}};
    }
    AUREOLE_HD bool same_size(const CellBox& other) const
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

}  // namespace aureole::density
