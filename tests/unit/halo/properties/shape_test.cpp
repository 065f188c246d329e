// Axes of tensors.
#include "halo/properties/shape.hpp"

#include <cmath>

#include "tests/support/close_to.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::shape_test {
namespace {

constexpr Tolerance rounding{1e-13, "some ten rotations of doubles"};

using Matrix = std::array<std::array<double, 3>, 3>;

/// Rotation by the unit quaternion of four uniform numbers.
Matrix random_rotation(Uniform& u)
{
    double q[4], norm = 0;
    for (double& c : q) norm += std::pow(c = 2 * u() - 1, 2);
    const double s = 2 / norm, w = q[0], x = q[1], y = q[2], z = q[3];
    return {{{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
             {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
             {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}}};
}

TEST(ShapeOf, ADiagonalTensorDoneByHand)
{
    const halo::Shape shape = halo::shape_of({4, 1, 16, 0, 0, 0});
    EXPECT_EQ(shape.b_to_a, 0.5);
    EXPECT_EQ(shape.c_to_a, 0.25);
    EXPECT_EQ(shape.axis[0].z, 1);
    EXPECT_EQ(shape.axis[1].x, 1);
    EXPECT_EQ(shape.axis[2].y, 1) << "z x x = y: right-handed";
}

TEST(ShapeOf, FindsTheAxesOfRotatedEllipsoids)
{
    Uniform u(3);
    for (int trial = 0; trial < 200; ++trial) {
        const Matrix r = random_rotation(u);
        const double b = 0.05 + 0.9 * u(), c = b * u();
        const double squares[3] = {1, b * b, c * c};
        const auto element = [&](int i, int j) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) sum += 7e9 * r[i][k] * squares[k] * r[j][k];
            return sum;
        };
        const halo::Shape shape = halo::shape_of(
            {element(0, 0), element(1, 1), element(2, 2), element(0, 1), element(0, 2), element(1, 2)});
        EXPECT_TRUE(close_to(shape.b_to_a, b, 1 / b, rounding));
        EXPECT_TRUE(close_to(shape.c_to_a * shape.c_to_a, c * c, 1, rounding));
        const double along =
            shape.axis[0].x * r[0][0] + shape.axis[0].y * r[1][0] + shape.axis[0].z * r[2][0];
        EXPECT_TRUE(close_to(std::abs(along), 1, 1, rounding));
        const double volume = dot(shape.axis[0], cross(shape.axis[1], shape.axis[2]));
        EXPECT_TRUE(close_to(volume, 1, 1, rounding)) << "right-handed and orthonormal";
    }
}

TEST(ShapeOf, AxesThatLeanByLessThanTheLastBitStayAsTheyAre)
{
    for (const double off : {1e-20, 1e-200, 5e-324}) {
        const halo::Shape shape = halo::shape_of({4, 1, 16, off, -off, off});
        EXPECT_EQ(shape.b_to_a, 0.5);
        EXPECT_EQ(shape.c_to_a, 0.25);
        EXPECT_EQ(shape.axis[0].z, 1);
        EXPECT_EQ(shape.axis[1].x, 1);
    }
    const halo::Shape lean = halo::shape_of({4, 1, 16, 0, 0, 1e-9});
    EXPECT_TRUE(close_to(lean.axis[0].y, 1e-9 / 15, 1e-9, rounding)) << "the angle of first order";
}

TEST(ShapeOf, PointsLinesAndSpheresHaveShapesToo)
{
    EXPECT_TRUE(std::isnan(halo::shape_of({}).b_to_a));
    const halo::Shape line = halo::shape_of({1, 1, 1, 1, 1, 1});
    EXPECT_NEAR(line.b_to_a, 0, 1e-7);
    EXPECT_NEAR(line.axis[0].x, 1 / std::sqrt(3), 1e-14);
    const halo::Shape ball = halo::shape_of({2, 2, 2, 0, 0, 0});
    EXPECT_EQ(ball.b_to_a, 1);
    EXPECT_EQ(ball.c_to_a, 1);
}

}  // namespace
}  // namespace aureole::test::shape_test
