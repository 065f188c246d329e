// The overlap of a tetrahedron with a tile of cells, in steps that the threads of a warp divide among
// themselves: pieces of slabs across x, their pieces in rows along z, the cells of a row. Method and formulas
// are those of overlap.hpp, but sums are fixed-point numbers: what one cell gets another loses exactly, so
// cells add up to the tetrahedron in any order and for any tiles. Pieces are in registers, and each follows
// from the one before by the exchange of a corner. Cost: O(pieces).
#pragma once

#include "density/deposit/overlap.hpp"
#include "sim/core/sums/fixed_sum.hpp"

/// Prevents unrolling of loops with a long body, whose copies would not fit the instruction cache of a GPU.
#if defined(__CUDA_ARCH__)
#define AUREOLE_ROLLED _Pragma("unroll 1")
#else
#define AUREOLE_ROLLED
#endif

namespace aureole::density {

/// A corner: its distance on the kept side of a plane, and the coordinates and quantities that later cuts and
/// sums need.
template <int dims, class Real>
struct Ranked {
    Real kept;
    Real at[dims];
};

/// The pieces that a plane leaves: the corners of the first; each further piece exchanges one corner.
template <int dims, class Real>
struct PieceChain {
    Real corner[4][dims];
    Real next[2][dims];  ///< in place of corner 1, then of corner 2
    Real share[3];
    int count;

    AUREOLE_HD Real share_of(int m) const { return m == 0 ? share[0] : m == 1 ? share[1] : share[2]; }

    /// From piece m to m + 1.
    AUREOLE_HD void advance(int m)
    {
        for (int k = 0; k < dims; ++k) {
            if (m == 0)
                corner[1][k] = next[0][k];
            else
                corner[2][k] = next[1][k];
        }
    }
};

/// Where the plane divides the edge from the kept corner a to corner b; undefined when it does not.
template <int dims, class Real>
struct CutEdge {
    Real kept, dropped;  ///< parts of the edge
    Real at[dims];

    AUREOLE_HD CutEdge(const Ranked<dims, Real>& a, const Ranked<dims, Real>& b)
    {
        const Real whole = 1 / (a.kept - b.kept);
        kept = a.kept * whole;
        dropped = -b.kept * whole;
        for (int k = 0; k < dims; ++k) at[k] = a.at[k] + kept * (b.at[k] - a.at[k]);
    }
};

/// The part of a piece whose first `count` corners are kept, 1 to 4, by the formulas of clipping.hpp. The
/// four edges that may be cut are the same code in all cases, so that threads do not diverge.
template <int dims, class Real>
AUREOLE_HD PieceChain<dims, Real> chain_of(const Ranked<dims, Real> (&c)[4], int count, Real share)
{
    const bool one = count == 1, two = count == 2, three = count == 3;
    const CutEdge<dims, Real> a(c[0], c[3]), b(one ? c[0] : c[1], one ? c[1] : c[3]),
        e(three ? c[2] : c[0], three ? c[3] : c[2]), d(c[1], c[2]);
    PieceChain<dims, Real> chain;
    chain.count = two || three ? 3 : 1;
    for (int k = 0; k < dims; ++k) {
        chain.corner[0][k] = three ? a.at[k] : c[0].at[k];
        chain.corner[1][k] = one ? b.at[k] : three ? c[0].at[k] : c[1].at[k];
        chain.corner[2][k] = one ? e.at[k] : two ? d.at[k] : three ? c[1].at[k] : c[2].at[k];
        chain.corner[3][k] = one ? a.at[k] : two ? b.at[k] : three ? c[2].at[k] : c[3].at[k];
        chain.next[0][k] = two ? e.at[k] : b.at[k];
        chain.next[1][k] = two ? a.at[k] : e.at[k];
    }
    chain.share[0] = share * (one     ? b.kept * e.kept * a.kept
                              : two   ? d.kept * b.kept
                              : three ? a.kept
                                      : Real{1});
    chain.share[1] = share * (two ? e.kept * b.kept * d.dropped : a.dropped * b.kept);
    chain.share[2] = share * (two ? e.kept * a.kept * b.dropped : a.dropped * b.dropped * e.kept);
    return chain;
}

/// Puts two corners in order, the one farther on the kept side first.
template <int dims, class Real>
AUREOLE_HD void rank(Ranked<dims, Real>& a, Ranked<dims, Real>& b)
{
    const bool turn = a.kept < b.kept;
    const auto put = [turn](Real& x, Real& y) {
        const Real first = turn ? y : x, second = turn ? x : y;
        x = first;
        y = second;
    };
    put(a.kept, b.kept);
    for (int k = 0; k < dims; ++k) put(a.at[k], b.at[k]);
}

template <int dims, class Real>
AUREOLE_HD void rank_all(Ranked<dims, Real> (&c)[4])
{
    rank(c[0], c[1]);
    rank(c[2], c[3]);
    rank(c[0], c[2]);
    rank(c[1], c[3]);
    rank(c[1], c[2]);
}

template <int dims, class Real>
AUREOLE_HD int kept_count(const Ranked<dims, Real> (&c)[4], Side side)
{
    int count = 0;
    for (int j = 0; j < 4; ++j) count += side == Side::below ? c[j].kept > 0 : c[j].kept >= 0;
    return count;
}

/// The cells that a piece reaches into along one axis, counted from the first cell of the tetrahedron, and
/// the middle one that gets the whole piece first: few corners lie beyond any plane as seen from there.
struct PieceSpan {
    int low, high, middle;

    /// `cells`: those of the tetrahedron. A point on a plane is in the cell above it, a span that ends there
    /// is not.
    template <class Real>
    AUREOLE_HD PieceSpan(Real a, Real b, Real c, Real d, int cells)
    {
        const Real high1 = a > b ? a : b, low1 = a > b ? b : a, high2 = c > d ? c : d, low2 = c > d ? d : c;
        const Real least = low1 < low2 ? low1 : low2, most = high1 > high2 ? high1 : high2;
        const Real inner1 = low1 > low2 ? low1 : low2, inner2 = high1 < high2 ? high1 : high2;
        low = within(static_cast<int>(least), cells);
        const int end = static_cast<int>(most);
        high = within(static_cast<Real>(end) == most ? end - 1 : end, cells);
        high = high < low ? low : high;
        middle = static_cast<int>(inner1 > inner2 ? inner1 : inner2);
        middle = middle < low ? low : middle > high ? high : middle;
    }

    AUREOLE_HD static int within(int i, int cells) { return i < 0 ? 0 : i < cells ? i : cells - 1; }
};

/// The parts of a piece along an axis for cells low to low + n - 1 of a tile: one for each plane, then the
/// whole if the middle cell is among them.
struct AxisParts {
    int first_plane, planes, middle;
    bool has_whole;

    AUREOLE_HD AxisParts(const PieceSpan& span, int low, int n)
        : first_plane(span.low + 1 > low ? span.low + 1 : low),
          middle(span.middle),
          has_whole(span.middle >= low && span.middle < low + n)
    {
        const int last = span.high < low + n ? span.high : low + n;
        planes = last < first_plane ? 0 : last - first_plane + 1;
    }

    AUREOLE_HD int count() const { return planes + (has_whole ? 1 : 0); }
};

/// One of them: the whole, or what is beyond the plane below cell `plane`.
struct AxisPart {
    bool whole;
    int plane, middle;

    AUREOLE_HD AxisPart(const AxisParts& parts, int i)
        : AxisPart(parts.first_plane, parts.planes, parts.middle, i)
    {
    }
    AUREOLE_HD AxisPart(int first_plane, int planes, int middle_cell, int i)
        : whole(i == planes), plane(first_plane + i), middle(middle_cell)
    {
    }
    AUREOLE_HD Side side() const { return plane <= middle ? Side::below : Side::above; }
    /// The cell that gets the part.
    AUREOLE_HD int to() const { return whole ? middle : plane <= middle ? plane - 1 : plane; }
    /// The cell that loses the part; not defined for the whole.
    AUREOLE_HD int from() const { return plane <= middle ? plane : plane - 1; }
};

/// A tetrahedron with coordinates relative to its first cell and corners in the order of x.
template <int carried>
struct FramedTetrahedron {
    std::int64_t first[3];  ///< its first cell
    int cells[3];
    double corner[4][3 + carried];

    AUREOLE_HD FramedTetrahedron(const Tetrahedron& t, const Piece<carried>& whole)
    {
        const IndexBox full = bounding_cells(t);
        Ranked<3 + carried, double> c[4];
        for (int a = 0; a < 3; ++a) {
            first[a] = full.axis[a].low;
            cells[a] = static_cast<int>(full.axis[a].size());
            for (int j = 0; j < 4; ++j)
                c[j].at[a] = component(t.corner[j], a) - static_cast<double>(first[a]);  // exact
        }
        for (int j = 0; j < 4; ++j) {
            c[j].kept = -c[j].at[0];
            for (int k = 0; k < carried; ++k) c[j].at[3 + k] = whole.corner[j].at[3 + k];
        }
        rank_all(c);
        for (int j = 0; j < 4; ++j)
            for (int k = 0; k < 3 + carried; ++k) corner[j][k] = c[j].at[k];
    }
};

/// A piece of a tetrahedron in a slab across x: y, z and what is carried at its corners, and its share of the
/// whole.
template <int carried, class Real>
struct SlabPiece {
    Real corner[4][2 + carried];
    Real share;
};

/// How many pieces a part along x has; corner(c, k): coordinate or quantity k of corner c, in the order of x.
template <class CornerOf>
AUREOLE_HD int slab_pieces(const AxisPart& part, CornerOf&& corner)
{
    if (part.whole) return 1;
    int below = 0;
    for (int c = 0; c < 4; ++c) below += corner(c, 0) < part.plane;
    const int kept = part.side() == Side::below ? below : 4 - below;
    return kept == 2 || kept == 3 ? 3 : 1;
}

/// Number m of them.
template <int carried, class Real, class CornerOf>
AUREOLE_HD SlabPiece<carried, Real> slab_piece(const AxisPart& part, int m, CornerOf&& corner)
{
    const Side side = part.side();
    Ranked<2 + carried, Real> c[4];
    for (int j = 0; j < 4; ++j) {
        const int from = side == Side::below ? j : 3 - j;
        c[j].kept = kept_distance(corner(from, 0), static_cast<Real>(part.plane), side);
        for (int k = 0; k < 2 + carried; ++k) c[j].at[k] = corner(from, 1 + k);
    }
    PieceChain<2 + carried, Real> chain = chain_of(c, part.whole ? 4 : kept_count(c, side), Real{1});
    if (m > 0) chain.advance(0);
    if (m > 1) chain.advance(1);
    SlabPiece<carried, Real> piece;
    for (int j = 0; j < 4; ++j)
        for (int k = 0; k < 2 + carried; ++k) piece.corner[j][k] = chain.corner[j][k];
    piece.share = chain.share_of(m);
    return piece;
}

/// Sums of a piece within one row below planes across z. Corners hold z, then what is carried.
template <int carried, class Real>
class RowPiece {
public:
    static constexpr int n = n_sums<carried>;

    AUREOLE_HD RowPiece(const Real (&corner)[4][1 + carried], Real share) : share_(share)
    {
        for (int j = 0; j < 4; ++j) {
            corner_[j].kept = -corner[j][0];
            for (int k = 0; k < 1 + carried; ++k) corner_[j].at[k] = corner[j][k];
        }
        rank_all(corner_);
    }

    AUREOLE_HD void below(int plane, std::int64_t (&sums)[n]) const
    {
        Ranked<1 + carried, Real> c[4];
        for (int j = 0; j < 4; ++j) {
            c[j] = corner_[j];
            c[j].kept = plane - corner_[j].at[0];
        }
        add_kept(c, kept_count(c, Side::below), sums);
    }

    AUREOLE_HD void all(std::int64_t (&sums)[n]) const { add_kept(corner_, 4, sums); }

private:
    AUREOLE_HD void add_kept(const Ranked<1 + carried, Real> (&c)[4], int kept, std::int64_t (&sums)[n]) const
    {
        Real total[n] = {};
        if (kept > 0) {
            PieceChain<1 + carried, Real> chain = chain_of(c, kept, share_);
            AUREOLE_ROLLED
            for (int m = 0; m < chain.count; ++m) {
                if (m > 0) chain.advance(m - 1);
                Piece<carried, Real> piece;
                for (int j = 0; j < 4; ++j)
                    for (int k = 0; k < carried; ++k) piece.corner[j].at[3 + k] = chain.corner[j][1 + k];
                piece.share = chain.share_of(m);
                add_moments(piece, total);
            }
        }
        for (int s = 0; s < n; ++s) sums[s] = to_fixed(total[s]);
    }

    Ranked<1 + carried, Real> corner_[4];
    Real share_;
};

/// The same for shares only.
template <class Real>
class RowPiece<0, Real> {
public:
    AUREOLE_HD RowPiece(const Real (&corner)[4][1], Real share)
        : shares_(corner[0][0], corner[1][0], corner[2][0], corner[3][0], share), share_(share)
    {
    }
    AUREOLE_HD void below(int plane, std::int64_t (&sums)[1]) const
    {
        sums[0] = to_fixed(shares_(static_cast<Real>(plane)));
    }
    AUREOLE_HD void all(std::int64_t (&sums)[1]) const { sums[0] = to_fixed(share_); }

private:
    SharesBelow<Real> shares_;
    Real share_;
};

/// Calls sink(k, sums) for cells low .. low + n - 1 of the row that the piece reaches into. Over all cells of
/// the row its sums add up to those of the piece, whatever the tiles.
template <int carried, class Real, class Sink>
AUREOLE_HD void for_each_cell(const Real (&corner)[4][1 + carried], Real share, int cells, int low, int n,
                              Sink&& sink)
{
    const PieceSpan span(corner[0][0], corner[1][0], corner[2][0], corner[3][0], cells);
    const int first = span.low > low ? span.low : low,
              last = span.high < low + n - 1 ? span.high : low + n - 1;
    if (first > last) return;
    const RowPiece<carried, Real> piece(corner, share);
    std::int64_t before[n_sums<carried>] = {}, next[n_sums<carried>], sums[n_sums<carried>];
    if (first > span.low) piece.below(first, before);
    AUREOLE_ROLLED
    for (int k = first; k <= last; ++k) {
        if (k == span.high)
            piece.all(next);
        else
            piece.below(k + 1, next);
        for (int s = 0; s < n_sums<carried>; ++s) {
            sums[s] = next[s] - before[s];
            before[s] = next[s];
        }
        sink(k, sums);
    }
}

/// The pieces of a part along y of a slab's piece. corner(c, k): y, z or quantity k of corner c.
template <int carried, class Real, class CornerOf>
AUREOLE_HD PieceChain<1 + carried, Real> row_pieces(const AxisPart& part, CornerOf&& corner, Real share)
{
    const Side side = part.side();
    Ranked<1 + carried, Real> c[4];
    for (int j = 0; j < 4; ++j) {
        c[j].kept = kept_distance(corner(j, 0), static_cast<Real>(part.plane), side);
        for (int k = 0; k < 1 + carried; ++k) c[j].at[k] = corner(j, 1 + k);
    }
    rank_all(c);
    const int kept = part.whole ? 4 : kept_count(c, side);
    PieceChain<1 + carried, Real> chain = chain_of(c, kept, share);
    if (kept == 0) chain.count = 0;  // by rounding
    return chain;
}

}  // namespace aureole::density
