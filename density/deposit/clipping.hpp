// Clips pieces of a tetrahedron by planes. A piece carries its share of the whole tetrahedron, not its
// volume. A cut multiplies shares by the ratios in which it divides edges:
//     one corner kept:    t0 t1 t2
//     three corners kept: t0 + s0 t1 + s0 s1 t2
//     two corners kept:   t10 t11 + t00 t01 s11 + t00 t11 s10,    t = kept part of an edge, s = 1 - t,
// and each term is a tetrahedron. Nothing is subtracted and no volume is divided by, so a share is right to a
// few roundings for any shape, and a flat tetrahedron has the share of the limit: the image of a uniform
// simplex on its plane, line or point. A cut leaves at most three pieces, O(1).
#pragma once

#include "sim/core/backend.hpp"

namespace aureole::density {

/// A corner of a piece: its position in cells, and `carried` quantities that vary linearly (the velocity).
template <int carried, class Real = double>
struct Corner {
    Real at[3 + carried];
};

template <int carried, class Real = double>
struct Piece {
    Corner<carried, Real> corner[4];
    Real share;  ///< of the whole tetrahedron, 0 to 1
};

enum class Side { below, above };  ///< strictly below a plane, or on it and above

/// The order of corners with the `count` corners of the kept side first.
struct KeptFirst {
    int count;
    int corner[4];
};

/// The distance of a corner from a plane, positive on the side that is kept.
template <class Real>
AUREOLE_HD Real kept_distance(Real x, Real plane, Side side)
{
    return side == Side::below ? plane - x : x - plane;
}

template <int axis, int carried>
AUREOLE_HD KeptFirst kept_first(const Piece<carried>& piece, double plane, Side side)
{
    KeptFirst order{0, {0, 0, 0, 0}};
    int dropped = 4;
    for (int c = 0; c < 4; ++c) {
        const double x = piece.corner[c].at[axis];
        if (side == Side::below ? x < plane : x >= plane)
            order.corner[order.count++] = c;
        else
            order.corner[--dropped] = c;
    }
    return order;
}

/// The parts in which a plane divides the edge from a kept to a dropped corner.
struct Division {
    double kept, dropped;  ///< parts of the edge; they add up to 1
};

template <int axis, int carried>
AUREOLE_HD Division divide(const Corner<carried>& kept, const Corner<carried>& dropped, double plane,
                           Side side)
{
    const double a = kept_distance(kept.at[axis], plane, side);
    const double b = -kept_distance(dropped.at[axis], plane, side);
    const double whole = 1 / (a + b);  // one of them is positive, neither is negative
    return {a * whole, b * whole};
}

/// The new corner on the plane. Coordinates of lower axes are not set, as later cuts do not use them.
template <int axis, int carried>
AUREOLE_HD Corner<carried> between(const Corner<carried>& kept, const Corner<carried>& dropped, Division d,
                                   double plane)
{
    Corner<carried> made;
    made.at[axis] = plane;
    for (int k = axis + 1; k < 3 + carried; ++k)
        made.at[k] = kept.at[k] + d.kept * (dropped.at[k] - kept.at[k]);
    return made;
}

/// One corner is kept: a tetrahedron.
template <int axis, int carried>
AUREOLE_HD int keep_one(const Piece<carried>& piece, const KeptFirst& order, double plane, Side side,
                        Piece<carried>* out)
{
    const Corner<carried>& k0 = piece.corner[order.corner[0]];
    out[0].corner[0] = k0;
    out[0].share = piece.share;
    for (int j = 0; j < 3; ++j) {
        const Corner<carried>& d = piece.corner[order.corner[1 + j]];
        const Division part = divide<axis>(k0, d, plane, side);
        out[0].corner[1 + j] = between<axis>(k0, d, part, plane);
        out[0].share *= part.kept;
    }
    return 1;
}

/// Three corners are kept: a prism, divided into three tetrahedra along its diagonals.
template <int axis, int carried>
AUREOLE_HD int keep_three(const Piece<carried>& piece, const KeptFirst& order, double plane, Side side,
                          Piece<carried>* out)
{
    const Corner<carried>& dropped = piece.corner[order.corner[3]];
    Corner<carried> whole[3], made[3];
    double rest = piece.share;
    for (int i = 0; i < 3; ++i) {
        whole[i] = piece.corner[order.corner[i]];
        const Division part = divide<axis>(whole[i], dropped, plane, side);
        made[i] = between<axis>(whole[i], dropped, part, plane);
        out[i].share = rest * part.kept;
        rest *= part.dropped;
    }
    for (int i = 0; i < 3; ++i)  // made 0..i, then whole i..2: each a tetrahedron
        for (int c = 0; c < 4; ++c) out[i].corner[c] = c <= i ? made[c] : whole[c - 1];
    return 3;
}

/// Two corners are kept: a wedge, divided into three tetrahedra.
template <int axis, int carried>
AUREOLE_HD int keep_two(const Piece<carried>& piece, const KeptFirst& order, double plane, Side side,
                        Piece<carried>* out)
{
    Corner<carried> whole[2], made[2][2];
    Division part[2][2];
    for (int i = 0; i < 2; ++i) {
        whole[i] = piece.corner[order.corner[i]];
        for (int j = 0; j < 2; ++j) {
            const Corner<carried>& dropped = piece.corner[order.corner[2 + j]];
            part[i][j] = divide<axis>(whole[i], dropped, plane, side);
            made[i][j] = between<axis>(whole[i], dropped, part[i][j], plane);
        }
    }
    out[0] = {{whole[0], whole[1], made[1][0], made[1][1]}, piece.share * part[1][0].kept * part[1][1].kept};
    out[1] = {{whole[0], made[0][0], made[0][1], made[1][1]},
              piece.share * part[0][0].kept * part[0][1].kept * part[1][1].dropped};
    out[2] = {{whole[0], made[0][0], made[1][1], made[1][0]},
              piece.share * part[0][0].kept * part[1][1].kept * part[1][0].dropped};
    return 3;
}

/// Writes the at most three pieces on one side of a plane across `axis`; returns their number. Coordinates of
/// lower axes are lost.
template <int axis, int carried>
AUREOLE_HD int cut(const Piece<carried>& piece, double plane, Side side, Piece<carried>* out)
{
    const KeptFirst order = kept_first<axis>(piece, plane, side);
    switch (order.count) {
        case 0:
            return 0;
        case 1:
            return keep_one<axis>(piece, order, plane, side, out);
        case 2:
            return keep_two<axis>(piece, order, plane, side, out);
        case 3:
            return keep_three<axis>(piece, order, plane, side, out);
        default:
            out[0] = piece;
            return 1;
    }
}

/// The shares of a piece below planes across one axis, from the four sorted coordinates: the cubic spline
/// that is the distribution of a linear function over a simplex.
template <class Real>
class SharesBelow {
public:
    AUREOLE_HD SharesBelow(Real a, Real b, Real c, Real d, Real share) : x_{a, b, c, d}, share_(share)
    {
        sort(0, 1);
        sort(2, 3);
        sort(0, 2);
        sort(1, 3);
        sort(1, 2);
    }

    AUREOLE_HD Real lowest() const { return x_[0]; }
    AUREOLE_HD Real highest() const { return x_[3]; }

    AUREOLE_HD Real operator()(Real plane) const
    {
        const Real a0 = plane - x_[0], a1 = plane - x_[1], b2 = x_[2] - plane, b3 = x_[3] - plane;
        if (a0 <= 0) return 0;
        if (b3 <= 0) return share_;
        const bool first = a1 <= 0, last = !first && b2 <= 0;  // below the second corner, above the third
        const Real x20 = x_[2] - x_[0], x21 = x_[2] - x_[1], x30 = x_[3] - x_[0], x31 = x_[3] - x_[1];
        const Real middle = a1 * a1 * x20 * x30 + a0 * (a0 * b3 * x21 + a1 * b2 * x30);
        const Real above = first ? a0 * a0 * a0 : last ? b3 * b3 * b3 : middle;
        const Real below = first ? (x_[1] - x_[0]) * x20 : last ? x31 * (x_[3] - x_[2]) : x20 * x21 * x31;
        const Real part = above / (below * x30);
        return share_ * (last ? 1 - part : part);
    }

private:
    AUREOLE_HD void sort(int a, int b)
    {
        const Real low = x_[a] < x_[b] ? x_[a] : x_[b], high = x_[a] < x_[b] ? x_[b] : x_[a];
        x_[a] = low;
        x_[b] = high;
    }

    Real x_[4], share_;
};

}  // namespace aureole::density
