// On the host, with more threads than cores; on a GPU the loops that use these functions are tested.
#include "sim/core/atomics.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace aureole::test::atomics_test {
namespace {

constexpr Index n_threads = 8, per_thread = 20000;

/// body(k) for all k below n_threads * per_thread, neighbours on different threads.
template <class Body>
void on_many_threads(Body body)
{
    std::vector<std::thread> threads;
    for (Index t = 0; t < n_threads; ++t)
        threads.emplace_back([=] {
            for (Index k = t; k < n_threads * per_thread; k += n_threads) body(k);
        });
    for (std::thread& thread : threads) thread.join();
}

/// A number that jumps about as k counts.
Index scrambled(Index k) { return k * 2654435769u; }

TEST(Atomics, EveryAdditionCountsAndSeesAnotherValue)
{
    Index sum = 0;
    std::vector<Index> seen(n_threads * per_thread, 0);
    on_many_threads([&](Index) { ++seen[atomic_add(&sum, 1)]; });
    EXPECT_EQ(sum, n_threads * per_thread);
    EXPECT_EQ(seen, std::vector<Index>(seen.size(), 1));
}

TEST(Atomics, SumsOf64BitsWrapAndTakeBothSigns)
{
    std::uint64_t sum = ~std::uint64_t{0} - 10;
    std::int64_t balance = 0;
    on_many_threads([&](Index k) {
        atomic_add(&sum, std::uint64_t{1} << 32);
        atomic_add(&balance, k % 2 == 0 ? std::int64_t{-1} << 40 : std::int64_t{3});
    });
    const std::uint64_t n = n_threads * per_thread;
    EXPECT_EQ(sum, ~std::uint64_t{0} - 10 + (n << 32));
    EXPECT_EQ(balance, static_cast<std::int64_t>(n / 2) * (3 - (std::int64_t{1} << 40)));
}

TEST(Atomics, TheLeastAndTheLargestSurvive)
{
    Index least = ~Index{0}, least_expected = least;
    std::uint64_t low = ~std::uint64_t{0}, high = 0, least_of_warp = low, largest_of_warp = 0;
    std::uint64_t low_expected = low, high_expected = 0;
    const auto wide = [](Index k) { return std::uint64_t{scrambled(k)} << 24 | (k & 0xff); };
    for (Index k = 0; k < n_threads * per_thread; ++k) {
        least_expected = std::min(least_expected, scrambled(k + 7));
        low_expected = std::min(low_expected, wide(k + 7));
        high_expected = std::max(high_expected, wide(k + 7));
    }
    on_many_threads([&](Index k) {
        atomic_min(&least, scrambled(k + 7));
        atomic_min(&low, wide(k + 7));
        atomic_max(&high, wide(k + 7));
        atomic_min_of_warp(&least_of_warp, wide(k + 7));
        atomic_max_of_warp(&largest_of_warp, wide(k + 7));
    });
    EXPECT_EQ(least, least_expected);
    EXPECT_EQ(low, low_expected);
    EXPECT_EQ(high, high_expected);
    EXPECT_EQ(least_of_warp, low_expected);
    EXPECT_EQ(largest_of_warp, high_expected);
}

// as the two children of a node meet: the later finds what the earlier wrote
TEST(Atomics, WhoComesSecondSeesWhatTheFirstWrote)
{
    constexpr Index n_pairs = n_threads * per_thread / 2;
    std::vector<Index> meeting(n_pairs, 0), written(2 * n_pairs, 0), found(n_pairs, 0);
    on_many_threads([&](Index k) {
        written[k] = k + 1;
        const Index other = atomic_exchange_published(&meeting[k / 2], k + 1);
        if (other != 0) found[k / 2] = written[other - 1] + written[k];
    });
    for (Index pair = 0; pair < n_pairs; ++pair)
        ASSERT_EQ(found[pair], 4 * pair + 3) << "both came first, or the second saw nothing";
}

}  // namespace
}  // namespace aureole::test::atomics_test
