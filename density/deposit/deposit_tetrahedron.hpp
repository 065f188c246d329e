// Adds one tetrahedron to the sums of a grid: the images of it that reach into the grid, its cells, and the
// fixed-point numbers that are added. What rounding leaves goes to the cell with the largest share, so that
// the cells of a tetrahedron add up to its mass and momentum exactly.
#pragma once

#include "density/deposit/overlap.hpp"
#include "density/sheet/orientation.hpp"
#include "density/sheet/tessellation.hpp"
#include "sim/core/sums/fixed_sum.hpp"

namespace aureole::density {

/// Sums of a grid: `n_sums` for each cell one after the other, in units of one tetrahedron's mass, the unit
/// of speed and its square.
///
/// Some planes of cells across x may be stored alone: a tetrahedron is then computed as for the whole grid,
/// and what other cells get of it is dropped, so that planes that were filled apart have the bits of the
/// whole.
struct GridSums {
    Grid grid;
    FixedSum* sums;
    CellRange planes{0, -1};  ///< those that are stored, of a grid without windows; by default all

    static constexpr std::int64_t not_stored = -1;

    AUREOLE_HD bool stores_all() const { return planes.empty(); }
    /// Whether cells in the range along x may be stored; a range around the period may be any image of it.
    AUREOLE_HD bool stores_some(CellRange x) const
    {
        if (stores_all()) return true;
        const auto meets = [&](std::int64_t shift) {
            return x.low + shift <= planes.high && x.high + shift >= planes.low;
        };
        const std::int64_t n = grid.axis[0].cells;
        return meets(0) || (grid.wraps(0) && (meets(n) || meets(-n)));
    }

    /// The image in [0, n) of a cell number in [-n, 2n): corners are within half a period of the box.
    AUREOLE_HD static std::int64_t around(std::int64_t i, std::int64_t n)
    {
        return i < 0 ? i + n : i >= n ? i - n : i;
    }

    /// The index of a cell, or not_stored; along an axis that wraps any image of the cell may be given.
    AUREOLE_HD std::int64_t cell(std::int64_t i, std::int64_t j, std::int64_t k) const
    {
        if (stores_all()) return cell_of_all(i, j, k);
        i = around(i, grid.axis[0].cells);
        if (i < planes.low || i > planes.high) return not_stored;
        return grid.index(i - planes.low, around(j, grid.axis[1].cells), around(k, grid.axis[2].cells));
    }
    /// The same where all planes are stored.
    AUREOLE_HD std::int64_t cell_of_all(std::int64_t i, std::int64_t j, std::int64_t k) const
    {
        return grid.index(around(i, grid.axis[0].cells), around(j, grid.axis[1].cells),
                          around(k, grid.axis[2].cells));
    }
};

/// The cells of a grid that a tetrahedron may overlap; along an axis that wraps, all images of them.
AUREOLE_HD inline IndexBox cells_of(const Grid& grid)
{
    constexpr std::int64_t far = std::int64_t{1} << 60;
    IndexBox box{};
    for (int axis = 0; axis < 3; ++axis)
        box.axis[axis] = grid.wraps(axis) ? CellRange{-far, far} : grid.axis[axis].kept();
    return box;
}

/// Calls body(shift) for every shift by -1 to 1 periods along each axis, but only 0 along axes that wrap or
/// are open.
template <class Body>
AUREOLE_HD void for_each_image(const Grid& grid, Vec3 period, Body&& body)
{
    const int x = grid.wraps(0) || period.x == 0 ? 0 : 1, y = grid.wraps(1) || period.y == 0 ? 0 : 1,
              z = grid.wraps(2) || period.z == 0 ? 0 : 1;
    for (int i = -x; i <= x; ++i)
        for (int j = -y; j <= y; ++j)
            for (int k = -z; k <= z; ++k) body(Vec3{i * period.x, j * period.y, k * period.z});
}

/// Shifts by first to last periods, -1 to 1, for which [low, high] reaches into the grid.
struct ImageRange {
    int first = 0, last = 0;

    AUREOLE_HD bool empty() const { return last < first; }

    AUREOLE_HD static ImageRange of(const Grid& grid, int axis, double period, double low, double high)
    {
        if (grid.wraps(axis) || period == 0) return {};
        const CellRange kept = grid.axis[axis].kept();
        const auto begin = static_cast<double>(kept.low), end = static_cast<double>(kept.high + 1);
        ImageRange range{-1, 1};
        while (range.first <= 1 && high + range.first * period < begin) ++range.first;
        while (range.last >= range.first && low + range.last * period >= end) --range.last;
        return range;
    }
};

/// The bounding box of corners, in cells, and the shifts by periods that move it into a grid.
struct CornerExtent {
    Vec3 low, high;

    AUREOLE_HD CornerExtent(const Vec3* corner, int count) : low(corner[0]), high(corner[0])
    {
        for (int c = 1; c < count; ++c) {
            const Vec3 x = corner[c];
            low = {x.x < low.x ? x.x : low.x, x.y < low.y ? x.y : low.y, x.z < low.z ? x.z : low.z};
            high = {x.x > high.x ? x.x : high.x, x.y > high.y ? x.y : high.y, x.z > high.z ? x.z : high.z};
        }
    }

    AUREOLE_HD ImageRange images(const Grid& grid, int axis, Vec3 period) const
    {
        return ImageRange::of(grid, axis, component(period, axis), component(low, axis),
                              component(high, axis));
    }
    AUREOLE_HD bool reaches(const Grid& grid, Vec3 period) const
    {
        return !images(grid, 0, period).empty() && !images(grid, 1, period).empty() &&
               !images(grid, 2, period).empty();
    }
};

/// Calls body(shift) for the images of a tetrahedron whose bounding box reaches into the grid.
template <class Body>
AUREOLE_HD void for_each_image(const Grid& grid, Vec3 period, const Tetrahedron& first, Body&& body)
{
    const CornerExtent extent(first.corner, 4);
    const ImageRange x = extent.images(grid, 0, period), y = extent.images(grid, 1, period),
                     z = extent.images(grid, 2, period);
    for (int i = x.first; i <= x.last; ++i)
        for (int j = y.first; j <= y.last; ++j)
            for (int k = z.first; k <= z.last; ++k) body(Vec3{i * period.x, j * period.y, k * period.z});
}

/// Adds the shares of a tetrahedron to its cells in fixed point and keeps their sum and the largest share.
template <int carried>
struct TetrahedronSums {
    const GridSums& to;
    std::int64_t given[n_sums<carried>] = {};
    double largest_share = 0;
    std::int64_t largest_cell = 0;

    AUREOLE_HD void operator()(const std::int64_t (&numbers)[3], const double* sums)
    {
        const std::int64_t cell = to.cell(numbers[0], numbers[1], numbers[2]);
        for (int s = 0; s < n_sums<carried>; ++s) {
            const std::int64_t term = to_fixed(sums[s]);
            given[s] += term;
            if (cell != GridSums::not_stored) aureole::atomic_add(to.sums + cell * n_sums<carried> + s, term);
        }
        if (sums[0] <= largest_share) return;
        largest_share = sums[0];
        largest_cell = cell;
    }

    /// Gives what rounding left to the cell with the largest share, after all cells have theirs.
    AUREOLE_HD void give_rest(const Piece<carried>& whole)
    {
        if (largest_cell == GridSums::not_stored) return;
        double total[n_sums<carried>] = {};
        add_moments(whole, total);
        for (int s = 0; s < n_sums<carried>; ++s)
            aureole::atomic_add(to.sums + largest_cell * n_sums<carried> + s, to_fixed(total[s]) - given[s]);
    }
};

/// A tetrahedron within one cell needs no clipping and one addition.
template <int carried>
AUREOLE_HD void deposit_within(const Piece<carried>& whole, const IndexBox& cell,
                               TetrahedronSums<carried>& sums_of_cells)
{
    double sums[n_sums<carried>] = {};
    add_moments(whole, sums);
    const std::int64_t numbers[3] = {cell.axis[0].low, cell.axis[1].low, cell.axis[2].low};
    sums_of_cells(numbers, sums);
}

/// The bounding cells of a tetrahedron that are in the grid; empty when it does not reach into it.
AUREOLE_HD inline IndexBox kept_cells(const Tetrahedron& t, const Grid& grid)
{
    return bounding_cells(t).within(cells_of(grid));
}

/// Adds one image of a tetrahedron to the grid. `whole` is whole_piece() of it; `scratch` has
/// overlap_scratch() doubles for its kept_cells(), which must not be empty. Only these are computed: a grid
/// may be a small part of a tetrahedron with more cells than fit into memory.
template <int carried>
AUREOLE_HD void deposit_image(const Tetrahedron& t, const Piece<carried>& whole, const GridSums& to,
                              double* scratch)
{
    const IndexBox full = bounding_cells(t), kept = kept_cells(t, to.grid);
    TetrahedronSums<carried> sums_of_cells{to};
    if (full.one_cell()) return deposit_within(whole, full, sums_of_cells);
    overlap(whole, t.corner[0], full, kept, scratch, sums_of_cells);
    if (kept.same_size(full)) sums_of_cells.give_rest(whole);
}

/// Adds 1 to the stream count of every cell whose centre the tetrahedron contains.
AUREOLE_HD inline void count_image(const Tetrahedron& t, const GridSums& to, Vec3 quantum, Index* streams)
{
    const IndexBox kept = kept_cells(t, to.grid);
    const CellRange x = kept.axis[0], y = kept.axis[1], z = kept.axis[2];
    for (std::int64_t i = x.low; i <= x.high; ++i)
        for (std::int64_t j = y.low; j <= y.high; ++j)
            for (std::int64_t k = z.low; k <= z.high; ++k) {
                const Vec3 centre{static_cast<double>(i) + 0.5, static_cast<double>(j) + 0.5,
                                  static_cast<double>(k) + 0.5};
                const std::int64_t cell = to.cell(i, j, k);
                if (cell != GridSums::not_stored && holds(t, centre, quantum) != 0)
                    aureole::atomic_add(streams + cell, Index{1});
            }
}

}  // namespace aureole::density
