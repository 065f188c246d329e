// Eigenvectors by Jacobi rotations (Golub & Van Loan, section 8.5): each rotation makes one off-diagonal
// element zero; for 3 x 3 some five sweeps reach the last bit.
#include "halo/shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aureole::halo {
namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

/// Makes a[p][q] zero and turns the columns of `vectors` along.
void rotate(Matrix& a, Matrix& vectors, std::size_t p, std::size_t q)
{
    if (a[p][q] == 0) return;
    const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const double tangent = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::hypot(theta, 1.0));
    const double cosine = 1 / std::hypot(tangent, 1.0), sine = tangent * cosine;
    const auto turn = [&](double& first, double& second) {
        const double old = first;
        first = cosine * old - sine * second;
        second = sine * old + cosine * second;
    };
    for (auto& row : a) turn(row[p], row[q]);
    for (std::size_t k = 0; k < 3; ++k) turn(a[p][k], a[q][k]);
    a[p][q] = a[q][p] = 0;
    for (auto& row : vectors) turn(row[p], row[q]);
}

Vec3 with_positive_largest(Vec3 v)
{
    double largest = v.x;
    for (const double c : {v.y, v.z})
        if (std::abs(c) > std::abs(largest)) largest = c;
    return (largest < 0 ? -1.0 : 1.0) * v;
}

}  // namespace

Shape shape_of(const SymmetricTensor& t)
{
    Matrix a{{{t.xx, t.xy, t.xz}, {t.xy, t.yy, t.yz}, {t.xz, t.yz, t.zz}}};
    Matrix vectors{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    constexpr int max_sweeps = 30;
    for (int sweep = 0; sweep < max_sweeps && (a[0][1] != 0 || a[0][2] != 0 || a[1][2] != 0); ++sweep) {
        rotate(a, vectors, 0, 1);
        rotate(a, vectors, 0, 2);
        rotate(a, vectors, 1, 2);
    }
    std::array<std::size_t, 3> order{0, 1, 2};
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t j) { return a[i][i] > a[j][j]; });
    const auto vector = [&](std::size_t k) {
        return Vec3{vectors[0][order[k]], vectors[1][order[k]], vectors[2][order[k]]};
    };
    const auto half_axis = [&](std::size_t k) { return std::sqrt(std::max(0.0, a[order[k]][order[k]])); };
    Shape shape;
    const double longest = half_axis(0);
    const bool point = !(longest > 0);
    shape.b_to_a = point ? std::numeric_limits<double>::quiet_NaN() : half_axis(1) / longest;
    shape.c_to_a = point ? std::numeric_limits<double>::quiet_NaN() : half_axis(2) / longest;
    const Vec3 first = with_positive_largest(vector(0)), second = with_positive_largest(vector(1));
    shape.axis = {first, second, cross(first, second)};
    return shape;
}

}  // namespace aureole::halo
