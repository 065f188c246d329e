#include "sim/pictures/picture_colours.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace aureole::test {
namespace {

TEST(PictureColours, LabAgreesWithPublishedValues)
{
    const Lab red = to_lab({255, 0, 0}), grey = to_lab({119, 119, 119});
    EXPECT_NEAR(red.l, 53.24, 0.02);
    EXPECT_NEAR(red.a, 80.09, 0.05);
    EXPECT_NEAR(red.b, 67.20, 0.05);
    EXPECT_NEAR(grey.l, 50.03, 0.02);
    EXPECT_NEAR(std::hypot(grey.a, grey.b), 0, 0.02);
    EXPECT_EQ(to_rgb(to_lab({12, 200, 99})), (io::Rgb{12, 200, 99}));
}

TEST(PictureColours, LightnessRisesAllTheWayInEqualSteps)
{
    const ColourMap map;
    double shortest = 1e9, longest = 0;
    Lab before = to_lab(map(0));
    EXPECT_LT(before.l, 3);
    for (int k = 1; k <= 64; ++k) {
        const Lab here = to_lab(map(k / 64.0));
        EXPECT_GT(here.l, before.l) << "at " << k << " of 64";
        const double step = std::hypot(here.l - before.l, here.a - before.a, here.b - before.b);
        shortest = std::min(shortest, step);
        longest = std::max(longest, step);
        before = here;
    }
    EXPECT_GT(before.l, 94);
    EXPECT_LT(longest / shortest, 1.6) << "8-bit channels alone make steps differ by a third";
}

TEST(PictureColours, ValuesOutsideTakeTheNearestEnd)
{
    const ColourMap map;
    EXPECT_EQ(map(-3), map(0));
    EXPECT_EQ(map(std::nan("")), map(0));
    EXPECT_EQ(map(7), map(1));
}

TEST(PictureColours, MixturesKeepTheLightnessAndPureSharesTheHue)
{
    const ColourMap map;
    const auto mixed = [&](double t, std::vector<double> shares) { return to_lab(map.mixed(t, shares)); };
    for (const double t : {0.2, 0.5, 0.8}) {
        const Lab first = mixed(t, {1, 0}), second = mixed(t, {0, 5}), both = mixed(t, {2, 2});
        EXPECT_LT(first.b, -5) << "blue";
        EXPECT_GT(second.b, 5) << "orange";
        EXPECT_NEAR(first.l, second.l, 1.5);
        EXPECT_NEAR(both.l, first.l, 1.5);
        EXPECT_TRUE(both.b > first.b && both.b < second.b);
    }
    EXPECT_EQ(map.mixed(0.5, std::vector<double>{0, 0}), map.mixed(0.5, std::vector<double>{1, 0}));
}

}  // namespace
}  // namespace aureole::test
