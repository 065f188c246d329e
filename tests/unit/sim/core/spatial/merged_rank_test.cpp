#include "sim/core/spatial/merged_rank.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace aureole::test::merged_rank_test {
namespace {

/// Merges groups of sorted runs as the GPU does, one pass.
template <Index merged_runs>
std::vector<Index> merged(const std::vector<std::uint64_t>& keys, Index run, std::uint64_t mask)
{
    std::vector<Index> at(keys.size(), ~Index{0});
    for (Index i = 0; i < keys.size(); ++i)
        at.at(merged_rank<merged_runs>(keys.data(), i, static_cast<Index>(keys.size()), run, mask)) = i;
    return at;
}

/// Keys of sorted runs, many of them equal; bits above 8 are noise.
std::vector<std::uint64_t> runs_of(Index n, Index run, std::uint64_t modulus)
{
    std::vector<std::uint64_t> keys(n);
    for (Index i = 0; i < n; ++i) keys[i] = (i + 1) * 0x9E3779B97F4A7C15ull >> 40;
    const auto low = [modulus](std::uint64_t key) { return key % 256 % modulus; };
    for (std::uint64_t& key : keys) key = key / 256 * 256 + low(key);
    for (Index begin = 0; begin < n; begin += run)
        std::stable_sort(keys.begin() + begin, keys.begin() + std::min(begin + run, n),
                         [](std::uint64_t a, std::uint64_t b) { return a % 256 < b % 256; });
    return keys;
}

template <Index merged_runs>
void expect_stable_sort_of_each_group()
{
    for (const Index run : {1u, 2u, 8u})
        for (const Index n : {1u, 2u, 15u, 16u, 17u, 127u, 128u, 129u, 1000u})
            for (const std::uint64_t modulus : {1u, 3u, 256u}) {
                const std::vector<std::uint64_t> keys = runs_of(n, run, modulus);
                std::vector<Index> expected(n);
                std::iota(expected.begin(), expected.end(), 0u);
                for (Index begin = 0; begin < n; begin += merged_runs * run)
                    std::stable_sort(expected.begin() + begin,
                                     expected.begin() + std::min(begin + merged_runs * run, n),
                                     [&](Index a, Index b) { return keys[a] % 256 < keys[b] % 256; });
                EXPECT_EQ(merged<merged_runs>(keys, run, 255), expected) << n << " keys in runs of " << run;
            }
}

TEST(MergedRank, IsThatOfAStableSortOfEachGroup)
{
    expect_stable_sort_of_each_group<4>();
    expect_stable_sort_of_each_group<16>();
}

TEST(MergedRank, TheLargestKeysAreInside)
{
    const std::vector<std::uint64_t> keys{~std::uint64_t{0}, ~std::uint64_t{0}, 5};
    EXPECT_EQ(merged<4>(keys, 1, ~std::uint64_t{0}), (std::vector<Index>{2, 0, 1}));
}

}  // namespace
}  // namespace aureole::test::merged_rank_test
