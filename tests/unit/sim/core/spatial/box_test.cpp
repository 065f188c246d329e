#include "sim/core/spatial/box.hpp"

#include <gtest/gtest.h>

namespace aureole::test::box_test {
namespace {

TEST(PeriodicBox, WrapsIntoTheHalfOpenInterval)
{
    const Box box{4.0};
    EXPECT_EQ(box.wrap(4.0), 0.0);
    EXPECT_EQ(box.wrap(-1.0), 3.0);
    EXPECT_EQ(box.wrap(9.5), 1.5);
    EXPECT_EQ(box.wrap(0.0), 0.0);
    EXPECT_LT(box.wrap(-1e-300), 4.0) << "rounding must not put a particle on the far edge";
}

TEST(PeriodicBox, TheNearestImageIsAtMostHalfABoxAway)
{
    const Box box{10.0};
    EXPECT_DOUBLE_EQ(box.nearest(9.0), -1.0);
    EXPECT_DOUBLE_EQ(box.nearest(-6.0), 4.0);
    EXPECT_DOUBLE_EQ(box.nearest(3.0), 3.0);
}

TEST(OpenBox, LeavesCoordinatesAlone)
{
    const Box box;
    EXPECT_FALSE(box.periodic());
    EXPECT_EQ(box.wrap(-7.5), -7.5);
    EXPECT_EQ(box.nearest(1e9), 1e9);
}

}  // namespace
}  // namespace aureole::test::box_test
