// Boxes grow around points, and nothing that they held is lost in rounding.
#include "sim/core/spatial/bounding_box.hpp"

#include <gtest/gtest.h>

#include "tests/support/point_sets.hpp"

namespace aureole::test::bounding_box_test {
namespace {

TEST(BoundingBox, GrowsFromNothingToTheExtremesOfItsPoints)
{
    auto box = BoundingBox<double>::none();
    box.include({1, -2, 3});
    EXPECT_EQ(box.low.x, 1);
    EXPECT_EQ(box.high.x, 1);
    box.include({-1, 5, 3});
    EXPECT_EQ(box.low.x, -1);
    EXPECT_EQ(box.high.y, 5);
    EXPECT_EQ(box.longest_side(), 7);
    EXPECT_EQ(box.squared_diagonal(), 4 + 49);
    EXPECT_EQ(box.middle().y, 1.5);
}

TEST(BoundingBox, MeetsWhatTouchesIt)
{
    const BoundingBox<double> box{{0, 0, 0}, {1, 1, 1}};
    EXPECT_TRUE(box.meets({{1, 0.5, 0.5}, {2, 2, 2}}));
    EXPECT_FALSE(box.meets({{0.5, 0.5, 1.0001}, {2, 2, 2}}));
    EXPECT_TRUE(box.meets(BoundingBox<double>::at({0, 1, 0})));
    EXPECT_FALSE(box.meets(BoundingBox<double>::none()));
    EXPECT_EQ(box.around(BoundingBox<double>::at({0.5, 3, 0.5})).high.y, 3);
}

TEST(BoundingBox, InFloatHoldsWhatItHeldInDoubleAndIsOneStepWiderAtMost)
{
    for (const auto& x : uniform_points(1000, 8)) {
        const BoundingBox<double> box{{x[0] - 0.5, -x[1], x[2]}, {x[0], 0.25, 3 * x[2] + 1}};
        const BoundingBox<float> rounded = rounded_outward(box);
        EXPECT_LE(rounded.low.x, box.low.x);
        EXPECT_LE(rounded.low.y, box.low.y);
        EXPECT_GE(rounded.high.x, box.high.x);
        EXPECT_GE(rounded.high.z, box.high.z);
        EXPECT_NEAR(rounded.low.y, box.low.y, 0x1p-23 * x[1]);
        EXPECT_EQ(rounded.high.y, 0.25f);
    }
}

TEST(BoundingBoxN, GrowsAlongEveryAxis)
{
    BoundingBoxN<float, 6> box{};
    box.include(5, -2);
    box.include(0, 3);
    EXPECT_EQ(box.low[5], -2);
    EXPECT_EQ(box.high[0], 3);
    BoundingBoxN<float, 6> other{};
    other.include(5, 7);
    EXPECT_EQ(box.around(other).high[5], 7);
    EXPECT_EQ(box.around(other).low[5], -2);
}

}  // namespace
}  // namespace aureole::test::bounding_box_test
