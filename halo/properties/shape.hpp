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
    /// Cotangent of twice an angle that is below the last bit of a number.
    static constexpr double no_turn = 0x1p60;

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
        if (std::fabs(theta) > no_turn) {
            a[p][q] = a[q][p] = 0;
            return;
        }
        const double tangent = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
        const double cosine = 1 / std::sqrt(tangent * tangent + 1), sine = tangent * cosine;
        for (auto& row : a) turn(row[p], row[q], cosine, sine);
        for (int k = 0; k < 3; ++k) turn(a[p][k], a[q][k], cosine, sine);
        a[p][q] = a[q][p] = 0;
        for (auto& row : vectors) turn(row[p], row[q], cosine, sine);
    }

    AUREOLE_HD Vec3 vector(int k) const { return {vectors[0][k], vectors[1][k], vectors[2][k]}; }
};

AUREOLE_HD inline double half_axis(double eigenvalue) { return eigenvalue > 0 ? std::sqrt(eigenvalue) : 0; }

template <class T>
AUREOLE_HD void exchange(T& a, T& b)
{
    const T old = a;
    a = b;
    b = old;
}

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
    // by falling eigenvalue, equals as they are; no index is computed, so that a GPU keeps all in registers
    double value[3] = {m.a[0][0], m.a[1][1], m.a[2][2]};
    Vec3 vector[3] = {m.vector(0), m.vector(1), m.vector(2)};
    const auto sort = [&](int i, int j) {
        if (!(value[j] > value[i])) return;
        detail::exchange(value[i], value[j]);
        detail::exchange(vector[i], vector[j]);
    };
    sort(0, 1);
    sort(1, 2);
    sort(0, 1);
    const double longest = detail::half_axis(value[0]);
    const Vec3 first = detail::with_positive_largest(vector[0]);
    const Vec3 second = detail::with_positive_largest(vector[1]);
    Shape shape;
    shape.b_to_a = longest > 0 ? detail::half_axis(value[1]) / longest : detail::no_ratio;
    shape.c_to_a = longest > 0 ? detail::half_axis(value[2]) / longest : detail::no_ratio;
    shape.axis = {first, second, cross(first, second)};
    return shape;
}

}  // namespace aureole::halo
