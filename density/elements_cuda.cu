// Tetrahedra onto patches of cells. A block of threads takes a sixth of a task,
// one tetrahedron of each cube, each of its warps 32 tetrahedra at a
// time: a lane loads one and counts it from its first cell; then the warp shares out pieces of slabs of as
// many tiles as it has room for, then their parts in rows, then the cells (as Kaehler's kernel shares out
// cells). So warps are full whatever the sizes of tetrahedra. Cells of a tile are fixed-point numbers in
// shared memory, to which any thread adds at any time; what leaves it for the grid is exact too. Cost: for
// 3^3 cells some ten rows of a few hundred double operations.
#include "density/elements_device.hpp"
#include "density/tile_overlap.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::density {
namespace {

constexpr int lanes = 32;
constexpr int tile_xy = 8, tile_z = 4, tile_cells = tile_xy * tile_xy * tile_z;
__device__ constexpr int tile_side(int axis) { return axis < 2 ? tile_xy : tile_z; }
/// Along x at most 9 planes of 3 pieces each, and the whole.
constexpr int tile_pieces = 3 * (tile_xy + 1) + 1;

/// Warps of a block; shared memory of 64 kB must do.
template <int carried>
constexpr int warps = carried > 0 ? 2 : 4;

__device__ int lane_number() { return static_cast<int>(threadIdx.x) % lanes; }

/// What a warp works on, in shared memory. [lanes]: a unit for each lane, one tile of its tetrahedron;
/// [most_pieces]: the pieces of slabs of all units; sums of cells of all units.
template <int carried>
struct WarpSpace {
    static constexpr int n = n_sums<carried>;
    static constexpr int most_pieces = 2 * lanes;
    static_assert(tile_pieces <= most_pieces);
    static constexpr int most_cells = (carried > 0 ? 1 : 2) * tile_cells;
    double corner[4][3 + carried][lanes];
    double piece_corner[4][2 + carried][most_pieces], piece_share[most_pieces];
    unsigned note[most_pieces];  ///< a PieceNote
    int row_begin[most_pieces];
    unsigned cell_low[most_cells * n], cell_high[most_cells * n];  ///< zero between tiles
    int cells[3][lanes], low[3][lanes], size[3][lanes], first[3][lanes];
    unsigned part_pieces[lanes];  ///< how many pieces each part along x has, two bits for each
    int piece_begin[lanes], cell_begin[lanes];
    unsigned given[n][lanes];  ///< low bits of what the unit gave to the patch
    unsigned largest[lanes];   ///< a share's leading bits, then its cell
};

constexpr int outside = -1;

/// Where a slab's piece belongs: its unit, the slab that is given it and the one that loses it (in the tile,
/// or outside), and its rows. In 30 bits, as shared memory is what limits the number of warps.
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

/// Sums over the lanes up to and with this one.
__device__ int inclusive_sum(int value)
{
    for (int step = 1; step < lanes; step *= 2) {
        const int other = __shfl_up_sync(~0u, value, step);
        if (lane_number() >= step) value += other;
    }
    return value;
}

/// The last of n (a power of two) that begins at or before `item`.
template <int n>
__device__ int owner_of(const int (&begin)[n], int item)
{
    int owner = 0;
    for (int step = n / 2; step > 0; step /= 2)
        if (begin[owner + step] <= item) owner += step;
    return owner;
}

/// body(item) for 0 <= item < n, 32 at a time. The barrier keeps lanes together: left to themselves they run
/// on alone once their work has differed.
template <class Body>
__device__ void for_each_item(int n, Body&& body)
{
    AUREOLE_ROLLED
    for (int begin = 0; begin < n; begin += lanes) {
        if (begin + lane_number() < n) body(begin + lane_number());
        __syncwarp();
    }
}

/// Adds to a 64-bit number in two halves: shared memory adds 32 bits at a time.
__device__ void add_to_cell(unsigned* low, unsigned* high, std::int64_t value)
{
    const auto part = static_cast<unsigned>(value);
    const unsigned before = atomicAdd(low, part);
    const unsigned carry = before + part < before ? 1 : 0;
    const unsigned rest = static_cast<unsigned>(value >> 32) + carry;
    if (rest != 0) atomicAdd(high, rest);
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

template <int carried, bool streams>
class WarpDeposit {
    static constexpr int n = n_sums<carried>;
    using Space = WarpSpace<carried>;

public:
    __device__ WarpDeposit(Space& space, const DevicePatch& patch) : space_(space), patch_(patch)
    {
        for (int c = lane_number(); c < Space::most_cells * n; c += lanes)
            space_.cell_low[c] = space_.cell_high[c] = 0;
        __syncwarp();
    }

    /// All lanes call; those that are not `active` have no tetrahedron.
    __device__ void operator()(bool active, const FramedTetrahedron<carried>& framed)
    {
        const Tiling tiling(framed, patch_.sums.grid);
        const int n_tiles = active ? tiling.total() : 0;
        if (!__any_sync(~0u, n_tiles > 0)) return;
        keep(framed);
        Given given;
        for (int tile = 0; __any_sync(~0u, tile < n_tiles);) {
            if (n_tiles > 1)
                while (tile < n_tiles && misses(Tile(tile, tiling))) ++tile;
            __syncwarp();
            const bool taken = take(tile < n_tiles, tile, tiling);
            __syncwarp();
            cut_slabs();
            count_rows();
            __syncwarp();
            cut_rows();
            __syncwarp();
            give_cells();
            __syncwarp();
            if (taken) {
                account(given);
                ++tile;
            }
        }
        if (n_tiles > 0 && tiling.whole) give_rest(given);
        __syncwarp();
    }

private:
    /// What a tetrahedron has given with its tiles, modulo 2^32, and where most went.
    struct Given {
        unsigned sums[n] = {};
        unsigned largest = 0;
        std::int64_t largest_cell = 0;
    };

    /// Rows of cells that are given a piece, and those that lose it.
    struct RowTargets {
        int unit = 0, to_to = none, from_to = none, to_from = none, from_from = none;

        RowTargets() = default;
        __device__ RowTargets(const Space& space, const PieceNote& note, const AxisPart& row)
            : unit(note.unit)
        {
            const int u = note.unit, low = space.low[1][u], ny = space.size[1][u], nz = space.size[2][u];
            const int begin = space.cell_begin[u] - space.low[2][u];
            const auto at = [&](int i, int j) {
                const bool inside = i != outside && j >= low && j < low + ny;
                return inside ? begin + (i * ny + j - low) * nz : none;
            };
            to_to = at(note.slab_to, row.to());
            from_to = at(note.slab_from, row.to());
            to_from = row.whole ? none : at(note.slab_to, row.from());
            from_from = row.whole ? none : at(note.slab_from, row.from());
        }

        __device__ RowTargets of_lane(int source) const
        {
            RowTargets other;
            other.unit = __shfl_sync(~0u, unit, source);
            other.to_to = __shfl_sync(~0u, to_to, source);
            other.from_to = __shfl_sync(~0u, from_to, source);
            other.to_from = __shfl_sync(~0u, to_from, source);
            other.from_from = __shfl_sync(~0u, from_from, source);
            return other;
        }

        __device__ void add(Space& space, int k, const std::int64_t (&sums)[n]) const
        {
            add(space, to_to, k, sums, 1);
            add(space, from_to, k, sums, -1);
            add(space, to_from, k, sums, -1);
            add(space, from_from, k, sums, 1);
        }

    private:
        static constexpr int none = -(1 << 30);

        __device__ static void add(Space& space, int row, int k, const std::int64_t (&sums)[n], int sign)
        {
            if (row == none) return;
            for (int s = 0; s < n; ++s)
                add_to_cell(space.cell_low + (row + k) * n + s, space.cell_high + (row + k) * n + s,
                            sign * sums[s]);
        }
    };

    __device__ void keep(const FramedTetrahedron<carried>& framed)
    {
        const int lane = lane_number();
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 3 + carried; ++k) space_.corner[c][k][lane] = framed.corner[c][k];
        for (int a = 0; a < 3; ++a) {
            space_.cells[a][lane] = framed.cells[a];
            space_.first[a][lane] = static_cast<int>(framed.first[a]);
        }
    }

    __device__ Vec3 corner(int c, int u) const
    {
        return {space_.corner[c][0][u], space_.corner[c][1][u], space_.corner[c][2][u]};
    }

    /// Is the plane of a face, or its parallel through the fourth corner, between the tile and the
    /// tetrahedron?
    __device__ bool misses(const Tile& tile) const
    {
        const int lane = lane_number();
        const Vec3 half{0.5 * tile.n[0], 0.5 * tile.n[1], 0.5 * tile.n[2]};
        const Vec3 middle{tile.low[0] + half.x, tile.low[1] + half.y, tile.low[2] + half.z};
        const double extent = space_.cells[0][lane] + space_.cells[1][lane] + space_.cells[2][lane];
        const double rounding = 1e-14 * extent * extent * extent;  // of `at`; some 2^-53 of it, a few times
        for (int f = 0; f < 4; ++f) {
            const Vec3 a = corner(f, lane), d = corner((f + 3) & 3, lane);
            const Vec3 normal = cross(corner((f + 1) & 3, lane) - a, corner((f + 2) & 3, lane) - a);
            const Vec3 size{std::fabs(normal.x), std::fabs(normal.y), std::fabs(normal.z)};
            const double reach = dot(size, half), margin = 1e-9 * (size.x + size.y + size.z) + rounding;
            const double at = dot(normal, middle - a), tip = dot(normal, d - a);
            const double low = tip < 0 ? tip : 0, high = tip < 0 ? 0 : tip;
            if (at - reach > high + margin || at + reach < low - margin) return true;
        }
        return false;
    }

    __device__ AxisParts slab_parts(int u) const
    {
        const PieceSpan span(space_.corner[0][0][u], space_.corner[1][0][u], space_.corner[2][0][u],
                             space_.corner[3][0][u], space_.cells[0][u]);
        return {span, space_.low[0][u], space_.size[0][u]};
    }

    /// Puts this lane's tile on the list if there is room; returns whether.
    __device__ bool take(bool wanted, int number, const Tiling& tiling)
    {
        const int lane = lane_number();
        int cells = 0, pieces = 0;
        unsigned part_pieces = 0;
        if (wanted) {
            const Tile tile(number, tiling);
            cells = tile.cells();
            for (int a = 0; a < 3; ++a) {
                space_.low[a][lane] = tile.low[a];
                space_.size[a][lane] = tile.n[a];
            }
            const AxisParts parts = slab_parts(lane);
            for (int part = 0; part < parts.count(); ++part) {
                const int of_part = slab_pieces(AxisPart(parts, part),
                                                [&](int c, int k) { return space_.corner[c][k][lane]; });
                part_pieces |= static_cast<unsigned>(of_part) << (2 * part);
                pieces += of_part;
            }
        }
        const int both = pieces << 16 | cells, end = inclusive_sum(both);
        const bool taken = wanted && end >> 16 <= Space::most_pieces && (end & 0xffff) <= Space::most_cells;
        const unsigned takers = __ballot_sync(~0u, taken);
        const int total = __shfl_sync(~0u, end, takers == 0 ? 0 : lanes - 1 - __clz(takers));
        n_pieces_ = takers == 0 ? 0 : total >> 16;
        n_cells_ = takers == 0 ? 0 : total & 0xffff;
        space_.part_pieces[lane] = part_pieces;
        space_.piece_begin[lane] = (end - both) >> 16;  // of lanes that are not taken: none's or beyond all
        space_.cell_begin[lane] = (end - both) & 0xffff;
        space_.largest[lane] = 0;
        for (int s = 0; s < n; ++s) space_.given[s][lane] = 0;
        return taken;
    }

    __device__ void cut_slabs()
    {
        for_each_item(n_pieces_, [&](int q) {
            const int u = owner_of(space_.piece_begin, q);
            int part = 0, m = q - space_.piece_begin[u];
            unsigned counts = space_.part_pieces[u];
            for (; m >= static_cast<int>(counts & 3); counts >>= 2, ++part) m -= static_cast<int>(counts & 3);
            const AxisPart slab(slab_parts(u), part);
            keep(q, u, slab,
                 slab_piece<carried>(slab, m, [&](int c, int k) { return space_.corner[c][k][u]; }));
        });
    }

    __device__ void keep(int q, int u, const AxisPart& slab, const SlabPiece<carried>& piece)
    {
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 2 + carried; ++k) space_.piece_corner[c][k][q] = piece.corner[c][k];
        space_.piece_share[q] = piece.share;
        const int low = space_.low[0][u], size = space_.size[0][u];
        const auto in_tile = [&](int i) { return i >= low && i < low + size ? i - low : outside; };
        const auto& c = piece.corner;
        const AxisParts rows(PieceSpan(c[0][0], c[1][0], c[2][0], c[3][0], space_.cells[1][u]),
                             space_.low[1][u], space_.size[1][u]);
        const PieceSpan z(c[0][1], c[1][1], c[2][1], c[3][1], space_.cells[2][u]);
        const bool reaches = z.high >= space_.low[2][u] && z.low < space_.low[2][u] + space_.size[2][u];
        space_.note[q] = PieceNote(u, in_tile(slab.to()), slab.whole ? outside : in_tile(slab.from()), rows,
                                   space_.low[1][u])
                             .packed();
        space_.row_begin[q] = reaches ? rows.count() : 0;
    }

    /// From numbers of rows to where they begin.
    __device__ void count_rows()
    {
        n_rows_ = 0;
        for (int q = lane_number(); q < Space::most_pieces; q += lanes) {
            const int rows = q < n_pieces_ ? space_.row_begin[q] : 0, end = inclusive_sum(rows);
            space_.row_begin[q] = n_rows_ + end - rows;
            n_rows_ += __shfl_sync(~0u, end, lanes - 1);
        }
    }

    __device__ void cut_rows()
    {
        AUREOLE_ROLLED
        for (int begin = 0; begin < n_rows_; begin += lanes) {
            const int item = begin + lane_number();
            PieceChain<1 + carried> chain{};
            RowTargets to;
            if (item < n_rows_) {
                const int q = owner_of(space_.row_begin, item);
                const PieceNote note = PieceNote::of(space_.note[q]);
                const AxisPart row = note.row(item - space_.row_begin[q], space_.low[1][note.unit]);
                to = RowTargets(space_, note, row);
                chain = row_pieces<carried>(
                    row, [&](int c, int k) { return space_.piece_corner[c][k][q]; }, space_.piece_share[q]);
            }
            add_pieces(chain, to);
        }
    }

    /// Lanes share out the pieces that all rows left: each asks the lane that has one.
    __device__ void add_pieces(const PieceChain<1 + carried>& chain, const RowTargets& to)
    {
        const int end = inclusive_sum(chain.count), total = __shfl_sync(~0u, end, lanes - 1);
        AUREOLE_ROLLED
        for (int begin = 0; begin < total; begin += lanes) {
            const int item = begin + lane_number();
            int source = 0;  // the first lane whose pieces end beyond the item
            for (int step = lanes / 2; step > 0; step /= 2)
                if (__shfl_sync(~0u, end, source + step - 1) <= item) source += step;
            const int m = item - __shfl_sync(~0u, end - chain.count, source);
            double piece[4][1 + carried], share = 0;
            for (int k = 0; k < 1 + carried; ++k) {
                for (int c = 0; c < 4; ++c) piece[c][k] = __shfl_sync(~0u, chain.corner[c][k], source);
                const double first = __shfl_sync(~0u, chain.next[0][k], source),
                             second = __shfl_sync(~0u, chain.next[1][k], source);
                piece[1][k] = m > 0 ? first : piece[1][k];
                piece[2][k] = m > 1 ? second : piece[2][k];
            }
            for (int p = 0; p < 3; ++p) {
                const double of_piece = __shfl_sync(~0u, chain.share[p], source);
                share = p == m ? of_piece : share;
            }
            const RowTargets targets = to.of_lane(source);
            if (item < total) add_row_piece(piece, share, targets);
            __syncwarp();
        }
    }

    __device__ void add_row_piece(const double (&piece)[4][1 + carried], double share, const RowTargets& to)
    {
        const int u = to.unit;
        for_each_cell<carried>(piece, share, space_.cells[2][u], space_.low[2][u], space_.size[2][u],
                               [&](int k, const std::int64_t(&sums)[n]) { to.add(space_, k, sums); });
    }

    /// Gives cells to the patch, and empties them.
    __device__ void give_cells()
    {
        for_each_item(n_cells_, [&](int item) {
            std::int64_t sums[n];
            for (int s = 0; s < n; ++s) {
                unsigned &low = space_.cell_low[item * n + s], &high = space_.cell_high[item * n + s];
                sums[s] = static_cast<std::int64_t>(std::uint64_t{high} << 32 | low);
                low = high = 0;
            }
            const bool reached = sums[0] > to_fixed(least_share);
            if (!streams && !reached) return;
            const int u = owner_of(space_.cell_begin, item), c = item - space_.cell_begin[u];
            const int nz = space_.size[2][u], ny = space_.size[1][u];
            const int k = c % nz, j = c / nz % ny, i = c / nz / ny;
            const std::int64_t cell = target(u, i, j, k);
            if (reached) give(u, c, cell, sums);
            if (streams && holds_centre(u, i, j, k)) aureole::atomic_add(patch_.streams + cell, Index{1});
        });
    }

    __device__ std::int64_t target(int u, int i, int j, int k) const
    {
        return patch_.sums.cell(space_.first[0][u] + space_.low[0][u] + i,
                                space_.first[1][u] + space_.low[1][u] + j,
                                space_.first[2][u] + space_.low[2][u] + k);
    }

    __device__ void give(int u, int c, std::int64_t cell, const std::int64_t (&sums)[n])
    {
        for (int s = 0; s < n; ++s) {
            density::atomic_add(patch_.sums.sums + cell * n + s, sums[s]);
            atomicAdd(&space_.given[s][u], static_cast<unsigned>(sums[s]));
        }
        const auto leading = static_cast<unsigned>(sums[0] >> 31);
        atomicMax(&space_.largest[u], leading - leading % tile_cells + (tile_cells - 1 - c));
    }

    __device__ bool holds_centre(int u, int i, int j, int k) const
    {
        const Tetrahedron t{{corner(0, u), corner(1, u), corner(2, u), corner(3, u)}};
        const Vec3 centre{space_.low[0][u] + i + 0.5, space_.low[1][u] + j + 0.5, space_.low[2][u] + k + 0.5};
        return holds(t, centre, patch_.cells.quantum()) != 0;
    }

    /// This lane's tile has been given.
    __device__ void account(Given& given) const
    {
        const int lane = lane_number();
        for (int s = 0; s < n; ++s) given.sums[s] += space_.given[s][lane];
        const unsigned found = space_.largest[lane];
        if (found / tile_cells <= given.largest / tile_cells) return;
        given.largest = found;
        const int c = tile_cells - 1 - static_cast<int>(found % tile_cells);
        const int nz = space_.size[2][lane], ny = space_.size[1][lane];
        given.largest_cell = target(lane, c / nz / ny, c / nz % ny, c % nz);
    }

    /// What is left to give is some roundings and what was too little for a cell: far below 2^31.
    __device__ void give_rest(const Given& given)
    {
        Piece<carried> whole;
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < carried; ++k)
                whole.corner[c].at[3 + k] = space_.corner[c][3 + k][lane_number()];
        whole.share = 1;
        double total[n] = {};
        add_moments(whole, total);
        for (int s = 0; s < n; ++s) {
            const unsigned rest = static_cast<unsigned>(to_fixed(total[s])) - given.sums[s];
            if (rest != 0)
                density::atomic_add(patch_.sums.sums + given.largest_cell * n + s,
                                    std::int64_t{static_cast<int>(rest)});
        }
    }

    Space& space_;
    const DevicePatch& patch_;
    int n_pieces_ = 0, n_rows_ = 0, n_cells_ = 0;
};

/// The tetrahedra of a task, one for each thread at a time.
template <int carried>
struct TaskTetrahedra {
    const DeviceChunk& chunk;
    const DeviceTask& task;
    const DevicePatch& patch;

    __device__ bool exists(Index e) const
    {
        const Index c = e % cubes;
        return c / (side * side) < task.cubes[0] && c / side % side < task.cubes[1] &&
               c % side < task.cubes[2];
    }

    __device__ TetrahedronSites sites(Index e) const
    {
        const Index c = e % cubes;
        return {static_cast<int>(e / cubes), c / (side * side), c / side % side, c % side};
    }

    __device__ Tetrahedron tetrahedron(Index e, Vec3 shift) const
    {
        Tetrahedron t =
            sites(e).tetrahedron(chunk.position + std::size_t{task.slot} * corners_per_block, patch.cells);
        for (Vec3& corner : t.corner) corner = corner + shift;
        return t;
    }

    __device__ Piece<carried> whole(Index e, const Tetrahedron& t) const
    {
        if constexpr (carried == 0)
            return whole_piece(t);
        else
            return whole_piece(
                t, sites(e).velocities(chunk.velocity + std::size_t{task.slot} * corners_per_block,
                                       chunk.speed_scale));
    }

    static constexpr Index side = cubes_per_block_side, cubes = side * side * side;
};

/// The images of a tetrahedron that reach into the patch, or all but do.
class ImageShifts {
public:
    template <int carried>
    __device__ ImageShifts(const TaskTetrahedra<carried>& of, Index e) : period_(of.patch.cells.period())
    {
        if (!of.exists(e)) {
            range_[0] = {0, -1};
            return;
        }
        const Tetrahedron t = of.tetrahedron(e, Vec3{});
        const CornerExtent extent(t.corner, 4);
        for (int a = 0; a < 3; ++a) range_[a] = extent.images(of.patch.sums.grid, a, period_);
    }

    __device__ int count() const
    {
        int product = 1;
        for (const ImageRange& r : range_) product *= r.empty() ? 0 : r.last - r.first + 1;
        return product;
    }

    __device__ Vec3 operator[](int image) const
    {
        const int z = range_[2].last - range_[2].first + 1, y = range_[1].last - range_[1].first + 1;
        return {(range_[0].first + image / z / y) * period_.x, (range_[1].first + image / z % y) * period_.y,
                (range_[2].first + image % z) * period_.z};
    }

private:
    Vec3 period_;
    ImageRange range_[3];
};

template <int carried, bool streams>
__global__ void __launch_bounds__(warps<carried>* lanes, 4) deposit_kernel(DeviceChunk chunk)
{
    extern __shared__ double memory[];
    WarpSpace<carried>& space = reinterpret_cast<WarpSpace<carried>*>(memory)[threadIdx.x / lanes];
    const DeviceTask& task = chunk.tasks[blockIdx.x / tetrahedra_per_cube];
    const TaskTetrahedra<carried> tetrahedra{chunk, task, chunk.patches[task.patch]};
    WarpDeposit<carried, streams> deposit(space, tetrahedra.patch);
    constexpr Index n = TaskTetrahedra<carried>::cubes;
    const Index first = blockIdx.x % tetrahedra_per_cube * n;
    for (Index e = first + threadIdx.x; e < first + n; e += warps<carried> * lanes) {
        // lanes take the images of their tetrahedra that reach into the patch, one each at a time
        const ImageShifts shifts(tetrahedra, e);
        for (int image = 0; __any_sync(~0u, image < shifts.count()); ++image) {
            const bool active = image < shifts.count();
            const Tetrahedron t = active ? tetrahedra.tetrahedron(e, shifts[image]) : Tetrahedron{};
            const Piece<carried> whole = active ? tetrahedra.whole(e, t) : Piece<carried>{};
            deposit(active, FramedTetrahedron<carried>(t, whole));
        }
    }
}

/// A block of one warp for each task; sums in a fixed order.
__global__ void volume_kernel(DeviceChunk chunk)
{
    const DeviceTask task = chunk.tasks[blockIdx.x];
    const DevicePatch& patch = chunk.patches[task.patch];
    const Vec3* const position = chunk.position + std::size_t{task.slot} * corners_per_block;
    constexpr Index side = cubes_per_block_side;
    double volume = 0;
    for (Index c = threadIdx.x; c < side * side * side; c += lanes) {
        const Index i = c / (side * side), j = c / side % side, k = c % side;
        if (i >= task.cubes[0] || j >= task.cubes[1] || k >= task.cubes[2]) continue;
        const LatticeCube cube = lattice_cube(position, patch.cells, i, j, k);
        for (int t = 0; t < tetrahedra_per_cube; ++t) volume += cube.tetrahedron(t).signed_volume();
    }
    for (int step = lanes / 2; step > 0; step /= 2) volume += __shfl_xor_sync(~0u, volume, step);
    const Vec3 period = patch.cells.period();
    if (threadIdx.x == 0) chunk.volume[blockIdx.x] = volume / (period.x * period.y * period.z);
}

template <int carried, bool streams>
void launch(CUstream_st* stream, const DeviceChunk& chunk)
{
    constexpr int bytes = warps<carried> * sizeof(WarpSpace<carried>);
    AUREOLE_CUDA_CHECK(cudaFuncSetAttribute(deposit_kernel<carried, streams>,
                                            cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    AUREOLE_CUDA_CHECK(cudaFuncSetAttribute(deposit_kernel<carried, streams>,
                                            cudaFuncAttributePreferredSharedMemoryCarveout,
                                            cudaSharedmemCarveoutMaxShared));
    deposit_kernel<carried, streams>
        <<<chunk.n_tasks * tetrahedra_per_cube, warps<carried> * lanes, bytes, stream>>>(chunk);
    AUREOLE_CUDA_LAUNCHED("deposit_kernel");
}

}  // namespace

void deposit_chunk(CUstream_st* stream, const DeviceChunk& chunk)
{
    if (chunk.n_tasks == 0) return;
    if (chunk.velocity)
        chunk.streams ? launch<3, true>(stream, chunk) : launch<3, false>(stream, chunk);
    else
        chunk.streams ? launch<0, true>(stream, chunk) : launch<0, false>(stream, chunk);
    volume_kernel<<<chunk.n_tasks, lanes, 0, stream>>>(chunk);
    AUREOLE_CUDA_LAUNCHED("volume_kernel");
}

}  // namespace aureole::density
