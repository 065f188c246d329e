// Where in a tetrahedron a point is: its volume and the weights of its corners, from determinants that are
// integers of 162 bits and rounded once. So a volume is zero only when it is, weights are never negative
// inside, and both are right to a rounding for the flattest tetrahedron.
#pragma once

#include "density/sheet/orientation.hpp"

namespace aureole::density {

/// Rounded once.
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

/// Of a point p in a tetrahedron that has a volume.
struct PlaceInTetrahedron {
    double volume;     ///< of the tetrahedron in quanta^3, positive
    double weight[4];  ///< of its corners: p = sum weight corner; they add up to 1
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
