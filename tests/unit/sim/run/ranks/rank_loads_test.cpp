// What ranks have to do, over all of them; threads stand for the ranks.
#include "sim/run/ranks/rank_loads.hpp"

#include <gtest/gtest.h>

#include "tests/support/ranks/thread_ranks.hpp"

namespace aureole::test {
namespace {

TEST(RankLoads, AreTheMeanAndTheLargestOfAllRanksOnEachOfThem)
{
    on_thread_ranks([](comm::Communicator& ranks) {
        const double own = ranks.rank() + 1, n = ranks.size();
        const run::RankLoads loads = run::gather_loads(ranks, {own, 100 * (n - own)});
        EXPECT_EQ(loads.n, n);
        EXPECT_NEAR(loads.mean.forces_seconds, (n + 1) / 2, 1e-14);
        EXPECT_EQ(loads.largest.forces_seconds, n);
        EXPECT_NEAR(loads.mean.moved_bytes, 50 * (n - 1), 1e-11);
        EXPECT_EQ(loads.largest.moved_bytes, 100 * (n - 1));
        EXPECT_NEAR(loads.imbalance(), 2 * n / (n + 1), 1e-14);
        const auto numbers = run::numbers_of(loads);
        EXPECT_EQ(numbers[0], n);
        EXPECT_EQ(numbers[2], n);
        EXPECT_EQ(numbers[5], 100 * (n - 1));
    });
}

TEST(RankLoads, AreEvenWhereNoRankHasDoneAnything) { EXPECT_EQ(run::RankLoads{}.imbalance(), 1); }

}  // namespace
}  // namespace aureole::test
