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

/// Packed, two bits of x and three of y + 2 each: an array would be copied wherever it is used.
AUREOLE_HD inline CellRow half_row(int k)
{
    constexpr std::uint64_t xs = 0b10'10'10'10'01'01'10'00'01'01'01'00'00;
    constexpr std::uint64_t ys = 0b100'000'011'001'000'100'010'100'011'001'010'011'010;
    return {static_cast<std::int32_t>(xs >> 2 * k & 3), static_cast<std::int32_t>(ys >> 3 * k & 7) - 2};
}

/// Where a lane last found each row of the half: it goes through neighbouring cells, and so do its rows.
struct HalfRows {
    std::uint64_t offset[n_half_rows];  ///< from the key of a cell to the first of the row, away from faces
    Index hint[n_half_rows];

    AUREOLE_HD static HalfRows from(const CellGrid& grid, Index cell)
    {
        HalfRows rows;
        for (int k = 0; k < n_half_rows; ++k) {
            const CellRow row = half_row(k);
            const std::int32_t z = k == 0 ? 1 : -CellGrid::reach;
            rows.offset[k] = grid.key_of({row.x, row.y, z}) - grid.key_of({0, 0, 0});
            rows.hint[k] = cell;
        }
        return rows;
    }
};

/// Shows `action` the occupied cells with keys from `first` to `last`; `hint` remembers where they were
/// found.
template <class Action>
AUREOLE_HD inline void see_keys(const CellGrid& grid, std::uint64_t first, std::uint64_t last, Index& hint,
                                Action& action)
{
    hint = grid.first_not_below(first, hint);
    for (Index m = hint; grid.key(m) <= last; ++m) action.see_cell(m);
}

/// Shows `action` the occupied cells from place `from` to z = `last` in its row, all inside the grid; `hint`
/// remembers where it was found.
template <class Action>
AUREOLE_HD inline void see_row(const CellGrid& grid, CellPlace from, std::int32_t last, Index& hint,
                               Action& action)
{
    see_keys(grid, grid.key_of(from), grid.key_of({from.x, from.y, last}), hint, action);
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

/// Shows `action` every cell of the half around `cell`.
template <bool periodic, class Action>
AUREOLE_HD inline void see_half(const CellGrid& grid, Index cell, HalfRows& rows, Action& action)
{
    constexpr std::int32_t reach = CellGrid::reach;
    const std::uint64_t key = grid.key(cell);
    CellPlace place{};
    bool at_face = false;
    if constexpr (periodic) {
        place = grid.place_of_key(key);
        at_face = grid.is_at_face(place);
    }
    for (int k = 0; k < n_half_rows; ++k) {
        if (at_face) {
            const CellRow row = half_row(k);
            see_row_around<periodic>(grid,
                                     {place.x + row.x, place.y + row.y, place.z + (k == 0 ? 1 : -reach)},
                                     place.z + reach, rows.hint[k], action);
        } else {
            const std::uint64_t first = key + rows.offset[k];
            see_keys(grid, first, first + (k == 0 ? reach - 1 : 2 * reach), rows.hint[k], action);
        }
    }
}

}  // namespace aureole::halo
