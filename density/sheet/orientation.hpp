// Exact tests on which side of a plane a point lies, and exact barycentric weights. Coordinates are multiples
// of a quantum, so determinants are integers of at most 162 bits. Double arithmetic decides where the bound
// on its rounding errors allows it (Shewchuk 1997, section 4.2), 128-bit integers decide otherwise. A point
// on the plane is moved by (e, e^2, e^3) with an infinitesimal e (Edelsbrunner & Muecke 1990), so both
// tetrahedra that share the face agree.
#pragma once

#include <cmath>

#include "density/sheet/tessellation.hpp"
#include "sim/core/sums/fixed_sum.hpp"

namespace aureole::density {

/// A vector in quanta: each component below 2^54.
struct QuantumVector {
    std::int64_t x, y, z;
};

AUREOLE_HD inline QuantumVector to_quanta(Vec3 v, Vec3 quantum)
{
    return {static_cast<std::int64_t>(v.x / quantum.x), static_cast<std::int64_t>(v.y / quantum.y),
            static_cast<std::int64_t>(v.z / quantum.z)};
}

AUREOLE_HD inline int sign_of(Int128 a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }

AUREOLE_HD inline Int128 minor_of(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d)
{
    return static_cast<Int128>(a) * d - static_cast<Int128>(b) * c;
}

/// The integer high 2^54 + low, 0 <= low < 2^54.
struct WideInteger {
    static constexpr int half = 54;
    Int128 high, low;

    AUREOLE_HD int sign() const { return high != 0 ? sign_of(high) : sign_of(low); }
};

/// sum_k minor[k] * factor[k]: minors have 109 bits, so products are summed in two halves of 54 bits.
AUREOLE_HD inline WideInteger sum_of_products(const Int128 (&minor)[3], const std::int64_t (&factor)[3])
{
    constexpr int half = WideInteger::half;
    Int128 high = 0, low = 0;
    for (int k = 0; k < 3; ++k) {
        const Int128 upper = minor[k] >> half;  // rounds down: the rest is positive
        high += upper * factor[k];
        low += (minor[k] - (upper << half)) * factor[k];
    }
    high += low >> half;
    low -= (low >> half) << half;
    return {high, low};
}

/// Sign of (p - a) . (b - a) x (c - a) in quanta; p is moved by the infinitesimal step unless `in_place`.
AUREOLE_HD inline int exact_side(QuantumVector ab, QuantumVector ac, QuantumVector ap, bool in_place)
{
    const Int128 normal[3] = {minor_of(ab.y, ab.z, ac.y, ac.z), minor_of(ab.z, ab.x, ac.z, ac.x),
                              minor_of(ab.x, ab.y, ac.x, ac.y)};
    const std::int64_t factor[3] = {ap.x, ap.y, ap.z};
    const int sign = sum_of_products(normal, factor).sign();
    if (sign != 0 || in_place) return sign;
    for (int k = 0; k < 3; ++k)
        if (normal[k] != 0) return sign_of(normal[k]);
    return 0;
}

/// The side of the plane a, b, c that p lies on: 1 where a, b, c turn anticlockwise as seen from p, -1 on the
/// other side, 0 when a, b, c are on one line and, with `in_place`, when p is on the plane.
AUREOLE_HD inline int side_of(Vec3 a, Vec3 b, Vec3 c, Vec3 p, Vec3 quantum, bool in_place = false)
{
    const Vec3 ab = b - a, ac = c - a, ap = p - a;  // exact
    const double yz = ab.y * ac.z, zy = ab.z * ac.y, zx = ab.z * ac.x, xz = ab.x * ac.z, xy = ab.x * ac.y,
                 yx = ab.y * ac.x;
    const double determinant = ap.x * (yz - zy) + ap.y * (zx - xz) + ap.z * (xy - yx);
    const double size = std::fabs(ap.x) * (std::fabs(yz) + std::fabs(zy)) +
                        std::fabs(ap.y) * (std::fabs(zx) + std::fabs(xz)) +
                        std::fabs(ap.z) * (std::fabs(xy) + std::fabs(yx));
    constexpr double rounding = 8 * 0x1p-53;  // five roundings at most along any path, and those of `size`
    if (determinant > rounding * size) return 1;
    if (determinant < -rounding * size) return -1;
    return exact_side(to_quanta(ab, quantum), to_quanta(ac, quantum), to_quanta(ap, quantum), in_place);
}

/// The orientation of the tetrahedron, 1 or -1, when it contains the point (moved by the infinitesimal step);
/// 0 when it does not, and for tetrahedra without volume. Over a closed sheet the orientations at any point
/// add up to 1.
AUREOLE_HD inline int holds(const Tetrahedron& t, Vec3 p, Vec3 quantum)
{
    const Vec3 *a = t.corner, *b = a + 1, *c = a + 2, *d = a + 3;
    const int side = side_of(*a, *b, *c, p, quantum);
    if (side == 0 || side_of(*a, *d, *b, p, quantum) != side || side_of(*a, *c, *d, p, quantum) != side ||
        side_of(*b, *d, *c, p, quantum) != side)
        return 0;
    return side_of(*a, *b, *c, *d, quantum, true) == side ? side : 0;
}

/// The nearest double, rounded once.
inline double to_double(const WideInteger& a)
{
    constexpr Int128 small = static_cast<Int128>(1) << 70;
    if (a.high < small && a.high >= -small)
        return static_cast<double>((a.high * (static_cast<Int128>(1) << WideInteger::half)) + a.low);
    return std::ldexp(static_cast<double>(a.high), WideInteger::half) + static_cast<double>(a.low);
}

/// c . (a x b) in quanta^3.
inline double determinant(QuantumVector a, QuantumVector b, QuantumVector c)
{
    const Int128 normal[3] = {minor_of(a.y, a.z, b.y, b.z), minor_of(a.z, a.x, b.z, b.x),
                              minor_of(a.x, a.y, b.x, b.y)};
    const std::int64_t factor[3] = {c.x, c.y, c.z};
    return to_double(sum_of_products(normal, factor));
}

/// Where a point p is in a tetrahedron that has a volume. Volume and weights come from exact integers rounded
/// once: a volume is zero only for a flat tetrahedron, and weights inside are never negative.
struct PlaceInTetrahedron {
    double volume;     ///< of the tetrahedron in quanta^3, positive
    double weight[4];  ///< barycentric weights: p = sum of weight times corner; they add up to 1
};

inline PlaceInTetrahedron place_in(const Tetrahedron& t, Vec3 p, Vec3 quantum)
{
    const auto from = [quantum](Vec3 a, Vec3 b) { return to_quanta(b - a, quantum); };
    const Vec3* const x = t.corner;
    const QuantumVector ab = from(x[0], x[1]), ac = from(x[0], x[2]), ad = from(x[0], x[3]),
                        ap = from(x[0], p);
    const double six_volumes = determinant(ab, ac, ad);
    return {std::fabs(six_volumes) / 6,
            {determinant(from(p, x[1]), from(p, x[2]), from(p, x[3])) / six_volumes,
             determinant(ap, ac, ad) / six_volumes, determinant(ab, ap, ad) / six_volumes,
             determinant(ab, ac, ap) / six_volumes}};
}

}  // namespace aureole::density
