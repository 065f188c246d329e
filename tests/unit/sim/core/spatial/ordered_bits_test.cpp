#include "sim/core/spatial/ordered_bits.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "sim/core/spatial/extent.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::ordered_bits_test {
namespace {

using Limits = std::numeric_limits<double>;

const std::vector<double> rising{-Limits::infinity(),
                                 -Limits::max(),
                                 -2,
                                 -1.5,
                                 -1,
                                 -Limits::min(),
                                 -5e-324,
                                 -0.0,
                                 0.0,
                                 5e-324,
                                 Limits::min(),
                                 1,
                                 1.5,
                                 2,
                                 Limits::max(),
                                 Limits::infinity()};

TEST(OrderedBits, RiseWithTheNumbersFromInfinityToInfinity)
{
    for (std::size_t i = 1; i < rising.size(); ++i)
        EXPECT_LT(ordered_bits(rising[i - 1]), ordered_bits(rising[i]))
            << rising[i - 1] << " and " << rising[i];
}

TEST(OrderedBits, KeepTheOrderOfAnyTwoNumbers)
{
    Uniform u(5);
    for (int k = 0; k < 100000; ++k) {
        const double a = (u() - 0.5) * std::exp(600 * (u() - 0.5));
        const double b = (u() - 0.5) * std::exp(600 * (u() - 0.5));
        ASSERT_EQ(a < b, ordered_bits(a) < ordered_bits(b)) << a << " and " << b << ", seed = 5";
    }
}

TEST(OrderedBits, LeadBackToTheSameBits)
{
    for (const double x : rising)
        EXPECT_EQ(std::bit_cast<std::uint64_t>(from_ordered_bits(ordered_bits(x))),
                  std::bit_cast<std::uint64_t>(x))
            << x;
}

TEST(OrderedBits, AnExtentGoesFromTheLeastToTheLargestNumber)
{
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    Extent nothing, some;
    for (const double x : {2.5, -7.0, Limits::quiet_NaN(), 4.0}) some.include(x);
    EXPECT_EQ(some.low, -7);
    EXPECT_EQ(some.high, 4);
    some.merge_into(&low, &high);
    nothing.merge_into(&low, &high);
    EXPECT_EQ(from_ordered_bits(low), -7);
    EXPECT_EQ(from_ordered_bits(high), 4);
}

// what a survey of particles starts from
TEST(OrderedBits, LieBetweenNoneAndAllBits)
{
    EXPECT_GT(ordered_bits(-Limits::infinity()), 0u);
    EXPECT_LT(ordered_bits(Limits::infinity()), ~std::uint64_t{0});
}

}  // namespace
}  // namespace aureole::test::ordered_bits_test
