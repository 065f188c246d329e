// The overlap of a tetrahedron with every cell of a box: volume, and first and second moments of what it
// carries. Clipped by slabs of x, each slab by rows of y, each row by z, so that what one plane leaves serves
// all cells behind it (the order of Powell & Abel 2015, section 3, for grids); clipping is that of
// pieces.hpp. Coordinates are relative to corner 0. O(cells) for small tetrahedra, O(surface) pieces never
// pile up: every slab is cut from the whole.
#pragma once

#include "density/cell_box.hpp"
#include "density/pieces.hpp"
#include "density/tetrahedron.hpp"

namespace aureole::density {

/// What is summed in a cell: the share of the tetrahedron; where it carries velocities, also share times the
/// mean of each component over the overlap, and share times the mean of the squared speed.
template <int carried>
inline constexpr int n_sums = carried > 0 ? carried + 2 : 1;

/// Doubles that overlap() needs as scratch: one slab of a tetrahedron's bounding cells, the largest.
template <int carried>
AUREOLE_HD std::size_t overlap_scratch(const CellBox& full)
{
    const std::int64_t x = full.axis[0].size(), y = full.axis[1].size(), z = full.axis[2].size();
    const std::int64_t least = x < y ? (x < z ? x : z) : (y < z ? y : z);
    return static_cast<std::size_t>(x * y * z / least) * n_sums<carried>;
}

AUREOLE_HD inline Piece<0> whole_piece(const Tetrahedron& t)
{
    Piece<0> piece{};
    for (int c = 0; c < 4; ++c) {
        const Vec3 x = t.corner[c] - t.corner[0];
        piece.corner[c] = {{x.x, x.y, x.z}};
    }
    piece.share = 1;
    return piece;
}

AUREOLE_HD inline Piece<3> whole_piece(const Tetrahedron& t, const CornerVelocities& v)
{
    Piece<3> piece{};
    for (int c = 0; c < 4; ++c) {
        const Vec3 x = t.corner[c] - t.corner[0], u = v.corner[c];
        piece.corner[c] = {{x.x, x.y, x.z, u.x, u.y, u.z}};
    }
    piece.share = 1;
    return piece;
}

/// Integrals over a simplex: int u = share / 4 sum u_c, int u^2 = share / 20 (|sum u_c|^2 + sum |u_c|^2).
template <int carried>
AUREOLE_HD void add_moments(const Piece<carried>& piece, double* sums)
{
    sums[0] += piece.share;
    double squares = 0;
    for (int k = 0; k < carried; ++k) {
        double sum = 0;
        for (int c = 0; c < 4; ++c) {
            const double u = piece.corner[c].at[3 + k];
            sum += u;
            squares += u * u;
        }
        squares += sum * sum;
        sums[1 + k] += piece.share * 0.25 * sum;
    }
    if constexpr (carried > 0) sums[1 + carried] += piece.share * 0.05 * squares;
}

/// The clipping of one tetrahedron by one box.
template <int carried>
struct Overlap {
    Planes planes[3];
    CellBox full;  ///< of the tetrahedron
    CellBox box;   ///< the part of it that is wanted
    double* sums;  ///< of one slab: [y][z][n_sums]

    /// Cells of one axis that a piece reaches into.
    template <int axis>
    AUREOLE_HD CellRange reach(const Piece<carried>& piece) const
    {
        double low = piece.corner[0].at[axis], high = low;
        for (int c = 1; c < 4; ++c) {
            const double x = piece.corner[c].at[axis];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        return reach(axis, low, high);
    }

    /// The part of a piece between the planes of cell i, in at most nine pieces.
    template <int axis>
    AUREOLE_HD int slab(const Piece<carried>& piece, CellRange cells, std::int64_t i,
                        Piece<carried>* out) const
    {
        if (cells.low == cells.high) {
            out[0] = piece;
            return 1;
        }
        const double below = planes[axis].below(i), above = planes[axis].below(i + 1);
        if (i == cells.low) return cut<axis>(piece, above, Side::below, out);
        if (i == cells.high) return cut<axis>(piece, below, Side::above, out);
        Piece<carried> upper[3];
        const int n_upper = cut<axis>(piece, below, Side::above, upper);
        int n = 0;
        for (int k = 0; k < n_upper; ++k) n += cut<axis>(upper[k], above, Side::below, out + n);
        return n;
    }

    AUREOLE_HD double* sums_of(std::int64_t j, std::int64_t k) const
    {
        return sums + ((j - box.axis[1].low) * box.axis[2].size() + (k - box.axis[2].low)) * n_sums<carried>;
    }

    /// Cells of an axis between two coordinates of a piece; rounding of corners never leaves the
    /// tetrahedron's own.
    AUREOLE_HD CellRange reach(int axis, double low, double high) const
    {
        const CellRange all = full.axis[axis], cells = planes[axis].cells(low, high);
        const auto clamp = [all](std::int64_t i) {
            return i < all.low ? all.low : i > all.high ? all.high : i;
        };
        return {clamp(cells.low), clamp(cells.high)};
    }

    /// A piece within one row of cells along z, by its corners.
    AUREOLE_HD void add_row(const Piece<carried>& piece, std::int64_t j) const
    {
        const CellRange cells = reach<2>(piece), wanted = cells.within(box.axis[2]);
        Piece<carried> parts[9];
        for (std::int64_t k = wanted.low; k <= wanted.high; ++k) {
            const int n = slab<2>(piece, cells, k, parts);
            for (int p = 0; p < n; ++p) add_moments(parts[p], sums_of(j, k));
        }
    }

    /// The same where only shares are wanted.
    AUREOLE_HD void add_row_shares(const Piece<carried>& piece, std::int64_t j) const
    {
        const SharesBelow shares(piece.corner[0].at[2], piece.corner[1].at[2], piece.corner[2].at[2],
                                 piece.corner[3].at[2], piece.share);
        const CellRange cells = reach(2, shares.lowest(), shares.highest()),
                        wanted = cells.within(box.axis[2]);
        if (wanted.empty()) return;
        double* const row = sums_of(j, box.axis[2].low) - box.axis[2].low;
        double below = wanted.low == cells.low ? 0 : shares(planes[2].below(wanted.low));
        for (std::int64_t k = wanted.low; k < wanted.high; ++k) {
            const double next = shares(planes[2].below(k + 1));
            row[k] += next - below;
            below = next;
        }
        row[wanted.high] +=
            (wanted.high == cells.high ? piece.share : shares(planes[2].below(wanted.high + 1))) - below;
    }

    /// A piece within one slab of cells across x.
    AUREOLE_HD void add_slab(const Piece<carried>& piece) const
    {
        const CellRange cells = reach<1>(piece), wanted = cells.within(box.axis[1]);
        Piece<carried> parts[9];
        for (std::int64_t j = wanted.low; j <= wanted.high; ++j) {
            const int n = slab<1>(piece, cells, j, parts);
            for (int p = 0; p < n; ++p)
                if constexpr (carried > 0)
                    add_row(parts[p], j);
                else
                    add_row_shares(parts[p], j);
        }
    }
};

/// The axes with the fewest cells first: pieces multiply at the first two, the third takes the most planes.
struct AxisOrder {
    int axis[3];

    explicit AUREOLE_HD AxisOrder(const CellBox& box) : axis{0, 1, 2}
    {
        const auto put = [&](int a, int b) {
            if (box.axis[axis[a]].size() <= box.axis[axis[b]].size()) return;
            const int first = axis[a];
            axis[a] = axis[b];
            axis[b] = first;
        };
        put(0, 1);
        put(1, 2);
        put(0, 1);
    }

    AUREOLE_HD CellBox of(const CellBox& box) const
    {
        return {{box.axis[axis[0]], box.axis[axis[1]], box.axis[axis[2]]}};
    }

    template <int carried>
    AUREOLE_HD Piece<carried> of(const Piece<carried>& piece) const
    {
        Piece<carried> turned = piece;
        for (int c = 0; c < 4; ++c)
            for (int a = 0; a < 3; ++a) turned.corner[c].at[a] = piece.corner[c].at[axis[a]];
        return turned;
    }
};

/// Calls sink(cell, sums) once for every cell of `wanted` that the tetrahedron reaches into, with cell[3] its
/// numbers along x, y, z; cells that it may only touch are left out. `whole` is relative to corner 0, which
/// is at `corner`; `full` are its bounding cells; `sums` has overlap_scratch() doubles for `full`. The shares
/// of all cells add up to 1 to a few roundings.
template <int carried, class Sink>
AUREOLE_HD void overlap(const Piece<carried>& whole, Vec3 corner, const CellBox& full, const CellBox& wanted,
                        double* sums, Sink&& sink)
{
    const AxisOrder order(full);
    Overlap<carried> o{{}, order.of(full), order.of(wanted), sums};
    for (int a = 0; a < 3; ++a) {
        o.planes[a].origin = component(corner, order.axis[a]);
        o.box.axis[a] = o.box.axis[a].within(o.full.axis[a]);
        if (o.box.axis[a].empty()) return;
    }
    const Piece<carried> turned = order.of(whole);
    const auto& [x, y, z] = o.box.axis;
    const auto n = static_cast<std::size_t>(y.size() * z.size()) * n_sums<carried>;
    Piece<carried> parts[9];
    std::int64_t cell[3];
    for (std::int64_t i = x.low; i <= x.high; ++i) {
        for (std::size_t s = 0; s < n; ++s) sums[s] = 0;
        const int n_parts = o.template slab<0>(turned, o.full.axis[0], i, parts);
        for (int p = 0; p < n_parts; ++p) o.add_slab(parts[p]);
        cell[order.axis[0]] = i;
        for (std::int64_t j = y.low; j <= y.high; ++j) {
            cell[order.axis[1]] = j;
            for (std::int64_t k = z.low; k <= z.high; ++k) {
                cell[order.axis[2]] = k;
                const double* const found = o.sums_of(j, k);
                if (found[0] > 0) sink(cell, found);
            }
        }
    }
}

}  // namespace aureole::density
