// The field of distant cells as one Taylor series about the middle of a group of targets.
// A cell at R from the origin, of mass m and second moments Q, has at y the potential -S(y) with
//     S(y) = sum_n 1/n! y^n . L_n,    L_n = u^(n+1) (m h_n + 1/2 q : h_(n+2)),    q = u^2 Q,  e = u R,
// u = (R^2 + eps^2)^(-1/2), where h_n(e) are the derivatives of 1/r at R times (-1)^n / u^(n+1): h_0 = 1,
// h_1 = e, h_2 = 3 e e - 1, ... (Dehnen 2002, J. Comput. Phys. 179, 27, whose expansion stops one order
// earlier). Here ranks up to 4: accelerations to third order in y. Without softening no L_n has a trace, so
// components with two z follow from the others: 25 numbers, and the trace of L_2, which softening makes
// -3 m eps^2 u^5. Those of higher ranks are smaller by another (y/R)^2 and left out.
#pragma once

#include <cmath>

#include "gravity/tree/acceptance.hpp"

namespace aureole::gravity::tree {

inline constexpr int n_local = 26;

/// Where the independent components of each rank are.
enum LocalIndex : int {
    local_0 = 0,
    local_x = 1,
    local_y,
    local_z,
    local_xx = 4,
    local_xy,
    local_yy,
    local_xz,
    local_yz,
    local_xxx = 9,
    local_xxy,
    local_xyy,
    local_yyy,
    local_xxz,
    local_xyz,
    local_yyz,
    local_xxxx = 16,
    local_xxxy,
    local_xxyy,
    local_xyyy,
    local_yyyy,
    local_xxxz,
    local_xxyz,
    local_xyyz,
    local_yyyz,
    local_trace  ///< xx + yy + zz of rank 2
};

/// A cell as the expansion sees it; lengths in units of the group. T: a number, or a vector of numbers.
template <class T>
struct DistantCell {
    T x, y, z, mass;
    T xx, xy, xz, yy, yz, zz;  ///< second moments
};

/// Adds the cell to L[0, n_local). `inverse` is u.
template <class T>
AUREOLE_HD inline void add_to_local(const DistantCell<T>& c, T inverse, T softening2, T* L)
{
    const T u = inverse, u2 = u * u, half = T(0.5) * u2;
    const T x = c.x * u, y = c.y * u, z = c.z * u;
    const T x2 = x * x, y2 = y * y, xy = x * y;
    const T h_xx = T(3) * x2 - T(1), h_xy = T(3) * xy, h_yy = T(3) * y2 - T(1), h_xz = T(3) * x * z,
            h_yz = T(3) * y * z;
    // rank 3: 15 e e e less 3 (delta e)
    const T five_x2 = T(5) * x2 - T(1), five_y2 = T(5) * y2 - T(1);
    const T h_xxx = T(3) * x * (five_x2 - T(2)), h_xxy = T(3) * y * five_x2, h_xyy = T(3) * x * five_y2,
            h_yyy = T(3) * y * (five_y2 - T(2)), h_xxz = T(3) * z * five_x2, h_xyz = T(15) * xy * z,
            h_yyz = T(3) * z * five_y2;
    // rank 4: 105 e e e e less 15 (delta e e) plus 3 (delta delta)
    const T seven_x2 = T(7) * x2, seven_y2 = T(7) * y2;
    const T h_xxxx = T(15) * x2 * (seven_x2 - T(6)) + T(9), h_xxxy = T(15) * xy * (seven_x2 - T(3)),
            h_xxyy = T(15) * (x2 * (seven_y2 - T(1)) - y2) + T(3), h_xyyy = T(15) * xy * (seven_y2 - T(3)),
            h_yyyy = T(15) * y2 * (seven_y2 - T(6)) + T(9), h_xxxz = T(15) * x * z * (seven_x2 - T(3)),
            h_xxyz = T(15) * y * z * (seven_x2 - T(1)), h_xyyz = T(15) * x * z * (seven_y2 - T(1)),
            h_yyyz = T(15) * y * z * (seven_y2 - T(3));
    const T q_xx = half * (c.xx - c.zz), q_yy = half * (c.yy - c.zz), q_xy = u2 * c.xy, q_xz = u2 * c.xz,
            q_yz = u2 * c.yz, m = c.mass;
    // 1/2 q : h, by the components of h that carry the two indices xx, xy, yy, xz, yz
    const auto contracted = [&](T xx, T xy_, T yy, T xz, T yz) {
        return q_xx * xx + q_xy * xy_ + q_yy * yy + q_xz * xz + q_yz * yz;
    };
    const T h_xzz = -(h_xxx + h_xyy), h_yzz = -(h_xxy + h_yyy);
    const T h_xxzz = -(h_xxxx + h_xxyy), h_xyzz = -(h_xxxy + h_xyyy), h_yyzz = -(h_xxyy + h_yyyy);
    T scale = u;
    L[local_0] += scale * (m + contracted(h_xx, h_xy, h_yy, h_xz, h_yz));
    scale = scale * u;
    L[local_x] += scale * (m * x + contracted(h_xxx, h_xxy, h_xyy, h_xxz, h_xyz));
    L[local_y] += scale * (m * y + contracted(h_xxy, h_xyy, h_yyy, h_xyz, h_yyz));
    L[local_z] += scale * (m * z + contracted(h_xxz, h_xyz, h_yyz, h_xzz, h_yzz));
    scale = scale * u;
    L[local_xx] += scale * (m * h_xx + contracted(h_xxxx, h_xxxy, h_xxyy, h_xxxz, h_xxyz));
    L[local_xy] += scale * (m * h_xy + contracted(h_xxxy, h_xxyy, h_xyyy, h_xxyz, h_xyyz));
    L[local_yy] += scale * (m * h_yy + contracted(h_xxyy, h_xyyy, h_yyyy, h_xyyz, h_yyyz));
    L[local_xz] += scale * (m * h_xz + contracted(h_xxxz, h_xxyz, h_xyyz, h_xxzz, h_xyzz));
    L[local_yz] += scale * (m * h_yz + contracted(h_xxyz, h_xyyz, h_yyyz, h_xyzz, h_yyzz));
    L[local_trace] -= scale * (T(3) * m * softening2 * u2);
    scale = scale * u * m;
    L[local_xxx] += scale * h_xxx;
    L[local_xxy] += scale * h_xxy;
    L[local_xyy] += scale * h_xyy;
    L[local_yyy] += scale * h_yyy;
    L[local_xxz] += scale * h_xxz;
    L[local_xyz] += scale * h_xyz;
    L[local_yyz] += scale * h_yyz;
    scale = scale * u;
    L[local_xxxx] += scale * h_xxxx;
    L[local_xxxy] += scale * h_xxxy;
    L[local_xxyy] += scale * h_xxyy;
    L[local_xyyy] += scale * h_xyyy;
    L[local_yyyy] += scale * h_yyyy;
    L[local_xxxz] += scale * h_xxxz;
    L[local_xxyz] += scale * h_xxyz;
    L[local_xyyz] += scale * h_xyyz;
    L[local_yyyz] += scale * h_yyyz;
}

/// Acceleration and S, which is minus the potential.
template <class T>
struct LocalField {
    T ax, ay, az, phi;
};

/// The series at (x, y, z) from the origin: gradient of S and S itself. `L` may be anything with n_local
/// elements.
template <class T, class Coefficients>
AUREOLE_HD inline LocalField<T> local_field(const Coefficients& L, T x, T y, T z)
{
    // L_4 . y: rank 3
    const T v_xxx = L[local_xxxx] * x + L[local_xxxy] * y + L[local_xxxz] * z;
    const T v_xxy = L[local_xxxy] * x + L[local_xxyy] * y + L[local_xxyz] * z;
    const T v_xyy = L[local_xxyy] * x + L[local_xyyy] * y + L[local_xyyz] * z;
    const T v_yyy = L[local_xyyy] * x + L[local_yyyy] * y + L[local_yyyz] * z;
    const T v_xxz = L[local_xxxz] * x + L[local_xxyz] * y - (L[local_xxxx] + L[local_xxyy]) * z;
    const T v_xyz = L[local_xxyz] * x + L[local_xyyz] * y - (L[local_xxxy] + L[local_xyyy]) * z;
    const T v_yyz = L[local_xyyz] * x + L[local_yyyz] * y - (L[local_xxyy] + L[local_yyyy]) * z;
    struct Matrix {
        T xx, xy, yy, xz, yz;
    };
    const auto dot_rank_3 = [&](T xxx, T xxy, T xyy, T yyy, T xxz, T xyz, T yyz) {
        return Matrix{xxx * x + xxy * y + xxz * z, xxy * x + xyy * y + xyz * z, xyy * x + yyy * y + yyz * z,
                      xxz * x + xyz * y - (xxx + xyy) * z, xyz * x + yyz * y - (xxy + yyy) * z};
    };
    const Matrix four = dot_rank_3(v_xxx, v_xxy, v_xyy, v_yyy, v_xxz, v_xyz, v_yyz);
    const Matrix three = dot_rank_3(L[local_xxx], L[local_xxy], L[local_xyy], L[local_yyy], L[local_xxz],
                                    L[local_xyz], L[local_yyz]);
    const auto row = [&](T xx, T xy, T xz) { return xx * x + xy * y + xz * z; };
    const auto gradient = [&](T second, T third, T fourth) {
        const Matrix m{second * L[local_xx] + third * three.xx + fourth * four.xx,
                       second * L[local_xy] + third * three.xy + fourth * four.xy,
                       second * L[local_yy] + third * three.yy + fourth * four.yy,
                       second * L[local_xz] + third * three.xz + fourth * four.xz,
                       second * L[local_yz] + third * three.yz + fourth * four.yz};
        struct Row {
            T x, y, z;
        };
        return Row{L[local_x] + row(m.xx, m.xy, m.xz), L[local_y] + row(m.xy, m.yy, m.yz),
                   L[local_z] + row(m.xz, m.yz, second * L[local_trace] - (m.xx + m.yy))};
    };
    const auto a = gradient(T(1), T(0.5), T(1.0 / 6));
    const auto s = gradient(T(0.5), T(1.0 / 6), T(1.0 / 24));
    return {a.x, a.y, a.z, L[local_0] + row(s.x, s.y, s.z)};
}

}  // namespace aureole::gravity::tree
