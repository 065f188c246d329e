// The cloud that ends at the cut against its integral over modes.
#include "gravity/mesh/compact_split.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gravity/treepm/split_pair.hpp"
#include "sim/core/error.hpp"

namespace aureole::test::compact_split_test {
namespace {

using gravity::CompactSplit;

/// phi(r) = 2/pi int mode(k) sin(kr) / (kr) dk by Simpson's rule, and its slope over -r.
struct OfModes {
    double potential, force;
};
OfModes sum_of_modes(const CompactSplit& split, double r)
{
    const double end = 600 / split.cut();
    constexpr int steps = 60000;
    double potential = 0, force = 0;
    for (int i = 0; i <= steps; ++i) {
        const double k = end * i / steps, x = k * r;
        const double weight = (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2) * end / steps / 3 * split.mode(k);
        potential += weight * (x < 1e-3 ? 1 - x * x / 6 : std::sin(x) / x);
        force +=
            weight * (x < 1e-2 ? 1.0 / 3 - x * x / 30 : (std::sin(x) / x - std::cos(x)) / (x * x)) * k * k;
    }
    return {2 / std::numbers::pi * potential, 2 / std::numbers::pi * force};
}

TEST(CompactSplit, IsTheFieldOfItsModes)
{
    for (const double ratio : {4.47, 4.9}) {
        const CompactSplit split(0.3, 0.3 * ratio);
        const double depth = split.potential(0), steepest = split.force(0);
        for (const double part : {0.0, 0.01, 0.3, 0.7, 0.95}) {
            const double r = part * split.cut();
            const OfModes expected = sum_of_modes(split, r);
            EXPECT_NEAR(split.potential(r * r), expected.potential, 1e-6 * depth) << part;
            EXPECT_NEAR(split.force(r * r), expected.force, 1e-4 * steepest) << part;
        }
    }
}

TEST(CompactSplit, IsAPointBeyondTheCut)
{
    const CompactSplit split(0.2, 0.9);
    EXPECT_NEAR(split.force(0.81), 1 / 0.729, 1e-12);
    EXPECT_NEAR(split.potential(0.81), 1 / 0.9, 1e-12);
    EXPECT_LT(split.force(0.64), 1 / 0.512);
    EXPECT_LT(split.potential(0.64), 1 / 0.8);
}

TEST(CompactSplit, StartsAsAGaussianCloud)
{
    const CompactSplit split(0.2, 0.2 * 5.5);
    EXPECT_EQ(split.mode(0), 1);
    EXPECT_NEAR(split.curvature(), (1 - split.mode(1e-2)) / 1e-4, 1e-6);
    EXPECT_NEAR(split.mode(5), std::exp(-1), 0.05);
    EXPECT_LT(std::abs(split.mode(1.1 * split.beta() / split.cut())),
              2 * std::exp(-split.beta()) * split.beta());
}

/// As many terms as pairs in float and in double have.
TEST(CompactSplit, IsAPolynomial)
{
    for (const double ratio : {4.47, 4.9}) {
        const double cut = 0.9;
        const gravity::treepm::SplitPair pair(cut / ratio, cut, gravity::treepm::SplitShape::compact);
        const CompactSplit split(cut / ratio, cut);
        for (const int degree : {10, gravity::treepm::SplitPair::degree}) {
            const auto found = pair.coefficients(2 * cut, degree, 0.5);  // in units of 0.5
            const double tolerance = degree == 10 ? 1e-6 : 1e-9;
            for (double r = 0; r <= cut; r += 0.05) {
                const double t = found.per_square * 4 * r * r - 1;
                double force = 0, potential = 0;
                for (int k = degree; k >= 0; --k) {
                    force = force * t + found.force[static_cast<std::size_t>(k)];
                    potential = potential * t + found.potential[static_cast<std::size_t>(k)];
                }
                EXPECT_NEAR(8 * force, split.force(r * r), tolerance * split.force(0)) << r;
                EXPECT_NEAR(2 * potential, split.potential(r * r), tolerance * split.potential(0)) << r;
            }
        }
    }
}

TEST(CompactSplit, RefusesAnEndWithinItsScale)
{
    EXPECT_THROW(CompactSplit(0, 1), ArgumentError);
    EXPECT_THROW(CompactSplit(1, 1), ArgumentError);
    EXPECT_THROW(CompactSplit(1, 9), ArgumentError);
    EXPECT_THROW(CompactSplit(1, std::nan("")), ArgumentError);
}

}  // namespace
}  // namespace aureole::test::compact_split_test
