// Symmetric tensors of halos and the ellipsoids they stand for. Eigenvectors by Jacobi rotations (Golub & Van
// Loan, section 8.5): each rotation makes one off-diagonal element zero; for 3 x 3 some five sweeps reach the
// last bit.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "sim/core/vec3.hpp"

namespace aureole::halo {

struct SymmetricTensor {
    double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
};

/// Half axes a >= b >= c of the ellipsoid whose mass tensor is given, as ratios, and their directions.
struct Shape {
    double b_to_a = 0, c_to_a = 0;  ///< NaN where the tensor is zero
    /// Orthonormal, right-handed: longest, middle and shortest axis; the first two have a positive component
    /// of largest magnitude.
    std::array<Vec3, 3> axis{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
};

namespace detail {

inline constexpr double no_ratio = std::numeric_limits<double>::quiet_NaN();

/// A symmetric matrix on its way to the diagonal, and the vectors that have turned along as columns.
struct TurnedMatrix {
    double a[3][3];
    double vectors[3][3];

    AUREOLE_HD static void turn(double& first, double& second, double cosine, double sine)
    {
        const double old = first;
        first = cosine * old - sine * second;
        second = sine * old + cosine * second;
    }

    /// Makes a[p][q] zero.
    AUREOLE_HD void rotate(int p, int q)
    {
        if (a[p][q] == 0) return;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double tangent = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::hypot(theta, 1.0));
        const double cosine = 1 / std::hypot(tangent, 1.0), sine = tangent * cosine;
        for (auto& row : a) turn(row[p], row[q], cosine, sine);
        for (int k = 0; k < 3; ++k) turn(a[p][k], a[q][k], cosine, sine);
        a[p][q] = a[q][p] = 0;
        for (auto& row : vectors) turn(row[p], row[q], cosine, sine);
    }

    AUREOLE_HD Vec3 vector(int k) const { return {vectors[0][k], vectors[1][k], vectors[2][k]}; }
    AUREOLE_HD double half_axis(int k) const { return a[k][k] > 0 ? std::sqrt(a[k][k]) : 0; }
};

AUREOLE_HD inline Vec3 with_positive_largest(Vec3 v)
{
    double largest = v.x;
    if (std::fabs(v.y) > std::fabs(largest)) largest = v.y;
    if (std::fabs(v.z) > std::fabs(largest)) largest = v.z;
    return (largest < 0 ? -1.0 : 1.0) * v;
}

}  // namespace detail

/// Of the plain tensor S_ij = sum m x_i x_j the ratios are those of the axes, for any ellipsoid whose density
/// is constant on similar shells. Of the reduced tensor sum m x_i x_j / r^2 (each direction counts alike;
/// taken over a sphere or all members, not iterated) they lie nearer to 1.
AUREOLE_HD inline Shape shape_of(const SymmetricTensor& t)
{
    detail::TurnedMatrix m{{{t.xx, t.xy, t.xz}, {t.xy, t.yy, t.yz}, {t.xz, t.yz, t.zz}},
                           {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    constexpr int max_sweeps = 30;
    for (int sweep = 0; sweep < max_sweeps && (m.a[0][1] != 0 || m.a[0][2] != 0 || m.a[1][2] != 0); ++sweep) {
        m.rotate(0, 1);
        m.rotate(0, 2);
        m.rotate(1, 2);
    }
    int order[3] = {0, 1, 2};  // by falling eigenvalue, equals as they are
    const auto sort = [&](int i, int j) {
        if (!(m.a[order[j]][order[j]] > m.a[order[i]][order[i]])) return;
        const int old = order[i];
        order[i] = order[j];
        order[j] = old;
    };
    sort(0, 1);
    sort(1, 2);
    sort(0, 1);
    const double longest = m.half_axis(order[0]);
    const Vec3 first = detail::with_positive_largest(m.vector(order[0]));
    const Vec3 second = detail::with_positive_largest(m.vector(order[1]));
    Shape shape;
    shape.b_to_a = longest > 0 ? m.half_axis(order[1]) / longest : detail::no_ratio;
    shape.c_to_a = longest > 0 ? m.half_axis(order[2]) / longest : detail::no_ratio;
    shape.axis = {first, second, cross(first, second)};
    return shape;
}

}  // namespace aureole::halo
