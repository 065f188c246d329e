#include "gravity/pair.hpp"

#include "tests/support/close_to.hpp"
#include "tests/support/gravity/reference_gravity.hpp"

namespace aureole::test::pair_test {
namespace {

constexpr Tolerance rounding{1e-13, "a few dozen roundings in double"};

TEST(Pair, PlummerAtTheCoreAndFarAway)
{
    const auto core = gravity::plummer_pair(0.0, 0.25);
    EXPECT_TRUE(close_to(core.force, 8, 8, rounding));
    EXPECT_TRUE(close_to(core.potential, -2, 2, rounding));
    const auto far = gravity::plummer_pair(9.0, 16.0);
    EXPECT_TRUE(close_to(far.force, 1.0 / 125, 1.0 / 125, rounding));
    EXPECT_TRUE(close_to(far.potential, -0.2, 0.2, rounding));
}

TEST(Pair, SplineCentreIsMinusOneOverEpsilonAndTheCentralDensity)
{
    const double eps = 0.5, h = gravity::spline_support * eps;
    const auto pair = gravity::spline_pair(0.0, h);
    EXPECT_TRUE(close_to(pair.potential, -1 / eps, 1 / eps, rounding));
    EXPECT_TRUE(close_to(pair.force, 32.0 / 3.0 / (h * h * h), pair.force, rounding));
}

// the reference integrates the density, pair.hpp has the integrals' closed form
TEST(Pair, SplineIsTheFieldOfItsDensity)
{
    const double eps = 0.7, h = gravity::spline_support * eps;
    for (int k = 1; k <= 300; ++k) {
        const double r = k * h / 200;
        SCOPED_TRACE(testing::Message() << "u = " << r / h);
        const auto [force, potential] = reference_pair(r * r, eps, true);
        const auto found = gravity::spline_pair(r * r, h);
        EXPECT_TRUE(close_to(found.force, force, force, rounding));
        EXPECT_TRUE(close_to(found.potential, potential, -potential, rounding));
    }
}

TEST(Pair, SplineIsContinuousWhereItsPiecesMeet)
{
    const double h = 3;
    for (double u : {0.5, 1.0}) {
        SCOPED_TRACE(testing::Message() << "u = " << u);
        const double below = (u - 1e-14) * h, above = (u + 1e-14) * h;
        const auto left = gravity::spline_pair(below * below, h),
                   right = gravity::spline_pair(above * above, h);
        EXPECT_TRUE(close_to(left.force, right.force, right.force, rounding));
        EXPECT_TRUE(close_to(left.potential, right.potential, -right.potential, rounding));
    }
}

TEST(Pair, SplineForceIsTheSlopeOfThePotential)
{
    const double h = 1.5, step = 1e-5;
    const auto potential = [h](double r) { return gravity::spline_pair(r * r, h).potential; };
    for (double u : {0.05, 0.3, 0.499, 0.5, 0.501, 0.8, 0.999, 1.0, 1.001, 1.4}) {
        SCOPED_TRACE(testing::Message() << "u = " << u);
        const double r = u * h;
        const double slope = (potential(r + step) - potential(r - step)) / (2 * step);
        const double force = gravity::spline_pair(r * r, h).force * r;
        EXPECT_TRUE(close_to(slope, force, force, {3e-9, "central difference: step^2 and 2^-53 / step"}));
    }
}

TEST(Pair, SplineInFloatKeepsItsDigitsWhereThePiecesMeet)
{
    for (double u : {0.499, 0.501, 0.75, 0.99, 0.999999}) {
        const auto exact = gravity::spline_pair(u * u, 1.0);
        const auto found = gravity::spline_pair(static_cast<float>(u * u), 1.0f);
        const Tolerance few{8 * 0x1p-24, "eight roundings in float"};
        EXPECT_TRUE(close_to(found.force, exact.force, exact.force, few)) << "u = " << u;
        EXPECT_TRUE(close_to(found.potential, exact.potential, -exact.potential, few)) << "u = " << u;
    }
}

}  // namespace
}  // namespace aureole::test::pair_test
