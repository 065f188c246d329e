#include "sim/core/spatial/sort_pairs.hpp"

#include <numeric>

#include "sim/core/buffer.hpp"
#include "tests/support/backends.hpp"

namespace aureole::test::sort_pairs_test {
namespace {

class SortPairs : public OnEachBackend {
protected:
    /// Values 0..n-1 sorted by `keys` on the backend; keys_ holds the sorted keys.
    std::vector<Index> sorted(const std::vector<std::uint64_t>& keys, int n_bits)
    {
        const Backend where = GetParam();
        std::vector<Index> values(keys.size());
        std::iota(values.begin(), values.end(), 0u);
        Buffer<std::uint64_t> key(where, keys), spare_key(where, keys.size());
        Buffer<Index> value(where, values), spare_value(where, keys.size());
        Buffer<std::byte> scratch(where, sort_pairs_scratch_bytes(where, keys.size()));
        SortBuffers pairs{key.data(), spare_key.data(), value.data(), spare_value.data()};
        sort_pairs(exec(), keys.size(), pairs, n_bits, scratch.data());
        keys_ = (pairs.key == key.data() ? key : spare_key).to_vector();
        return (pairs.value == value.data() ? value : spare_value).to_vector();
    }
    std::vector<std::uint64_t> keys_;
};

std::vector<std::uint64_t> scrambled(std::size_t n, std::uint64_t modulus)
{
    std::vector<std::uint64_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = (i + 1) * 0x9E3779B97F4A7C15ull % modulus;
    return keys;
}

TEST_P(SortPairs, ThreePairsByHand)
{
    EXPECT_EQ(sorted({30, 10, 20}, 64), (std::vector<Index>{1, 2, 0}));
    EXPECT_EQ(keys_, (std::vector<std::uint64_t>{10, 20, 30}));
}

TEST_P(SortPairs, NoneOneAndEqualKeysStayAsTheyAre)
{
    EXPECT_TRUE(sorted({}, 64).empty());
    EXPECT_EQ(sorted({5}, 64), (std::vector<Index>{0}));
    EXPECT_EQ(sorted({7, 7, 7}, 64), (std::vector<Index>{0, 1, 2}));
}

TEST_P(SortPairs, AgreesWithAStableSort)
{
    // a GPU merges runs of 1024, sixteen at a time, up to 2^18 pairs
    for (const std::size_t n : {2u, 1024u, 1025u, 4095u, 4097u, 16384u, 16385u, 50000u, 262144u, 262145u})
        for (const std::uint64_t modulus : {std::uint64_t{17}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
            const std::vector<std::uint64_t> keys = scrambled(n, modulus);
            std::vector<Index> expected(n);
            std::iota(expected.begin(), expected.end(), 0u);
            std::stable_sort(expected.begin(), expected.end(),
                             [&](Index a, Index b) { return keys[a] < keys[b]; });
            EXPECT_EQ(sorted(keys, 64), expected) << n << " pairs, keys below " << modulus;
        }
}

TEST_P(SortPairs, HighBitsAreIgnoredWhenAskedTo)
{
    const std::uint64_t high = std::uint64_t{1} << 50;
    EXPECT_EQ(sorted({high | 3, 2, high | 1}, 20), (std::vector<Index>{2, 1, 0}));
    EXPECT_EQ(sorted({4, 2, 1}, 2), (std::vector<Index>{0, 2, 1}));
    std::vector<std::uint64_t> keys = scrambled(20000, ~std::uint64_t{0});
    const std::vector<Index> by_low_bits = sorted(keys, 10);
    for (std::uint64_t& key : keys) key %= 1024;
    EXPECT_EQ(by_low_bits, sorted(keys, 64));
    EXPECT_ANY_THROW(sorted({1, 2}, 65));
}

/// Sorts keys by the borders of old ones, on a GPU.
struct SortedNearOrder {
    std::vector<std::uint64_t> keys;
    std::vector<Index> values;
    Index n_failed;
};
SortedNearOrder sorted_near_order(Exec exec, std::vector<std::uint64_t> old,
                                  const std::vector<std::uint64_t>& keys)
{
    const std::size_t n = keys.size();
    std::vector<Index> values(n);
    std::iota(values.begin(), values.end(), 0u);
    std::ranges::sort(old);
    Buffer<std::uint64_t> key(exec.backend, keys), spare_key(exec.backend, old);
    Buffer<Index> value(exec.backend, values), spare_value(exec.backend, n);
    Buffer<Index> n_failed(exec.backend, std::vector<Index>{0});
    Buffer<std::byte> scratch(exec.backend, 32 * n);
    SortBuffers pairs{key.data(), spare_key.data(), value.data(), spare_value.data()};
    sort_near_order(exec, n, pairs, scratch.data(), n_failed.data());
    return {(pairs.key == key.data() ? key : spare_key).to_vector(),
            (pairs.value == value.data() ? value : spare_value).to_vector(), n_failed.to_vector()[0]};
}

TEST_P(SortPairs, KeysThatMovedALittleAreSortedByTheBordersOfOldOnes)
{
    if (GetParam() == Backend::cpu) GTEST_SKIP() << "only a GPU sorts so";
    for (const std::size_t n :
         {fewest_near_order, fewest_near_order + 1, std::size_t{131071}, most_near_order}) {
        const std::vector<std::uint64_t> old = scrambled(n, std::uint64_t{1} << 40);
        std::vector<std::uint64_t> keys = old;
        for (std::size_t i = 0; i < n; ++i) keys[i] ^= (i * 2654435761u) % (std::uint64_t{1} << 30);
        keys[n / 2] = 0;
        keys[n / 3] = (std::uint64_t{1} << 63) - 1;
        const SortedNearOrder found = sorted_near_order(exec(), old, keys);
        EXPECT_EQ(found.n_failed, 0u);
        for (std::size_t i = 0; i < n; ++i)
            ASSERT_EQ(found.keys[i], keys[found.values[i]]) << i << " of " << n;
        std::ranges::sort(keys);
        EXPECT_EQ(found.keys, keys) << n << " pairs";
    }
}

TEST_P(SortPairs, KeysFarFromTheOldOnesAreCountedAsAFailure)
{
    if (GetParam() == Backend::cpu) GTEST_SKIP() << "only a GPU sorts so";
    const std::vector<std::uint64_t> old = scrambled(fewest_near_order, std::uint64_t{1} << 40);
    EXPECT_GT(sorted_near_order(exec(), old, scrambled(fewest_near_order, std::uint64_t{1} << 20)).n_failed,
              0u);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(SortPairs);

}  // namespace
}  // namespace aureole::test::sort_pairs_test
