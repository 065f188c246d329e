// The overlap of a tetrahedron with a tile of cells, in parts that threads can share out: first rows, each
// the share beyond one plane across x and one across y, cut along z; then cells, sums of a few rows. It is
// the method of overlap.hpp (whole to the middle cell, what lies beyond a plane moved on) with the same
// formulas for shares; pieces are kept in registers, each made from the one before by another corner. O(rows
// + cells).
#pragma once

#include "density/overlap.hpp"

/// Before loops whose body is long: copies of it would not stay in the GPU's instruction cache.
#if defined(__CUDA_ARCH__)
#define AUREOLE_ROLLED _Pragma("unroll 1")
#else
#define AUREOLE_ROLLED
#endif

namespace aureole::density {

/// A corner and how far it lies on the kept side of a plane; the coordinates and quantities that later cuts
/// and sums need.
template <int dims>
struct Ranked {
    double kept;
    double at[dims];
};

/// The pieces that a plane leaves: corners of the first; each further one has another corner in place of one.
template <int dims>
struct PieceChain {
    double corner[4][dims];
    double next[2][dims];  ///< in place of corner 1, then of corner 2
    double share[3];
    int count;

    AUREOLE_HD double share_of(int m) const { return m == 0 ? share[0] : m == 1 ? share[1] : share[2]; }

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

/// Where the plane divides the edge from corner a, kept, to corner b; any number when it does not.
template <int dims>
struct CutEdge {
    double kept, dropped;  ///< parts of the edge
    double at[dims];

    AUREOLE_HD CutEdge(const Ranked<dims>& a, const Ranked<dims>& b)
    {
        const double whole = 1 / (a.kept - b.kept);
        kept = a.kept * whole;
        dropped = -b.kept * whole;
        for (int k = 0; k < dims; ++k) at[k] = a.at[k] + kept * (b.at[k] - a.at[k]);
    }
};

/// What is left of a piece of which the first `count` corners are kept, 1 to 4; pieces.hpp has the formulas.
/// The four edges that may be cut are the same code in all cases: threads stay together.
template <int dims>
AUREOLE_HD PieceChain<dims> chain_of(const Ranked<dims> (&c)[4], int count, double share)
{
    const bool one = count == 1, two = count == 2, three = count == 3;
    const CutEdge<dims> a(c[0], c[3]), b(one ? c[0] : c[1], one ? c[1] : c[3]),
        e(three ? c[2] : c[0], three ? c[3] : c[2]), d(c[1], c[2]);
    PieceChain<dims> chain;
    chain.count = two || three ? 3 : 1;
    for (int k = 0; k < dims; ++k) {
        chain.corner[0][k] = three ? a.at[k] : c[0].at[k];
        chain.corner[1][k] = one ? b.at[k] : three ? c[0].at[k] : c[1].at[k];
        chain.corner[2][k] = one ? e.at[k] : two ? d.at[k] : three ? c[1].at[k] : c[2].at[k];
        chain.corner[3][k] = one ? a.at[k] : two ? b.at[k] : three ? c[2].at[k] : c[3].at[k];
        chain.next[0][k] = two ? e.at[k] : b.at[k];
        chain.next[1][k] = two ? a.at[k] : e.at[k];
    }
    chain.share[0] = share * (one ? b.kept * e.kept * a.kept : two ? d.kept * b.kept : three ? a.kept : 1.0);
    chain.share[1] = share * (two ? e.kept * b.kept * d.dropped : a.dropped * b.kept);
    chain.share[2] = share * (two ? e.kept * a.kept * b.dropped : a.dropped * b.dropped * e.kept);
    return chain;
}

/// Puts two corners in order, the one farther on the kept side first.
template <int dims>
AUREOLE_HD void rank(Ranked<dims>& a, Ranked<dims>& b)
{
    const bool turn = a.kept < b.kept;
    const auto put = [turn](double& x, double& y) {
        const double first = turn ? y : x, second = turn ? x : y;
        x = first;
        y = second;
    };
    put(a.kept, b.kept);
    for (int k = 0; k < dims; ++k) put(a.at[k], b.at[k]);
}

template <int dims>
AUREOLE_HD void rank_all(Ranked<dims> (&c)[4])
{
    rank(c[0], c[1]);
    rank(c[2], c[3]);
    rank(c[0], c[2]);
    rank(c[1], c[3]);
    rank(c[1], c[2]);
}

template <int dims>
AUREOLE_HD int kept_count(const Ranked<dims> (&c)[4], Side side)
{
    int count = 0;
    for (int j = 0; j < 4; ++j) count += side == Side::below ? c[j].kept > 0 : c[j].kept >= 0;
    return count;
}

/// Along one axis, counted from the tetrahedron's first cell: its cells, the middle one that is given the
/// whole, and the cells of the tile.
struct TileAxis {
    int cells, middle, low, n;

    /// Planes that the tile's cells need lie below cells first_plane() .. first_plane() + planes() - 1.
    AUREOLE_HD int first_plane() const { return low > 1 ? low : 1; }
    AUREOLE_HD int planes() const
    {
        const int last = low + n < cells - 1 ? low + n : cells - 1;
        return last < first_plane() ? 0 : last - first_plane() + 1;
    }
    AUREOLE_HD bool has_middle() const { return middle >= low && middle < low + n; }
    /// What the tile needs along this axis: the parts beyond planes, then the whole if the middle is here.
    AUREOLE_HD int parts() const { return planes() + (has_middle() ? 1 : 0); }
    AUREOLE_HD bool is_whole(int part) const { return part == planes(); }
    AUREOLE_HD int plane(int part) const { return first_plane() + part; }
    AUREOLE_HD Side side(int part) const { return plane(part) <= middle ? Side::below : Side::above; }
};

/// The parts that add up to what cell i of an axis holds: at most three.
struct CellParts {
    int part[3];
    double sign[3];
    int count = 0;

    AUREOLE_HD CellParts(const TileAxis& axis, int i)
    {
        const int cell = axis.low + i;
        if (cell == axis.middle) add(axis.planes(), 1);
        if (cell > 0) add(cell - axis.first_plane(), cell <= axis.middle ? -1 : 1);
        if (cell + 1 < axis.cells) add(cell + 1 - axis.first_plane(), cell < axis.middle ? 1 : -1);
    }

private:
    AUREOLE_HD void add(int p, double s)
    {
        part[count] = p;
        sign[count++] = s;
    }
};

/// A tetrahedron as tiles see it: counted from its first cell, corners in the order of x.
template <int carried>
struct FramedTetrahedron {
    std::int64_t first[3];  ///< its first cell
    int cells[3], middle[3];
    double corner[4][3 + carried];

    AUREOLE_HD FramedTetrahedron(const Tetrahedron& t, const Piece<carried>& whole)
    {
        const CellBox full = bounding_cells(t);
        Ranked<3 + carried> c[4];
        for (int a = 0; a < 3; ++a) {
            first[a] = full.axis[a].low;
            cells[a] = static_cast<int>(full.axis[a].size());
            for (int j = 0; j < 4; ++j)
                c[j].at[a] = component(t.corner[j], a) - static_cast<double>(first[a]);  // exact
            const double third = third_of(c[0].at[a], c[1].at[a], c[2].at[a], c[3].at[a]);
            middle[a] = static_cast<int>(third);
            if (middle[a] >= cells[a]) middle[a] = cells[a] - 1;  // corners on the last plane
        }
        for (int j = 0; j < 4; ++j) {
            c[j].kept = -c[j].at[0];
            for (int k = 0; k < carried; ++k) c[j].at[3 + k] = whole.corner[j].at[3 + k];
        }
        rank_all(c);
        for (int j = 0; j < 4; ++j)
            for (int k = 0; k < 3 + carried; ++k) corner[j][k] = c[j].at[k];
    }

private:
    /// The second largest: few corners lie beyond any plane as seen from its cell.
    AUREOLE_HD static double third_of(double a, double b, double c, double d)
    {
        const double high1 = a > b ? a : b, low1 = a > b ? b : a, high2 = c > d ? c : d, low2 = c > d ? d : c;
        const double most = low1 > low2 ? low1 : low2, least = high1 < high2 ? high1 : high2;
        return most > least ? most : least;
    }
};

/// Adds the sums of a piece to cells of a row, from the shares below their planes. Corners hold z, then what
/// is carried.
template <int carried>
struct RowSums {
    static constexpr int n = n_sums<carried>;
    TileAxis z;
    double* to;  ///< [z.n][n]

    AUREOLE_HD void add(const double (&corner)[4][1 + carried], double share) const
    {
        if constexpr (carried == 0)
            add_shares(corner, share);
        else
            add_moments_below(corner, share);
    }

private:
    AUREOLE_HD void add_shares(const double (&corner)[4][1 + carried], double share) const
    {
        const SharesBelow below(corner[0][0], corner[1][0], corner[2][0], corner[3][0], share);
        double before = below(z.low);
        AUREOLE_ROLLED
        for (int k = 0; k < z.n; ++k) {
            const double next = below(z.low + k + 1);
            to[k] += next - before;
            before = next;
        }
    }

    AUREOLE_HD void add_moments_below(const double (&corner)[4][1 + carried], double share) const
    {
        Ranked<1 + carried> c[4];
        for (int j = 0; j < 4; ++j) {
            c[j].kept = -corner[j][0];
            for (int k = 0; k < 1 + carried; ++k) c[j].at[k] = corner[j][k];
        }
        rank_all(c);
        double before[n], next[n];
        below(c, z.low, share, before);
        AUREOLE_ROLLED
        for (int k = 0; k < z.n; ++k) {
            below(c, z.low + k + 1, share, next);
            for (int s = 0; s < n; ++s) {
                to[k * n + s] += next[s] - before[s];
                before[s] = next[s];
            }
        }
    }

    AUREOLE_HD void below(const Ranked<1 + carried> (&corner)[4], int plane, double share,
                          double (&sums)[n]) const
    {
        Ranked<1 + carried> c[4];
        for (int j = 0; j < 4; ++j) {
            c[j] = corner[j];
            c[j].kept = plane - corner[j].at[0];
        }
        for (int s = 0; s < n; ++s) sums[s] = 0;
        const int kept = kept_count(c, Side::below);
        if (kept == 0) return;
        PieceChain<1 + carried> chain = chain_of(c, kept, share);
        AUREOLE_ROLLED
        for (int m = 0; m < chain.count; ++m) {
            if (m > 0) chain.advance(m - 1);
            Piece<carried> piece;
            for (int j = 0; j < 4; ++j)
                for (int k = 0; k < carried; ++k) piece.corner[j].at[3 + k] = chain.corner[j][1 + k];
            piece.share = chain.share_of(m);
            add_moments(piece, sums);
        }
    }
};

/// One tetrahedron and one tile. Rows are numbered by the pieces of all parts along x, then the parts along
/// y.
template <int carried>
struct TileOverlap {
    static constexpr int n = n_sums<carried>;
    TileAxis axis[3];
    unsigned pieces = 0;  ///< how many each part along x has, two bits for each

    /// corner(c, k): coordinate or quantity k of corner c, as FramedTetrahedron has them.
    template <class CornerOf>
    AUREOLE_HD void count_pieces(CornerOf&& corner)
    {
        pieces = 0;
        for (int part = 0; part < axis[0].parts(); ++part) {
            int kept = 4;
            if (!axis[0].is_whole(part)) {
                const bool below = axis[0].side(part) == Side::below;
                const double plane = axis[0].plane(part);
                kept = 0;
                for (int c = 0; c < 4; ++c) kept += below ? corner(c, 0) < plane : corner(c, 0) >= plane;
            }
            pieces |= (kept == 2 || kept == 3 ? 3u : 1u) << (2 * part);
        }
    }

    /// Pieces of all parts before this one.
    AUREOLE_HD int pieces_before(int part) const
    {
        int sum = 0;
        for (unsigned rest = pieces & ((1u << (2 * part)) - 1); rest != 0; rest >>= 2)
            sum += static_cast<int>(rest & 3);
        return sum;
    }
    AUREOLE_HD int pieces_of(int part) const { return static_cast<int>(pieces >> (2 * part) & 3); }

    AUREOLE_HD int rows() const { return pieces_before(axis[0].parts()) * axis[1].parts(); }
    AUREOLE_HD int cells() const { return axis[0].n * axis[1].n * axis[2].n; }
    AUREOLE_HD int row_doubles() const { return axis[2].n * n; }

    /// The sums of row r, onto to[axis[2].n][n].
    template <class CornerOf>
    AUREOLE_HD void row(int r, CornerOf&& corner, double* to) const
    {
        const int b = r % axis[1].parts();
        int part = 0, m = r / axis[1].parts();  // piece m of the part
        while (m >= pieces_of(part)) m -= pieces_of(part++);
        for (int k = 0; k < row_doubles(); ++k) to[k] = 0;
        const bool whole = axis[0].is_whole(part);
        const Side side = whole ? Side::below : axis[0].side(part);
        const double plane = axis[0].plane(part);
        Ranked<2 + carried> c[4];
        for (int j = 0; j < 4; ++j) {
            const int from = side == Side::below ? j : 3 - j;
            c[j].kept = kept_distance(corner(from, 0), plane, side);
            for (int k = 0; k < 2 + carried; ++k) c[j].at[k] = corner(from, 1 + k);
        }
        PieceChain<2 + carried> chain = chain_of(c, whole ? 4 : kept_count(c, side), 1);
        if (m > 0) chain.advance(0);
        if (m > 1) chain.advance(1);
        add_slab_piece(chain.corner, chain.share_of(m), b, RowSums<carried>{axis[2], to});
    }

    /// What of the rows belongs to cell i, j, k of the tile; rows are row_doubles() apart.
    AUREOLE_HD void cell(int i, int j, int k, const double* rows, double (&sums)[n]) const
    {
        const CellParts x(axis[0], i), y(axis[1], j);
        for (int s = 0; s < n; ++s) sums[s] = 0;
        for (int a = 0; a < x.count; ++a) {
            const int first = pieces_before(x.part[a]);
            for (int m = 0; m < pieces_of(x.part[a]); ++m)
                for (int b = 0; b < y.count; ++b) {
                    const double sign = x.sign[a] * y.sign[b];
                    const int r = (first + m) * axis[1].parts() + y.part[b];
                    for (int s = 0; s < n; ++s) sums[s] += sign * rows[r * row_doubles() + k * n + s];
                }
        }
    }

private:
    AUREOLE_HD void add_slab_piece(const double (&corner)[4][2 + carried], double share, int b,
                                   const RowSums<carried>& sums) const
    {
        const bool whole = axis[1].is_whole(b);
        const Side side = whole ? Side::below : axis[1].side(b);
        const double plane = axis[1].plane(b);
        Ranked<1 + carried> c[4];
        for (int j = 0; j < 4; ++j) {
            c[j].kept = kept_distance(corner[j][0], plane, side);
            for (int k = 0; k < 1 + carried; ++k) c[j].at[k] = corner[j][1 + k];
        }
        rank_all(c);
        const int kept = whole ? 4 : kept_count(c, side);
        if (kept == 0) return;
        PieceChain<1 + carried> chain = chain_of(c, kept, share);
        AUREOLE_ROLLED
        for (int m = 0; m < chain.count; ++m) {
            if (m > 0) chain.advance(m - 1);
            sums.add(chain.corner, chain.share_of(m));
        }
    }
};

}  // namespace aureole::density
