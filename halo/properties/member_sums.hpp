// Loops over lists of members whose results are equal bit for bit for any number of threads: sums run over
// blocks of fixed length, in order (sim/core/sums/block_sums.hpp). A list longer than `long_list` is shared
// by all threads, shorter ones are dealt out whole, in portions of about equally many members.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/core/backend.hpp"
#include "sim/core/sums/block_sums.hpp"

namespace aureole::halo {

/// Lists with more members than this are computed by all threads together.
inline constexpr std::size_t long_list = shared_sum;

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
