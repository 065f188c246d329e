#include "sim/core/numerics/portable_math.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace aureole::test::portable_math_test {
namespace {

constexpr double ulp = 0x1p-52;  // of a number just above 1

TEST(PortableMath, SinesAgreeWithLongDouble)
{
    for (int i = -2000; i <= 2000; ++i) {
        const double x = 0.01234567 * i;
        EXPECT_NEAR(portable::sin_cos(x).sin, static_cast<double>(std::sin(static_cast<long double>(x))), ulp)
            << x;
        EXPECT_NEAR(portable::sin_cos(x).cos, static_cast<double>(std::cos(static_cast<long double>(x))), ulp)
            << x;
    }
}

TEST(PortableMath, SmallSinesKeepTheirDigits)
{
    EXPECT_EQ(portable::sin_cos(1e-200).sin, 1e-200);
    EXPECT_NEAR(portable::sin_cos(std::numbers::pi).sin, 1.2246467991473532e-16, 1e-25);
}

TEST(PortableMath, QuarterTurnsAreExact)
{
    const double sines[] = {0, 1, 0, -1};
    for (int k = -8; k <= 8; ++k) {
        EXPECT_EQ(portable::sin_cos_of_turns(k / 4.0).sin, sines[k & 3]) << k;
        EXPECT_EQ(portable::sin_cos_of_turns(k / 4.0).cos, sines[(k + 1) & 3]) << k;
    }
    EXPECT_NEAR(portable::sin_cos_of_turns(1 / 12.0).sin, 0.5, ulp);
    EXPECT_NEAR(portable::sin_cos_of_turns(1e9 + 1 / 8.0).cos, std::numbers::sqrt2 / 2, ulp);
}

TEST(PortableMath, LogarithmsAgreeWithLongDouble)
{
    for (double x : {0x1p-53, 1e-300, 1e-9, 0.1, 0.49, 0.5, 0.70710678, 0.70710679, 0.99, 1 - 0x1p-53, 1.0,
                     1 + 0x1p-52, 1.41, 1.42, 2.0, 10.0, 1e300}) {
        const double expected = static_cast<double>(std::log(static_cast<long double>(x)));
        EXPECT_NEAR(portable::log(x), expected, 2 * ulp * std::abs(expected)) << x;
    }
}

TEST(PortableMath, ExponentialsAgreeWithLongDouble)
{
    EXPECT_EQ(portable::exp(0), 1);
    EXPECT_EQ(portable::exp(-701), 0);
    for (double x = -700; x <= 700; x += 0.37) {
        const double expected = static_cast<double>(std::exp(static_cast<long double>(x)));
        EXPECT_NEAR(portable::exp(x), expected, 2 * ulp * expected) << x;
    }
}

TEST(PortableMath, CubeRootsAgreeWithLongDouble)
{
    EXPECT_EQ(portable::cbrt(0), 0);
    EXPECT_EQ(portable::cbrt(27), 3);
    for (double x = 1e-300; x < 1e300; x *= 1.37) {
        const double expected = static_cast<double>(std::cbrt(static_cast<long double>(x)));
        EXPECT_NEAR(portable::cbrt(x), expected, 2 * ulp * expected) << x;
    }
}

}  // namespace
}  // namespace aureole::test::portable_math_test
