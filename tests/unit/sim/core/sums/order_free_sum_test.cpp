#include "sim/core/sums/order_free_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "sim/core/random.hpp"

namespace aureole::test::order_free_sum_test {
namespace {

std::int32_t exponent_of(const std::vector<double>& terms)
{
    std::int32_t exponent = sum_exponent(0);
    for (const double term : terms) exponent = std::max(exponent, sum_exponent(term));
    return exponent;
}

OrderFreeSum sum_of(const std::vector<double>& terms, std::int32_t exponent)
{
    OrderFreeSum sum{};
    for (std::size_t k = 0; k < terms.size(); ++k) {
        sum.add(terms[k], exponent);
        if ((k + 1) % OrderFreeSum::unsettled_terms == 0) sum.settle();
    }
    return sum;
}

double value_of(const std::vector<double>& terms)
{
    return sum_of(terms, exponent_of(terms)).value(exponent_of(terms));
}

/// Without rounding, as an expansion of doubles that do not overlap (Shewchuk 1997), the least first.
double exact_sum(const std::vector<double>& terms)
{
    std::vector<double> expansion;
    for (double carry : terms) {
        std::vector<double> next;
        for (const double part : expansion) {
            const double sum = carry + part, of_part = sum - carry;
            const double lost = (carry - (sum - of_part)) + (part - of_part);
            if (lost != 0) next.push_back(lost);
            carry = sum;
        }
        next.push_back(carry);
        expansion = std::move(next);
    }
    return std::accumulate(expansion.begin(), expansion.end(), 0.0);
}

std::vector<double> wide_terms(std::size_t n)
{
    Random random(7, 1, 0);
    std::vector<double> terms(n);
    for (double& term : terms)
        term = (random.uniform() < 0.5 ? -1 : 1) * std::pow(10, 60 * random.uniform() - 30);
    return terms;
}

TEST(OrderFreeSums, AreExactForTermsOfOneUnit)
{
    EXPECT_EQ(value_of({1, 2, 3, -0.5}), 5.5);
    EXPECT_EQ(value_of({1e300, -1e300, 1e288}), 1e288);
    EXPECT_EQ(value_of({std::numeric_limits<double>::max()}), std::numeric_limits<double>::max());
    EXPECT_EQ(value_of({}), 0.0);
    EXPECT_EQ(value_of({0.0, -0.0}), 0.0);
    EXPECT_EQ(value_of({-0x1.fffffffffffffp+10, 0x1p-40}), -0x1.fffffffffffffp+10 + 0x1p-40);
}

TEST(OrderFreeSums, HoldTheSmallestNumbers)
{
    const double least = std::numeric_limits<double>::denorm_min();
    EXPECT_EQ(value_of({least, least, least}), 3 * least);
    EXPECT_EQ(value_of({std::numeric_limits<double>::min(), -least}),
              std::numeric_limits<double>::min() - least);
}

TEST(OrderFreeSums, DoNotDependOnTheOrderOfTermsNorOnWhereTheyAreCut)
{
    std::vector<double> terms = wide_terms(200000);
    const std::int32_t exponent = exponent_of(terms);
    const OrderFreeSum whole = sum_of(terms, exponent);
    std::mt19937 shuffle(5);
    for (int pass = 0; pass < 3; ++pass) {
        std::shuffle(terms.begin(), terms.end(), shuffle);
        OrderFreeSum parts{};
        const std::size_t n_parts = 3 + 30 * static_cast<std::size_t>(pass);
        for (std::size_t k = 0; k < n_parts; ++k) {
            const auto cut = [&](std::size_t at) {
                return terms.begin() + static_cast<std::ptrdiff_t>(terms.size() * at / n_parts);
            };
            OrderFreeSum part = sum_of({cut(k), cut(k + 1)}, exponent);
            if (k % 2) part.settle();
            parts.add(part);
        }
        EXPECT_EQ(parts.value(exponent), whole.value(exponent));
    }
}

// Each term loses at most 2^-101 of the largest possible one, 2 of 1e30; the sum is rounded once.
TEST(OrderFreeSums, AreExactToTheLastBitOfTheLargestTerm)
{
    for (const std::size_t n : {10u, 1000u, 100000u}) {
        const std::vector<double> terms = wide_terms(n);
        const double exact = exact_sum(terms), found = value_of(terms);
        const double bound = std::abs(exact) * 0x1p-53 + static_cast<double>(n) * 0x1p-101 * 2.6e30;
        EXPECT_LE(std::abs(found - exact), bound) << n << " terms";
        EXPECT_LT(std::abs(found - exact) / 1e30, 1e-15);
    }
}

TEST(OrderFreeSums, CarryFourMillionTermsBeforeTheyAreSettled)
{
    const std::vector<double> terms(OrderFreeSum::unsettled_terms, 0x1.fffffffffffffp-1);
    EXPECT_EQ(sum_of(terms, 0).value(0), 0x1p22 - 0x1p-31);
    const std::vector<double> finest(OrderFreeSum::unsettled_terms, 0x1.fffffffffffffp-62);
    EXPECT_EQ(sum_of(finest, 0).value(0), 0x1p-39);
}

TEST(OrderFreeSums, LoseWhatIsBelowHalfAUnit)
{
    OrderFreeSum sum{};
    sum.add(0x1p-102, 0);
    EXPECT_EQ(sum.value(0), 0.0);
    sum.add(0x1p-101, 0);  // half a unit is rounded away from zero
    EXPECT_EQ(sum.value(0), 0x1p-100);
    sum.add(-0x1p-101, 0);
    EXPECT_EQ(sum.value(0), 0.0);
}

}  // namespace
}  // namespace aureole::test::order_free_sum_test
