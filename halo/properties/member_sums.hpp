// Loops over lists of members whose results are equal bit for bit for any number of threads: sums run over
// blocks of fixed length, in order. A list longer than `long_list` is shared by all threads, shorter ones are
// dealt out whole, in portions of about equally many members.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/backend.hpp"

namespace aureole::halo {

/// Lists with more members than this are computed by all threads together.
inline constexpr std::size_t long_list = std::size_t{1} << 16;

/// Terms of one partial sum.
inline constexpr std::size_t sum_block = 4096;

template <std::size_t width>
using Sums = std::array<double, width>;

/// add(sums, i) for i in [0, n): block by block, then the blocks in order.
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
#pragma omp parallel for if (n > long_list)
    for (std::size_t block = 0; block < partial.size(); ++block) partial[block] = block_sum(block);
    Sums<width> total{};
    for (const Sums<width>& part : partial)
        for (std::size_t k = 0; k < width; ++k) total[k] += part[k];
    return total;
}

/// body(scratch, list) for every list, each once; `begin` says where each list begins, and the end of the
/// last. `Scratch` is default-constructed once per thread and reused. The body throws nothing.
template <class Scratch, class Body>
void for_each_list(std::span<const std::uint64_t> begin, Body body)
{
    constexpr std::size_t portion = 4096;
    const std::size_t n_portions = begin.back() / portion + 1, n_lists = begin.size() - 1;
    const auto length = [&](std::size_t list) { return begin[list + 1] - begin[list]; };
    const auto first_list = [&](std::size_t k) {
        const auto found = std::lower_bound(begin.begin(), begin.end() - 1, k * portion);
        return k == n_portions ? n_lists : static_cast<std::size_t>(found - begin.begin());
    };
#pragma omp parallel if (begin.back() > parallel_threshold)
    {
        Scratch scratch;
#pragma omp for schedule(dynamic)
        for (std::size_t k = 0; k < n_portions; ++k)
            for (std::size_t list = first_list(k); list < first_list(k + 1); ++list)
                if (length(list) <= long_list) body(scratch, list);
    }
    Scratch scratch;
    for (std::size_t list = 0; list < n_lists; ++list)
        if (length(list) > long_list) body(scratch, list);
}

}  // namespace aureole::halo
