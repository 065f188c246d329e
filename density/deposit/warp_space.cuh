// The shared memory of a warp that deposits tetrahedra, its lists, and the distribution of their items over
// lanes.
#pragma once

#include "density/deposit/tetrahedra_device.hpp"
#include "density/deposit/tile_overlap.hpp"
#include "sim/core/sums/warp_sums.cuh"

namespace aureole::density {

constexpr int lanes = 32;
constexpr int tile_xy = 8, tile_z = 4, tile_cells = tile_xy * tile_xy * tile_z;
__device__ constexpr int tile_side(int axis) { return axis < 2 ? tile_xy : tile_z; }
/// Along x at most 9 planes of 3 pieces each, and the whole.
constexpr int tile_pieces = 3 * (tile_xy + 1) + 1;

/// Adds to a 64-bit number in two halves: shared memory adds 32 bits at a time.
__device__ inline void add_to_cell(unsigned* low, unsigned* high, std::int64_t value)
{
    const auto part = static_cast<unsigned>(value);
    const unsigned before = atomicAdd(low, part);
    const unsigned carry = before + part < before ? 1 : 0;
    const unsigned rest = static_cast<unsigned>(value >> 32) + carry;
    if (rest != 0) atomicAdd(high, rest);
}

/// Numbers modulo 2^32 or 2^64 for each lane, to which all lanes add: 32 bits suffice for what rounding
/// leaves of a tetrahedron in double, but not in float.
template <int n, class Real>
class GivenSums {
public:
    using Count = unsigned;

    __device__ void clear(int lane)
    {
        for (int s = 0; s < n; ++s) sums_[s][lane] = 0;
    }
    __device__ void add(int s, int lane, std::int64_t value)
    {
        atomicAdd(&sums_[s][lane], static_cast<unsigned>(value));
    }
    __device__ Count get(int s, int lane) const { return sums_[s][lane]; }

private:
    unsigned sums_[n][lanes];
};

template <int n>
class GivenSums<n, float> {
public:
    using Count = std::uint64_t;

    __device__ void clear(int lane)
    {
        for (int s = 0; s < n; ++s) low_[s][lane] = high_[s][lane] = 0;
    }
    __device__ void add(int s, int lane, std::int64_t value)
    {
        add_to_cell(&low_[s][lane], &high_[s][lane], value);
    }
    __device__ Count get(int s, int lane) const { return Count{high_[s][lane]} << 32 | low_[s][lane]; }

private:
    unsigned low_[n][lanes], high_[n][lanes];
};

/// Warps of a thread block, limited by 64 kB of shared memory.
template <int carried>
constexpr int warps = carried > 0 ? 2 : 4;

__device__ inline int lane_number() { return static_cast<int>(threadIdx.x) % lanes; }

/// The shared memory of a warp. Arrays of [lanes] have a unit for each lane, which is one tile of its
/// tetrahedron; arrays of [most_pieces] have the pieces of slabs of all units. Pieces and shares are Real,
/// corners are exact.
template <int carried, class Real>
struct WarpSpace {
    static constexpr int n = n_sums<carried>;
    static constexpr int most_pieces = 2 * lanes;
    static_assert(tile_pieces <= most_pieces);
    static constexpr int most_cells = (carried > 0 ? 1 : 2) * tile_cells;
    double corner[4][3 + carried][lanes];
    Real piece_corner[4][2 + carried][most_pieces], piece_share[most_pieces];
    unsigned note[most_pieces];  ///< a PieceNote
    int row_begin[most_pieces];
    unsigned cell_low[most_cells * n], cell_high[most_cells * n];  ///< zero between tiles
    int cells[3][lanes], low[3][lanes], size[3][lanes], first[3][lanes];
    unsigned part_pieces[lanes];  ///< how many pieces each part along x has, two bits for each
    int piece_begin[lanes], cell_begin[lanes];
    GivenSums<n, Real> given;  ///< what the unit gave to the patch
    unsigned largest[lanes];   ///< a share's leading bits, then its cell
};

constexpr int outside = -1;

/// The unit of a slab's piece, the slab that gets it and the one that loses it (in the tile or outside), and
/// its rows. Packed into 30 bits, as shared memory limits the number of warps.
struct PieceNote {
    int unit, slab_to, slab_from;
    int first_plane, planes,
        middle;  ///< of rows, from the tile's first; the middle only as far as planes see it

    __device__ PieceNote(int of_unit, int to, int from, const AxisParts& rows, int low)
        : unit(of_unit),
          slab_to(to),
          slab_from(from),
          first_plane(rows.planes > 0 ? rows.first_plane - low : 0),
          planes(rows.planes),
          middle(rows.middle - low)
    {
        const int last = first_plane + planes;
        middle = middle < -1 ? -1 : middle > last ? last : middle;
        if (rows.has_whole) middle = rows.middle - low;
    }

    __device__ unsigned packed() const
    {
        return static_cast<unsigned>(unit | (slab_to + 1) << 5 | (slab_from + 1) << 9 | first_plane << 13 |
                                     planes << 17 | (middle + 1) << 21);
    }
    __device__ static PieceNote of(unsigned bits)
    {
        const auto field = [bits](int from) { return static_cast<int>(bits >> from & 15); };
        return {static_cast<int>(bits & 31), field(5) - 1, field(9) - 1, field(13), field(17), field(21) - 1};
    }

    __device__ AxisPart row(int i, int low) const { return {first_plane + low, planes, middle + low, i}; }

private:
    __device__ PieceNote(int u, int to, int from, int plane, int n_planes, int m)
        : unit(u), slab_to(to), slab_from(from), first_plane(plane), planes(n_planes), middle(m)
    {
    }
};

/// The last of n (a power of two) that begins at or before `item`.
template <int n>
__device__ int owner_of(const int (&begin)[n], int item)
{
    int owner = 0;
    for (int step = n / 2; step > 0; step /= 2)
        if (begin[owner + step] <= item) owner += step;
    return owner;
}

/// Calls body(item) for 0 <= item < n, 32 at a time. The barrier makes lanes converge again after work of
/// different length.
template <class Body>
__device__ void for_each_item(int n, Body&& body)
{
    AUREOLE_ROLLED
    for (int begin = 0; begin < n; begin += lanes) {
        if (begin + lane_number() < n) body(begin + lane_number());
        __syncwarp();
    }
}

/// The cells of one tetrahedron that lie in the patch, from its first cell, and their tiles.
struct Tiling {
    int low[3], n[3];
    bool whole = true;  ///< all its cells are in the patch

    template <int carried>
    __device__ Tiling(const FramedTetrahedron<carried>& t, const Grid& grid)
    {
        for (int a = 0; a < 3; ++a) {
            int high = t.cells[a];
            low[a] = 0;
            if (!grid.wraps(a)) {
                const CellRange kept = grid.axis[a].kept();
                const int first = static_cast<int>(kept.low - t.first[a]);
                const int end = static_cast<int>(kept.high + 1 - t.first[a]);
                low[a] = first > 0 ? first : 0;
                high = high < end ? high : end;
            }
            n[a] = high - low[a];
            whole = whole && n[a] == t.cells[a];
        }
    }

    __device__ int tiles(int a) const { return n[a] > 0 ? (n[a] - 1) / tile_side(a) + 1 : 0; }
    __device__ int total() const { return tiles(0) * tiles(1) * tiles(2); }
};

/// Cells low .. low + n - 1 along each axis, from the tetrahedron's first one.
struct Tile {
    int low[3], n[3];

    __device__ Tile(int number, const Tiling& tiling)
    {
        const int z = tiling.tiles(2), y = tiling.tiles(1);
        const int at[3] = {number / z / y, number / z % y, number % z};
        for (int a = 0; a < 3; ++a) {
            const int begin = at[a] * tile_side(a), left = tiling.n[a] - begin;
            low[a] = tiling.low[a] + begin;
            n[a] = left < tile_side(a) ? left : tile_side(a);
        }
    }

    __device__ int cells() const { return n[0] * n[1] * n[2]; }
};

}  // namespace aureole::density
