// The walk over a grid: from a cell to the occupied cells around it.
#pragma once

#include "halo/cell_grid.hpp"

namespace aureole::halo {

/// Rows of cells around a cell, those nearby first; after the own row come half of the others, so that every
/// pair of cells is met from one side only.
struct CellRow {
    std::int32_t x, y;
};

inline constexpr int n_half_rows = 13;

AUREOLE_HD inline CellRow half_row(int k)
{
    constexpr CellRow rows[n_half_rows] = {{0, 0}, {0, 1},  {1, 0},  {1, -1}, {1, 1},  {0, 2}, {2, 0},
                                           {1, 2}, {1, -2}, {2, -1}, {2, 1},  {2, -2}, {2, 2}};
    return rows[k];
}

/// Shows `action` the occupied cells from place `from` to z = `last` in its row, all inside the grid; `hint`
/// remembers where it was found.
template <class Action>
AUREOLE_HD inline void see_row(const CellGrid& grid, CellPlace from, std::int32_t last, Index& hint,
                               Action& action)
{
    const std::uint64_t last_key = grid.key_of({from.x, from.y, last});
    hint = grid.first_not_below(grid.key_of(from), hint);
    for (Index m = hint; m < grid.n_cells && grid.key(m) <= last_key; ++m) action.see_cell(m);
}

AUREOLE_HD inline std::int32_t wrapped_place(std::int32_t place, std::int32_t n)
{
    return place < 0 ? place + n : place >= n ? place - n : place;
}

/// The same with all of it shifted around a periodic grid, where `from` and `last` may lie outside by up to
/// `reach`; in open space nothing lies there.
template <bool periodic, class Action>
AUREOLE_HD inline void see_row_around(const CellGrid& grid, CellPlace from, std::int32_t last, Index& hint,
                                      Action& action)
{
    if constexpr (!periodic) {
        if (from.x < 0 || from.x >= grid.n.x || from.y < 0 || from.y >= grid.n.y) return;
        see_row(grid, from, last, hint, action);
    } else {
        const CellPlace row{wrapped_place(from.x, grid.n.x), wrapped_place(from.y, grid.n.y), 0};
        const std::int32_t end = grid.n.z - 1;
        const std::int32_t low = from.z > 0 ? from.z : 0, high = last < end ? last : end;
        Index elsewhere = hint;
        if (low <= high) see_row(grid, {row.x, row.y, low}, high, hint, action);
        if (from.z < 0)
            see_row(grid, {row.x, row.y, from.z + grid.n.z}, last < 0 ? last + grid.n.z : end, elsewhere,
                    action);
        if (last > end)
            see_row(grid, {row.x, row.y, from.z > end ? from.z - grid.n.z : 0}, last - grid.n.z, elsewhere,
                    action);
    }
}

/// Shows `action` all occupied cells within reach of `place`, its own too.
template <bool periodic, class Action>
AUREOLE_HD inline void see_cells_near(const CellGrid& grid, CellPlace place, Action& action)
{
    Index hint = grid.n_cells / 2;
    for (std::int32_t x = -CellGrid::reach; x <= CellGrid::reach; ++x)
        for (std::int32_t y = -CellGrid::reach; y <= CellGrid::reach; ++y)
            see_row_around<periodic>(grid, {place.x + x, place.y + y, place.z - CellGrid::reach},
                                     place.z + CellGrid::reach, hint, action);
}

}  // namespace aureole::halo
