// The deposit of up to 32 tetrahedra by a warp: it distributes their tiles, the pieces of slabs, rows and
// cells over lanes.
#pragma once

#include "density/deposit/warp_space.cuh"

namespace aureole::density {

/// Real: of pieces and shares.
/// `by_planes`: patches may store some of their planes alone.
template <int carried, bool streams, bool by_planes, class Real>
class WarpDeposit {
    static constexpr int n = n_sums<carried>;
    using Space = WarpSpace<carried, Real>;
    using Count = typename GivenSums<n, Real>::Count;

public:
    __device__ WarpDeposit(Space& space, const DevicePatch& patch) : space_(space), patch_(patch)
    {
        for (int c = lane_number(); c < Space::most_cells * n; c += lanes)
            space_.cell_low[c] = space_.cell_high[c] = 0;
        __syncwarp();
    }

    /// All lanes must call; lanes that are not `active` have no tetrahedron.
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
    /// The sums that a tetrahedron has given to cells so far, and the cell that got most.
    struct Given {
        Count sums[n] = {};
        unsigned largest = 0;
        std::int64_t largest_cell = 0;
    };

    /// The rows of cells that get a piece and those that lose it.
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

    /// Whether the plane of a face, or its parallel through the fourth corner, separates the tile from the
    /// tetrahedron.
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
        const auto x = [&](int c) { return coordinate(c, 0, u); };
        const PieceSpan span(x(0), x(1), x(2), x(3), space_.cells[0][u]);
        return {span, space_.low[0][u], space_.size[0][u]};
    }

    __device__ Real coordinate(int c, int k, int u) const
    {
        return static_cast<Real>(space_.corner[c][k][u]);
    }

    /// Puts the tile of this lane on the list if it fits; returns whether it did.
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
                const int of_part =
                    slab_pieces(AxisPart(parts, part), [&](int c, int k) { return coordinate(c, k, lane); });
                part_pieces |= static_cast<unsigned>(of_part) << (2 * part);
                pieces += of_part;
            }
        }
        const int both = pieces << 16 | cells, end = inclusive_sum_of_warp(both);
        const bool taken = wanted && end >> 16 <= Space::most_pieces && (end & 0xffff) <= Space::most_cells;
        const unsigned takers = __ballot_sync(~0u, taken);
        const int total = __shfl_sync(~0u, end, takers == 0 ? 0 : lanes - 1 - __clz(takers));
        n_pieces_ = takers == 0 ? 0 : total >> 16;
        n_cells_ = takers == 0 ? 0 : total & 0xffff;
        space_.part_pieces[lane] = part_pieces;
        space_.piece_begin[lane] = (end - both) >> 16;  // unused for lanes whose tile does not fit
        space_.cell_begin[lane] = (end - both) & 0xffff;
        space_.largest[lane] = 0;
        space_.given.clear(lane);
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
                 slab_piece<carried, Real>(slab, m, [&](int c, int k) { return coordinate(c, k, u); }));
        });
    }

    __device__ void keep(int q, int u, const AxisPart& slab, const SlabPiece<carried, Real>& piece)
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

    /// Turns numbers of rows into where the rows of each piece begin.
    __device__ void count_rows()
    {
        n_rows_ = 0;
        for (int q = lane_number(); q < Space::most_pieces; q += lanes) {
            const int rows = q < n_pieces_ ? space_.row_begin[q] : 0, end = inclusive_sum_of_warp(rows);
            space_.row_begin[q] = n_rows_ + end - rows;
            n_rows_ += __shfl_sync(~0u, end, lanes - 1);
        }
    }

    __device__ void cut_rows()
    {
        AUREOLE_ROLLED
        for (int begin = 0; begin < n_rows_; begin += lanes) {
            const int item = begin + lane_number();
            PieceChain<1 + carried, Real> chain{};
            RowTargets to;
            if (item < n_rows_) {
                const int q = owner_of(space_.row_begin, item);
                const PieceNote note = PieceNote::of(space_.note[q]);
                const AxisPart row = note.row(item - space_.row_begin[q], space_.low[1][note.unit]);
                to = RowTargets(space_, note, row);
                chain = row_pieces<carried, Real>(
                    row, [&](int c, int k) { return space_.piece_corner[c][k][q]; }, space_.piece_share[q]);
            }
            add_pieces(chain, to);
        }
    }

    /// Lanes divide the pieces of all rows among themselves; each reads a piece from the lane that made it.
    __device__ void add_pieces(const PieceChain<1 + carried, Real>& chain, const RowTargets& to)
    {
        const int end = inclusive_sum_of_warp(chain.count), total = __shfl_sync(~0u, end, lanes - 1);
        AUREOLE_ROLLED
        for (int begin = 0; begin < total; begin += lanes) {
            const int item = begin + lane_number();
            int source = 0;  // the first lane whose pieces end beyond the item
            for (int step = lanes / 2; step > 0; step /= 2)
                if (__shfl_sync(~0u, end, source + step - 1) <= item) source += step;
            const int m = item - __shfl_sync(~0u, end - chain.count, source);
            Real piece[4][1 + carried], share = 0;
            for (int k = 0; k < 1 + carried; ++k) {
                for (int c = 0; c < 4; ++c) piece[c][k] = __shfl_sync(~0u, chain.corner[c][k], source);
                const Real first = __shfl_sync(~0u, chain.next[0][k], source),
                           second = __shfl_sync(~0u, chain.next[1][k], source);
                piece[1][k] = m > 0 ? first : piece[1][k];
                piece[2][k] = m > 1 ? second : piece[2][k];
            }
            for (int p = 0; p < 3; ++p) {
                const Real of_piece = __shfl_sync(~0u, chain.share[p], source);
                share = p == m ? of_piece : share;
            }
            const RowTargets targets = to.of_lane(source);
            if (item < total) add_row_piece(piece, share, targets);
            __syncwarp();
        }
    }

    __device__ void add_row_piece(const Real (&piece)[4][1 + carried], Real share, const RowTargets& to)
    {
        const int u = to.unit;
        for_each_cell<carried>(piece, share, space_.cells[2][u], space_.low[2][u], space_.size[2][u],
                               [&](int k, const std::int64_t(&sums)[n]) { to.add(space_, k, sums); });
    }

    /// Adds the cells of the tiles to the patch and sets them to zero.
    __device__ void give_cells()
    {
        for_each_item(n_cells_, [&](int item) {
            std::int64_t sums[n];
            for (int s = 0; s < n; ++s) {
                unsigned &low = space_.cell_low[item * n + s], &high = space_.cell_high[item * n + s];
                sums[s] = static_cast<std::int64_t>(std::uint64_t{high} << 32 | low);
                low = high = 0;
            }
            const bool reached = is_reached(sums[0]);
            if (!streams && !reached) return;
            const int u = owner_of(space_.cell_begin, item), c = item - space_.cell_begin[u];
            const int nz = space_.size[2][u], ny = space_.size[1][u];
            const int k = c % nz, j = c / nz % ny, i = c / nz / ny;
            const std::int64_t cell = target(u, i, j, k);
            if (reached) give(u, c, cell, sums);
            if (streams && is_stored(cell) && holds_centre(u, i, j, k))
                aureole::atomic_add(patch_.streams + cell, Index{1});
        });
    }

    /// Float leaves tiny sums of either sign in cells. They are added as well, because the cells of a
    /// tetrahedron in several patches must add up.
    __device__ static bool is_reached(std::int64_t share)
    {
        if constexpr (std::is_same_v<Real, float>)
            return share != 0;
        else
            return share > to_fixed(least_share);
    }

    __device__ std::int64_t target(int u, int i, int j, int k) const
    {
        const std::int64_t x = space_.first[0][u] + space_.low[0][u] + i,
                           y = space_.first[1][u] + space_.low[1][u] + j,
                           z = space_.first[2][u] + space_.low[2][u] + k;
        return by_planes ? patch_.sums.cell(x, y, z) : patch_.sums.cell_of_all(x, y, z);
    }
    __device__ static bool is_stored(std::int64_t cell) { return !by_planes || cell != GridSums::not_stored; }

    __device__ void give(int u, int c, std::int64_t cell, const std::int64_t (&sums)[n])
    {
        for (int s = 0; s < n; ++s) {
            if (is_stored(cell)) aureole::atomic_add(patch_.sums.sums + cell * n + s, sums[s]);
            space_.given.add(s, u, sums[s]);
        }
        const auto leading = static_cast<unsigned>((sums[0] > 0 ? sums[0] : 0) >> 31);
        atomicMax(&space_.largest[u], leading - leading % tile_cells + (tile_cells - 1 - c));
    }

    __device__ bool holds_centre(int u, int i, int j, int k) const
    {
        const Tetrahedron t{{corner(0, u), corner(1, u), corner(2, u), corner(3, u)}};
        const Vec3 centre{space_.low[0][u] + i + 0.5, space_.low[1][u] + j + 0.5, space_.low[2][u] + k + 0.5};
        return holds(t, centre, patch_.cells.quantum()) != 0;
    }

    /// Accounts for the tile of this lane after its cells were added.
    __device__ void account(Given& given) const
    {
        const int lane = lane_number();
        for (int s = 0; s < n; ++s) given.sums[s] += space_.given.get(s, lane);
        const unsigned found = space_.largest[lane];
        if (found / tile_cells <= given.largest / tile_cells) return;
        given.largest = found;
        const int c = tile_cells - 1 - static_cast<int>(found % tile_cells);
        const int nz = space_.size[2][lane], ny = space_.size[1][lane];
        given.largest_cell = target(lane, c / nz / ny, c / nz % ny, c % nz);
    }

    /// Adds the rest to the cell with the largest share. It consists of rounding and of shares below the
    /// limit, far below half the range of Count.
    __device__ void give_rest(const Given& given)
    {
        if (!is_stored(given.largest_cell)) return;
        Piece<carried> whole;
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < carried; ++k)
                whole.corner[c].at[3 + k] = space_.corner[c][3 + k][lane_number()];
        whole.share = 1;
        double total[n] = {};
        add_moments(whole, total);
        for (int s = 0; s < n; ++s) {
            const Count rest = static_cast<Count>(to_fixed(total[s])) - given.sums[s];
            if (rest != 0)
                aureole::atomic_add(patch_.sums.sums + given.largest_cell * n + s,
                                    std::int64_t{static_cast<std::make_signed_t<Count>>(rest)});
        }
    }

    Space& space_;
    const DevicePatch& patch_;
    int n_pieces_ = 0, n_rows_ = 0, n_cells_ = 0;
};

}  // namespace aureole::density
