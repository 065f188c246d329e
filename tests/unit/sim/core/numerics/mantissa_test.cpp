// Rounding to fewer binary digits, against the definition: the nearest multiple of the last digit that is
// kept.
#include "sim/core/numerics/portable_math.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "sim/core/random.hpp"

namespace aureole::test::mantissa_test {
namespace {

/// By scaling, in exact steps: frexp, a whole number, nearbyint (to even in the default mode), ldexp.
double rounded_slowly(double x, int bits)
{
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(fraction, bits + 1)), exponent - bits - 1);
}

TEST(Mantissa, IsRoundedToTheNearestOfTheNumbersThatAreLeft)
{
    Random random(3, 0, 0);
    for (int k = 0; k < 20000; ++k) {
        const double x = std::ldexp(2 * random.uniform() - 1, static_cast<int>(200 * random.uniform()) - 100);
        const int bits = 1 + k % 52;
        const double y = rounded_mantissa(x, bits);
        ASSERT_EQ(y, rounded_slowly(x, bits)) << x << " to " << bits;
        ASSERT_LE(std::abs(y - x), std::ldexp(std::abs(x), -bits - 1));
        ASSERT_EQ(rounded_mantissa(y, bits), y);
    }
}

TEST(Mantissa, TiesGoToEvenAndCarriesReachTheExponent)
{
    EXPECT_EQ(rounded_mantissa(1.25, 1), 1.0);
    EXPECT_EQ(rounded_mantissa(1.75, 1), 2.0);
    EXPECT_EQ(rounded_mantissa(-1.25, 1), -1.0);
    EXPECT_EQ(rounded_mantissa(1.9999, 3), 2.0);
    EXPECT_EQ(rounded_mantissa(0.1, 23), double{0.1f});
    EXPECT_EQ(rounded_mantissa(0.1, 52), 0.1);
    EXPECT_EQ(rounded_mantissa(0, 5), 0);
}

TEST(Mantissa, WhatIsNotFiniteOrWouldBecomeInfiniteStays)
{
    constexpr double most = std::numeric_limits<double>::max(),
                     infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(rounded_mantissa(most, 4), most);
    EXPECT_EQ(rounded_mantissa(-infinite, 4), -infinite);
    EXPECT_TRUE(std::isnan(rounded_mantissa(std::numeric_limits<double>::quiet_NaN(), 4)));
}

}  // namespace
}  // namespace aureole::test::mantissa_test
