// Multipoles and local expansions of |phi| = sum m / sqrt(r^2 + eps^2), in Cartesian coordinates: sources up
// to their quadrupole, targets up to the third order, without what is of higher order in both together (as in
// Dehnen 2002, J. Comput. Phys. 179, 27, with softening). Real: double, or a vector of doubles on the host.
#pragma once

#include <cmath>

#include "sim/core/vec3.hpp"

namespace aureole::halo::list_tree {

/// Terms of pairs with a smaller r^2 + eps^2, in scaled units, count nothing: the members share a place, or
/// as good as. Above, a reciprocal root has no subnormal numbers to deal with.
inline constexpr double least_squared = 0x1p-1022;

/// Of members: centre of mass x, y, z; mass; second moments about the centre xx, yy, zz, xy, xz, yz.
template <class Real>
struct Multipole {
    static constexpr int terms = 10;
    Real term[terms];
};

/// |phi| at a centre, and its derivatives there: 1 gradient (3), second (xx, yy, zz, xy, xz, yz), third (xxx,
/// xxy, xxz, xyy, xyz, xzz, yyy, yyz, yzz, zzz).
template <class Real>
struct Expansion {
    static constexpr int terms = 20;
    Real term[terms];
};

/// Adds what `source` contributes at `d` = centre of the expansion - centre of mass; `inverse` is 1 /
/// sqrt(d^2 + eps^2).
template <class Real>
AUREOLE_HD inline void add_multipole(const Multipole<Real>& source, Real dx, Real dy, Real dz, Real inverse,
                                     Expansion<Real>& to)
{
    const Real* const q = source.term + 4;
    Real* const t = to.term;
    const Real mass = source.term[3], inverse2 = inverse * inverse, i3 = inverse * inverse2;
    const Real i5 = Real(3.0) * i3 * inverse2, i7 = Real(5.0) * i5 * inverse2;
    const Real qx = q[0] * dx + q[3] * dy + q[4] * dz, qy = q[3] * dx + q[1] * dy + q[5] * dz,
               qz = q[4] * dx + q[5] * dy + q[2] * dz;
    const Real along = qx * dx + qy * dy + qz * dz, trace = q[0] + q[1] + q[2];
    t[0] += mass * inverse + Real(0.5) * (i5 * along - i3 * trace);
    const Real radial = Real(0.5) * (i5 * trace - i7 * along) - mass * i3;
    t[1] += radial * dx + i5 * qx;
    t[2] += radial * dy + i5 * qy;
    t[3] += radial * dz + i5 * qz;
    const Real m3 = mass * i3, m5 = mass * i5, m7 = mass * i7;
    const Real xx = dx * dx, yy = dy * dy, zz = dz * dz, xy = dx * dy;
    t[4] += m5 * xx - m3;
    t[5] += m5 * yy - m3;
    t[6] += m5 * zz - m3;
    t[7] += m5 * xy;
    t[8] += m5 * (dx * dz);
    t[9] += m5 * (dy * dz);
    const Real x7 = m5 - m7 * xx, y7 = m5 - m7 * yy, z7 = m5 - m7 * zz;
    t[10] += dx * (x7 + (m5 + m5));
    t[11] += dy * x7;
    t[12] += dz * x7;
    t[13] += dx * y7;
    t[14] -= m7 * (xy * dz);
    t[15] += dx * z7;
    t[16] += dy * (y7 + (m5 + m5));
    t[17] += dz * y7;
    t[18] += dy * z7;
    t[19] += dz * (z7 + (m5 + m5));
}

/// The value of the expansion at `u` from its centre.
AUREOLE_HD inline double value_of(const Expansion<double>& expansion, Vec3 u)
{
    const double* const t = expansion.term;
    const double xx = u.x * u.x, yy = u.y * u.y, zz = u.z * u.z;
    const double first = t[1] * u.x + t[2] * u.y + t[3] * u.z;
    const double second =
        0.5 * (t[4] * xx + t[5] * yy + t[6] * zz) + u.x * (t[7] * u.y + t[8] * u.z) + t[9] * u.y * u.z;
    const double third = u.x * (t[10] * xx + 3 * (t[11] * u.y + t[12] * u.z) * u.x + 3 * t[13] * yy +
                                6 * t[14] * u.y * u.z + 3 * t[15] * zz) +
                         u.y * (t[16] * yy + 3 * t[17] * u.y * u.z + 3 * t[18] * zz) + t[19] * zz * u.z;
    return t[0] + first + second + third / 6;
}

/// What add_multipole() errs by at most at targets within `reach` of the expansion's centre, where no member
/// of the source is farther than `radius` from its centre of mass, and balls around both are far_apart().
/// `second` is the source's sum m r^2, `inverse` as above. With w = target - member, each about its centre,
/// the term of order n of the Taylor series is at most |w|^n inverse^(n + 1), as softening is a step into a
/// fourth dimension. Left out are the source's third moments and the orders from the fourth on, where sums of
/// m r^k follow from those of m and m r^2. Where the series may not converge, the source is compared with its
/// mass at its centre: a member at r from there, at s from a target whose distance is D, differs from the
/// first two terms by at most r^2 / (D^2 s) (law of cosines), and s is no less than a quarter of the
/// distance, as 0.4 of that of the balls' centres is left between them.
AUREOLE_HD inline float multipole_error(float mass, float second, float radius, float reach, float inverse)
{
    constexpr float up = 1.001f, one = 0.999f;  // for roundings here
    const float u = reach * inverse, v = radius * inverse, j = second * inverse * inverse,
                fourth = mass * u * u;
    if (u + v > 0.98f) {
        const float nearer = 1 / (one - u);
        return up * inverse * (j * (4 * nearer * nearer + 1 + 3 * u) + fourth * u * u * nearer);
    }
    const float powers = u * u * (fourth + 4 * u * std::sqrt(mass * j) + 6 * j) + j * v * (4 * u + v);
    return up * inverse * (j * v + powers / (one - u - v));
}

}  // namespace aureole::halo::list_tree
