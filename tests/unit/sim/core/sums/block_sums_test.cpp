#include "sim/core/sums/block_sums.hpp"

#include <gtest/gtest.h>
#include <omp.h>

namespace aureole::test::block_sums_test {
namespace {

double term(std::size_t i) { return 1.0 / static_cast<double>(3 * i + 1); }

Sums<2> sums_of(std::size_t n)
{
    return block_sums<2>(n, [](Sums<2>& sums, std::size_t i) {
        sums[0] += term(i);
        sums[1] += 1;
    });
}

TEST(BlockSums, CountEveryTermOnceAroundTheLengthOfABlock)
{
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, sum_block - 1, sum_block, sum_block + 1,
                                2 * sum_block, shared_sum + 1}) {
        const Sums<2> found = sums_of(n);
        long double exact = 0;
        for (std::size_t i = 0; i < n; ++i) exact += term(i);
        EXPECT_EQ(found[1], static_cast<double>(n));
        EXPECT_NEAR(found[0], static_cast<double>(exact), 1e-12) << n;
    }
}

TEST(BlockSums, AnyNumberOfThreadsGivesTheSameBits)
{
    const int threads = omp_get_max_threads();
    const std::size_t n = 3 * shared_sum + 17;
    omp_set_num_threads(1);
    const Sums<2> one = sums_of(n);
    for (const int k : {2, 3, 8}) {
        omp_set_num_threads(k);
        EXPECT_EQ(sums_of(n), one) << k;
    }
    omp_set_num_threads(threads);
}

}  // namespace
}  // namespace aureole::test::block_sums_test
