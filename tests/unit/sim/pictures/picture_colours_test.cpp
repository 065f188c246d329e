#include "sim/pictures/picture_colours.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

TEST(PictureColours, ABytesLeastValueHasItAndTheNumberBelowHasTheOneBefore)
{
    const ByteTable& bytes = particle_colours().tables().bytes;
    for (int b = 1; b < 256; ++b) {
        EXPECT_EQ(bytes.byte(bytes.least[b]), b);
        EXPECT_EQ(bytes.byte(std::nextafter(bytes.least[b], 0.0)), b - 1);
    }
}

TEST(PictureColours, SeveralMixturesAtOnceAreThoseOneByOne)
{
    constexpr double none = 0, least = std::numeric_limits<double>::denorm_min(),
                     all = std::numeric_limits<double>::infinity(),
                     nan = std::numeric_limits<double>::quiet_NaN();
    constexpr unsigned n = 8, n_hues = 3;
    const double t[n] = {-1, 0, 0.07, 0.3, 0.5, 0.77, 1, nan};
    // opposite hues, none, one alone, ones that are too small or too large to be shares, and no number
    const double shares[n_hues][n] = {{1, none, 2.5, none, least, all, 1e-3, nan},
                                      {1, none, none, 0.2, least, 1, 4, 1},
                                      {0.7, none, none, 3, none, 1, -1, 2}};
    for (const unsigned n_grey : {0u, 1u}) {
        io::Rgb together[n];
        particle_colours().tables().mix<n>(t, shares, n_hues, n_grey, together);
        for (unsigned i = 0; i < n; ++i) {
            const double of_one[n_hues][1] = {{shares[0][i]}, {shares[1][i]}, {shares[2][i]}},
                         place[1] = {t[i]};
            io::Rgb alone;
            particle_colours().tables().mix<1>(place, of_one, n_hues, n_grey, &alone);
            EXPECT_EQ(together[i], alone) << "pixel " << i << ", " << n_grey << " grey parts";
        }
    }
}

}  // namespace
}  // namespace aureole::test
