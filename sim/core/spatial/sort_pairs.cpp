// Least-significant-digit radix sort, eight bits a pass. The pairs are cut into a fixed number of blocks,
// each with its own histogram, so the result does not depend on the number of threads.
#include "sim/core/spatial/sort_pairs.hpp"

#include <algorithm>
#include <array>

#include "sim/core/error.hpp"

namespace aureole {

namespace detail {
namespace {

constexpr std::size_t n_digits = 256;
constexpr std::size_t max_blocks = 256;
constexpr std::size_t smallest_block = 4096;

using Histogram = std::array<std::uint64_t, n_digits>;

std::size_t digit_of(std::uint64_t key, int shift) { return (key >> shift) & (n_digits - 1); }

/// Turns counts per block and digit into the place where each block puts its first pair with that digit.
/// Returns false when one digit holds all `n` pairs: there is nothing to move.
bool counts_to_offsets(Histogram* blocks, std::size_t n_blocks, std::size_t n)
{
    std::uint64_t offset = 0;
    for (std::size_t digit = 0; digit < n_digits; ++digit) {
        const std::uint64_t before = offset;
        for (std::size_t b = 0; b < n_blocks; ++b) {
            const std::uint64_t count = blocks[b][digit];
            blocks[b][digit] = offset;
            offset += count;
        }
        if (offset - before == n) return false;
    }
    return true;
}

}  // namespace

std::size_t sort_pairs_cpu_scratch_bytes() { return max_blocks * sizeof(Histogram); }

void sort_pairs_cpu(std::size_t n, SortBuffers& pairs, int n_bits, std::byte* scratch)
{
    auto* const offsets = reinterpret_cast<Histogram*>(scratch);
    const std::size_t n_blocks = std::clamp<std::size_t>(n / smallest_block, 1, max_blocks);
    const std::uint64_t mask = n_bits < 64 ? (std::uint64_t{1} << n_bits) - 1 : ~std::uint64_t{0};

    for (int shift = 0; shift < n_bits; shift += 8) {
#pragma omp parallel for if (n_blocks > 1)
        for (std::size_t b = 0; b < n_blocks; ++b) {
            offsets[b].fill(0);
            for (std::size_t i = b * n / n_blocks; i < (b + 1) * n / n_blocks; ++i)
                ++offsets[b][digit_of(pairs.key[i] & mask, shift)];
        }
        if (!counts_to_offsets(offsets, n_blocks, n)) continue;
#pragma omp parallel for if (n_blocks > 1)
        for (std::size_t b = 0; b < n_blocks; ++b)
            for (std::size_t i = b * n / n_blocks; i < (b + 1) * n / n_blocks; ++i) {
                const std::uint64_t to = offsets[b][digit_of(pairs.key[i] & mask, shift)]++;
                pairs.spare_key[to] = pairs.key[i];
                pairs.spare_value[to] = pairs.value[i];
            }
        pairs.swap_keys();
        pairs.swap_values();
    }
}

}  // namespace detail

void sort_pairs(Exec exec, std::size_t n, SortBuffers& pairs, int n_bits, std::byte* scratch)
{
    AUREOLE_EXPECT(n_bits > 0 && n_bits <= 64, "sort by {} bits, expected 1 to 64", n_bits);
    if (n < 2) return;
    if (exec.backend == Backend::cpu) return detail::sort_pairs_cpu(n, pairs, n_bits, scratch);
    if constexpr (with_cuda)
        detail::sort_pairs_cuda(exec.stream, n, pairs, n_bits, scratch,
                                sort_pairs_scratch_bytes(exec.backend, n));
    else
        throw_not_built(exec.backend);
}

void sort_near_order(Exec exec, std::size_t n, [[maybe_unused]] SortBuffers& pairs,
                     [[maybe_unused]] std::byte* scratch, [[maybe_unused]] Index* n_failed)
{
    AUREOLE_EXPECT(exec.backend == Backend::cuda && n >= fewest_near_order && n <= most_near_order,
                   "{} pairs on {} to be sorted by their last order, expected {} to {} on a GPU", n,
                   name_of(exec.backend), fewest_near_order, most_near_order);
    if constexpr (with_cuda)
        detail::sort_near_order_cuda(exec.stream, static_cast<Index>(n), pairs, scratch, n_failed);
}

std::size_t sort_pairs_scratch_bytes(Backend where, [[maybe_unused]] std::size_t n)
{
    if (where == Backend::cpu) return detail::sort_pairs_cpu_scratch_bytes();
    if constexpr (with_cuda)
        return detail::sort_pairs_cuda_scratch_bytes(n);
    else
        throw_not_built(where);
}

}  // namespace aureole
