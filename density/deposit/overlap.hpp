// The exact overlap of a tetrahedron with every cell of a box: its share, and first and second moments of the
// velocity. The tetrahedron is clipped by the planes of one axis, what remains by those of the next, and that
// by the planes across a row (slabs, rows and cells as in Powell & Abel 2015), with the cuts of clipping.hpp.
// Coordinates are relative to corner 0. Cost: O(cells), with a few pieces for each row.
#pragma once

#include "density/deposit/clipping.hpp"
#include "density/grid.hpp"
#include "density/sheet/tessellation.hpp"

namespace aureole::density {

/// Number of sums of a cell: the share of the tetrahedron and, with velocities, share times the mean of each
/// component over the overlap and share times the mean squared speed.
template <int carried>
inline constexpr int n_sums = carried > 0 ? carried + 2 : 1;

/// Number of doubles that overlap() needs as scratch: three slabs of the bounding cells of a tetrahedron.
template <int carried>
AUREOLE_HD std::size_t overlap_scratch(const IndexBox& full)
{
    const std::int64_t x = full.axis[0].size(), y = full.axis[1].size(), z = full.axis[2].size();
    const std::int64_t least = x < y ? (x < z ? x : z) : (y < z ? y : z);
    return 3 * static_cast<std::size_t>(x * y * z / least) * n_sums<carried>;
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
template <int carried, class Real>
AUREOLE_HD void add_moments(const Piece<carried, Real>& piece, Real* sums)
{
    sums[0] += piece.share;
    Real squares = 0;
    for (int k = 0; k < carried; ++k) {
        Real sum = 0;
        for (int c = 0; c < 4; ++c) {
            const Real u = piece.corner[c].at[3 + k];
            sum += u;
            squares += u * u;
        }
        squares += sum * sum;
        sums[1 + k] += piece.share * Real{0.25} * sum;
    }
    if constexpr (carried > 0) sums[1 + carried] += piece.share * Real(0.05) * squares;
}

/// Cells with smaller shares are left out: their shares would be rounding errors of a few 1e-16.
inline constexpr double least_share = 0x1p-48;

/// Lowest, third lowest and highest coordinate of the four corners along one axis.
struct Extent {
    double lowest, third, highest;

    template <int axis, int carried>
    AUREOLE_HD static Extent of(const Piece<carried>& piece)
    {
        const auto least = [](double a, double b) { return a < b ? a : b; };
        const auto most = [](double a, double b) { return a < b ? b : a; };
        const double a = piece.corner[0].at[axis], b = piece.corner[1].at[axis], c = piece.corner[2].at[axis],
                     d = piece.corner[3].at[axis];
        const double low1 = least(a, b), high1 = most(a, b), low2 = least(c, d), high2 = most(c, d);
        return {least(low1, low2), most(least(high1, high2), most(low1, low2)), most(high1, high2)};
    }
};

/// The clipping of one tetrahedron by one box. Along each axis the whole piece is first given to its middle
/// cell; what lies beyond a plane, as seen from there, is then moved to the next cell. A plane thus costs the
/// pieces of its smaller side, mostly one, and a piece is never cut twice along an axis.
template <int carried>
struct Overlap {
    static constexpr int n = n_sums<carried>;
    Planes planes[3];
    IndexBox full;  ///< of the tetrahedron
    IndexBox box;   ///< the part of it that is computed

    /// The cells between two coordinates of a piece, restricted to those of the tetrahedron against rounding
    /// of corners.
    AUREOLE_HD CellRange reach(int axis, double low, double high) const
    {
        const CellRange all = full.axis[axis], cells = planes[axis].cells(low, high);
        const auto clamp = [all](std::int64_t i) {
            return i < all.low ? all.low : i > all.high ? all.high : i;
        };
        return {clamp(cells.low), clamp(cells.high)};
    }

    /// The parts of a piece beyond the plane below cell p, as seen from cell `middle`: at most three.
    template <int axis>
    AUREOLE_HD int beyond(const Piece<carried>& piece, std::int64_t p, std::int64_t middle,
                          Piece<carried>* out) const
    {
        return cut<axis>(piece, planes[axis].below(p), p <= middle ? Side::below : Side::above, out);
    }

    /// Calls emit(part, to, from) for parts whose sums are added to cell `to` and subtracted from cell
    /// `from`. For the whole piece both are its middle cell and nothing is subtracted.
    template <int axis, class Emit>
    AUREOLE_HD void split(const Piece<carried>& piece, Emit&& emit) const
    {
        const Extent extent = Extent::of<axis>(piece);
        const CellRange cells = reach(axis, extent.lowest, extent.highest), wanted = box.axis[axis];
        std::int64_t middle = cells.low;
        if (cells.low < cells.high) middle = reach(axis, extent.third, extent.third).low;
        if (middle > cells.high) middle = cells.high;  // corners on the last plane are not beyond it
        emit(piece, middle, middle);
        const std::int64_t first = cells.low + 1 > wanted.low ? cells.low + 1 : wanted.low;
        const std::int64_t last = cells.high < wanted.high + 1 ? cells.high : wanted.high + 1;
        Piece<carried> parts[3];
        for (std::int64_t p = first; p <= last; ++p) {
            const int n_parts = beyond<axis>(piece, p, middle, parts);
            for (int k = 0; k < n_parts; ++k)
                p <= middle ? emit(parts[k], p - 1, p) : emit(parts[k], p, p - 1);
        }
    }

    /// The sums of row j of a slab, or null when the row is not computed.
    AUREOLE_HD double* row(double* slab, std::int64_t j) const
    {
        const CellRange y = box.axis[1];
        return j < y.low || j > y.high ? nullptr : slab + (j - y.low) * box.axis[2].size() * n;
    }

    /// A piece within one row, with moments.
    AUREOLE_HD void add_row(const Piece<carried>& piece, double* to, double* from) const
    {
        const CellRange z = box.axis[2];
        split<2>(piece, [&](const Piece<carried>& part, std::int64_t k_to, std::int64_t k_from) {
            double sums[n] = {};
            add_moments(part, sums);
            const auto give = [&](std::int64_t k, double sign) {
                if (k < z.low || k > z.high) return;
                for (int s = 0; s < n; ++s) {
                    if (to) to[(k - z.low) * n + s] += sign * sums[s];
                    if (from) from[(k - z.low) * n + s] -= sign * sums[s];
                }
            };
            give(k_to, 1);
            if (k_from != k_to) give(k_from, -1);
        });
    }

    /// A piece within one row, shares only.
    AUREOLE_HD void add_row_shares(const Piece<carried>& piece, double* to, double* from) const
    {
        const SharesBelow<double> shares(piece.corner[0].at[2], piece.corner[1].at[2], piece.corner[2].at[2],
                                         piece.corner[3].at[2], piece.share);
        const CellRange z = box.axis[2], cells = reach(2, shares.lowest(), shares.highest());
        const CellRange wanted = cells.within(z);
        double below = wanted.low == cells.low ? 0 : shares(planes[2].below(wanted.low));
        for (std::int64_t k = wanted.low; k <= wanted.high; ++k) {
            const double next = k == cells.high ? piece.share : shares(planes[2].below(k + 1));
            if (to) to[k - z.low] += next - below;
            if (from) from[k - z.low] -= next - below;
            below = next;
        }
    }

    /// A piece within one slab of cells across x, onto sums[y][z][n].
    AUREOLE_HD void add_slab(const Piece<carried>& piece, double* slab) const
    {
        split<1>(piece, [&](const Piece<carried>& part, std::int64_t j_to, std::int64_t j_from) {
            double *const to = row(slab, j_to), *const from = j_from == j_to ? nullptr : row(slab, j_from);
            if (!to && !from) return;
            if constexpr (carried > 0)
                add_row(part, to, from);
            else
                add_row_shares(part, to, from);
        });
    }

    AUREOLE_HD std::size_t slab_size() const
    {
        return static_cast<std::size_t>(box.axis[1].size() * box.axis[2].size()) * n;
    }

    /// Sets the slab to what lies beyond the plane below cell p.
    AUREOLE_HD void add_beyond(const Piece<carried>& whole, std::int64_t p, std::int64_t middle,
                               double* slab) const
    {
        for (std::size_t s = 0; s < slab_size(); ++s) slab[s] = 0;
        Piece<carried> parts[3];
        const int n_parts = beyond<0>(whole, p, middle, parts);
        for (int k = 0; k < n_parts; ++k) add_slab(parts[k], slab);
    }
};

/// The axes by rising number of cells: pieces multiply along the first two, and the third takes the most
/// planes.
struct AxisOrder {
    int axis[3];

    explicit AUREOLE_HD AxisOrder(const IndexBox& box) : axis{0, 1, 2}
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

    AUREOLE_HD IndexBox of(const IndexBox& box) const
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

/// Calls sink(cell, sums) once for every cell of `wanted` that the tetrahedron overlaps; cell[3] are its
/// numbers along x, y, z. Cells with less than least_share are left out. `whole` has coordinates relative to
/// corner 0, which is at `corner`; `full` are the bounding cells; `sums` is scratch of overlap_scratch()
/// doubles for the bounding cells in `wanted`. The shares of all cells add up to 1 up to a few roundings.
template <int carried, class Sink>
AUREOLE_HD void overlap(const Piece<carried>& whole, Vec3 corner, const IndexBox& full,
                        const IndexBox& wanted, double* sums, Sink&& sink)
{
    const AxisOrder order(full);
    Overlap<carried> o{{}, order.of(full), order.of(wanted)};
    for (int a = 0; a < 3; ++a) {
        o.planes[a].origin = component(corner, order.axis[a]);
        o.box.axis[a] = o.box.axis[a].within(o.full.axis[a]);
        if (o.box.axis[a].empty()) return;
    }
    const Piece<carried> turned = order.of(whole);
    const std::int64_t middle = o.reach(0, Extent::of<0>(turned).third, Extent::of<0>(turned).third).low;
    const auto& [x, y, z] = o.box.axis;
    const std::size_t n = o.slab_size();
    double *below = sums, *above = sums + n, *const slab = sums + 2 * n;
    if (x.low > o.full.axis[0].low) o.add_beyond(turned, x.low, middle, above);
    std::int64_t cell[3];
    for (std::int64_t i = x.low; i <= x.high; ++i) {
        double* const used = below;
        below = above;
        above = used;
        for (std::size_t s = 0; s < n; ++s) slab[s] = 0;
        if (i == middle) o.add_slab(turned, slab);
        if (i > o.full.axis[0].low)
            for (std::size_t s = 0; s < n; ++s) slab[s] += i <= middle ? -below[s] : below[s];
        if (i < o.full.axis[0].high) {
            o.add_beyond(turned, i + 1, middle, above);
            for (std::size_t s = 0; s < n; ++s) slab[s] += i < middle ? above[s] : -above[s];
        }
        cell[order.axis[0]] = i;
        const double* found = slab;
        for (std::int64_t j = y.low; j <= y.high; ++j) {
            cell[order.axis[1]] = j;
            for (std::int64_t k = z.low; k <= z.high; ++k, found += n_sums<carried>) {
                cell[order.axis[2]] = k;
                if (found[0] > least_share) sink(cell, found);
            }
        }
    }
}

}  // namespace aureole::density
