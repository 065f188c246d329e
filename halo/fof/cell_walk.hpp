// The walk over a grid: from a cell to the occupied cells around it.
#pragma once

#include "halo/fof/cell_grid.hpp"

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

/// From the key of a cell to the first place of half row k, where no axis is left through a face.
AUREOLE_HD inline std::uint64_t half_row_offset(const CellGrid& grid, int k)
{
    const CellRow row = half_row(k);
    const std::int32_t z = k == 0 ? 1 : -CellGrid::reach;
    return grid.key_of({row.x, row.y, z}) - grid.key_of({0, 0, 0});
}

/// Seeks cells from where it found one last: for a lane that goes through neighbouring cells.
struct RememberedCell {
    Index cell;

    AUREOLE_HD Index seek(const CellGrid& grid, std::uint64_t wanted)
    {
        return cell = grid.first_not_below(wanted, cell);
    }
};

/// What a lane remembers of every row of the half.
struct RememberedRows {
    std::uint64_t offset[n_half_rows];
    RememberedCell row[n_half_rows];

    AUREOLE_HD static RememberedRows from(const CellGrid& grid, Index cell)
    {
        RememberedRows rows;
        for (int k = 0; k < n_half_rows; ++k) {
            rows.offset[k] = half_row_offset(grid, k);
            rows.row[k] = {cell};
        }
        return rows;
    }
};

AUREOLE_HD inline std::int32_t wrapped_place(std::int32_t place, std::int32_t n)
{
    return place < 0 ? place + n : place >= n ? place - n : place;
}

/// Keys of neighbouring places in one row; none where the last is below the first.
struct KeyRange {
    std::uint64_t first, last;

    AUREOLE_HD bool any() const { return first <= last; }
    AUREOLE_HD static KeyRange none() { return {1, 0}; }
};

/// A row of a periodic grid that leaves through a face continues at the other.
template <bool periodic>
inline constexpr int n_row_pieces = periodic ? 2 : 1;

AUREOLE_HD inline KeyRange keys_of_row(const CellGrid& grid, CellPlace from, std::int32_t last)
{
    return {grid.key_of(from), grid.key_of({from.x, from.y, last})};
}

/// The places from `from` to z = `last` in its row, which may lie outside by up to `reach`; in open space
/// nothing lies there.
template <bool periodic>
AUREOLE_HD inline KeyRange row_piece(const CellGrid& grid, CellPlace from, std::int32_t last, int piece)
{
    if constexpr (!periodic) {
        if (from.x < 0 || from.x >= grid.n.x || from.y < 0 || from.y >= grid.n.y) return KeyRange::none();
        return keys_of_row(grid, from, last);
    }
    const std::int32_t n = grid.n.z, end = n - 1;
    CellPlace begin{wrapped_place(from.x, grid.n.x), wrapped_place(from.y, grid.n.y), from.z};
    if (piece == 0) {
        begin.z = from.z > 0 ? from.z : 0;
        last = last < end ? last : end;
        return begin.z <= last ? keys_of_row(grid, begin, last) : KeyRange::none();
    }
    if (from.z < 0) {
        begin.z = from.z + n;
        return keys_of_row(grid, begin, last < 0 ? last + n : end);
    }
    if (last <= end) return KeyRange::none();
    begin.z = from.z > end ? from.z - n : 0;
    return keys_of_row(grid, begin, last - n);
}

/// A piece of half row k around a cell at a face.
template <bool periodic>
AUREOLE_HD inline KeyRange half_row_piece(const CellGrid& grid, CellPlace place, int k, int piece)
{
    const CellRow row = half_row(k);
    const CellPlace from{place.x + row.x, place.y + row.y, place.z + (k == 0 ? 1 : -CellGrid::reach)};
    return row_piece<periodic>(grid, from, place.z + CellGrid::reach, piece);
}

/// Half row k around the cell of this key, away from faces; in open space, where places outside have keys of
/// their own, around any cell.
AUREOLE_HD inline KeyRange half_row_keys(std::uint64_t key, std::uint64_t offset, int k)
{
    const std::uint64_t first = key + offset;
    return {first, first + (k == 0 ? CellGrid::reach - 1 : 2 * CellGrid::reach)};
}

/// Shows `neighbours` the occupied cells of a range.
template <class Seeker, class Visitor>
AUREOLE_HD inline void see_keys(const CellGrid& grid, KeyRange keys, Seeker& seeker, Visitor& neighbours)
{
    if (!keys.any() || !grid.may_hold(keys.first, keys.last)) return;
    for (Index m = seeker.seek(grid, keys.first); grid.key(m) <= keys.last; ++m) neighbours.see_cell(m);
}

/// Shows `neighbours` all occupied cells within reach of `place`, its own too.
template <bool periodic, class Visitor>
AUREOLE_HD inline void see_cells_near(const CellGrid& grid, CellPlace place, Visitor& neighbours)
{
    constexpr std::int32_t reach = CellGrid::reach;
    RememberedCell seeker{grid.n_cells / 2};
    for (std::int32_t x = -reach; x <= reach; ++x)
        for (std::int32_t y = -reach; y <= reach; ++y)
            for (int piece = 0; piece < n_row_pieces<periodic>; ++piece)
                see_keys(grid,
                         row_piece<periodic>(grid, {place.x + x, place.y + y, place.z - reach},
                                             place.z + reach, piece),
                         seeker, neighbours);
}

/// Shows `neighbours` every cell of the half around `cell`; its lane goes through neighbouring cells.
template <bool periodic, class Visitor>
AUREOLE_HD inline void see_half(const CellGrid& grid, Index cell, RememberedRows& rows, Visitor& neighbours)
{
    const std::uint64_t key = grid.key(cell);
    CellPlace place{};
    bool at_face = false;
    if constexpr (periodic) {
        place = grid.place_of_key(key);
        at_face = grid.is_at_face(place);
    }
    for (int k = 0; k < n_half_rows; ++k) {
        if (at_face) {
            RememberedCell elsewhere = rows.row[k];
            see_keys(grid, half_row_piece<periodic>(grid, place, k, 0), rows.row[k], neighbours);
            see_keys(grid, half_row_piece<periodic>(grid, place, k, 1), elsewhere, neighbours);
        } else {
            see_keys(grid, half_row_keys(key, rows.offset[k], k), rows.row[k], neighbours);
        }
    }
}

}  // namespace aureole::halo
