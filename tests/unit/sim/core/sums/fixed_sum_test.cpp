#include "sim/core/sums/fixed_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/core/random.hpp"

namespace aureole::test::fixed_sum_test {
namespace {

TEST(FixedSums, CarriesAndSignsPassBetweenLimbs)
{
    FixedSum sum{};
    for (int k = 0; k < 1000; ++k) atomic_add(&sum, to_fixed(1.0));
    EXPECT_EQ(sum.value(), 1000.0);
    for (int k = 0; k < 1500; ++k) atomic_add(&sum, to_fixed(-1.0));
    EXPECT_EQ(sum.value(), -500.0);
    for (int k = 0; k < 500; ++k) atomic_add(&sum, to_fixed(1.0));
    EXPECT_EQ(sum.low, 0u);
    EXPECT_EQ(sum.high, 0);
    atomic_add(&sum, to_fixed(-0.375));
    EXPECT_EQ(sum.value(), -0.375);
    FixedSum other{};
    atomic_add(&other, to_fixed(0.5));
    add(sum, other);
    EXPECT_EQ(sum.value(), 0.125);
    EXPECT_EQ(sum.high, 0);
}

/// Terms over many orders of magnitude, of both signs where `both_signs`.
std::vector<double> terms(bool both_signs)
{
    std::vector<double> result;
    Random random(3, 1, 0);
    for (int k = 0; k < 20000; ++k) {
        const double term = std::exp(-30 * random.uniform());
        result.push_back(both_signs && k % 2 ? -term : term);
    }
    return result;
}

TEST(FixedSums, ThreadsInAnyOrderGiveTheBitsOfOneLoop)
{
    const std::vector<double> values = terms(true);
    FixedSum expected{}, found{};
    for (auto k = values.rbegin(); k != values.rend(); ++k) atomic_add(&expected, to_fixed(*k));
#pragma omp parallel for schedule(dynamic, 7)
    for (std::size_t k = 0; k < values.size(); ++k) atomic_add(&found, to_fixed(values[k]));
    EXPECT_EQ(found.low, expected.low);
    EXPECT_EQ(found.high, expected.high);
    long double exact = 0;
    for (const double value : values) exact += value;
    EXPECT_NEAR(found.value(), static_cast<double>(exact), 1e-14);
}

TEST(SplitSums, AnyOrderOfTermsGivesTheSameBits)
{
    std::vector<double> values = terms(false);
    SplitSum forwards, sorted;
    for (const double value : values) forwards.add(0x1p30 * value);
    std::ranges::sort(values);
    for (const double value : values) sorted.add(0x1p30 * value);
    EXPECT_EQ(forwards.value(), sorted.value());
    long double exact = 0;
    for (const double value : values) exact += value;
    EXPECT_NEAR(0x1p-30 * forwards.value(), static_cast<double>(exact), 20000 * 0x1p-61 + 1e-12);
}

TEST(SplitSums, PartsBelowTheUnitCarryIntoIt)
{
    SplitSum sum;
    for (int k = 0; k < 5; ++k) sum.add(0.75);
    EXPECT_EQ(sum.value(), 3.75);
    sum.add(0x1p-32);  // below the last digit that is kept
    EXPECT_EQ(sum.value(), 3.75);
}

}  // namespace
}  // namespace aureole::test::fixed_sum_test
