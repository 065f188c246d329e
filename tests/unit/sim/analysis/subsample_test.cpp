#include "sim/analysis/subsample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/core/error.hpp"

namespace aureole::test {
namespace {

std::vector<std::uint64_t> ids(std::size_t n)
{
    std::vector<std::uint64_t> id(n);
    std::iota(id.begin(), id.end(), std::uint64_t{1});
    return id;
}

TEST(Subsample, KeepsAShareOfOneInK)
{
    constexpr std::size_t n = 40000;
    for (const std::uint64_t k : {2, 8, 100}) {
        const double p = 1.0 / static_cast<double>(k), expected = n * p;
        const auto kept = run::subsample(ids(n), k, 7);
        EXPECT_LT(std::abs(static_cast<double>(kept.size()) - expected), 5 * std::sqrt(expected * (1 - p)))
            << k;
        EXPECT_TRUE(std::ranges::is_sorted(kept));
        EXPECT_NE(kept, run::subsample(ids(n), k, 8)) << "another seed keeps others";
    }
    EXPECT_EQ(run::subsample(ids(5), 1, 1).size(), 5u);
    EXPECT_TRUE(run::subsample({}, 3, 1).empty());
    EXPECT_THROW(run::subsample(ids(5), 0, 1), Error);
}

TEST(Subsample, TheSameIdsAreKeptInAnyOrder)
{
    std::vector<std::uint64_t> forward = ids(2000), backward(forward.rbegin(), forward.rend());
    const auto kept = run::subsample(forward, 4, 3), again = run::subsample(backward, 4, 3);
    ASSERT_EQ(kept.size(), again.size());
    for (std::size_t k = 0; k < kept.size(); ++k)
        EXPECT_EQ(forward[kept[k]], backward[again[again.size() - 1 - k]]);
}

}  // namespace
}  // namespace aureole::test
