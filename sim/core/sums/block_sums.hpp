// Sums of doubles that are equal bit for bit for any number of threads: over blocks of fixed length, in
// order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace aureole {

/// Terms of one partial sum.
inline constexpr std::size_t sum_block = 4096;

/// All threads work on a sum of more terms than this.
inline constexpr std::size_t shared_sum = std::size_t{1} << 16;

template <std::size_t width>
using Sums = std::array<double, width>;

/// `width` sums at once: calls add(sums, i) for i in [0, n), block by block, and adds the blocks in order.
template <std::size_t width, class Add>
Sums<width> block_sums(std::size_t n, Add add)
{
    const auto block_sum = [&](std::size_t block) {
        Sums<width> sums{};
        for (std::size_t i = block * sum_block; i < std::min(n, (block + 1) * sum_block); ++i) add(sums, i);
        return sums;
    };
    if (n <= sum_block) return block_sum(0);
    std::vector<Sums<width>> partial((n - 1) / sum_block + 1);
#pragma omp parallel for if (n > shared_sum)
    for (std::size_t block = 0; block < partial.size(); ++block) partial[block] = block_sum(block);
    Sums<width> total{};
    for (const Sums<width>& part : partial)
        for (std::size_t k = 0; k < width; ++k) total[k] += part[k];
    return total;
}

}  // namespace aureole
