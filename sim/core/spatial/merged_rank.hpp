// Where a pair of one of several sorted runs stands when they are merged: how sort_pairs_cuda.cu merges them
// in one pass.
#pragma once

#include <cstdint>

#include "sim/core/backend.hpp"

namespace aureole {

/// Sorted runs that one pass merges.
inline constexpr Index merged_runs = 16;

/// The place of key i among the keys of its group. `keys` are n keys in sorted runs of `run`, a power of two,
/// the last maybe shorter; merged_runs neighbouring runs make a group. Keys that are equal under `mask` keep
/// their order. O(merged_runs log(run)), the searches of all runs side by side.
AUREOLE_HD inline Index merged_rank(const std::uint64_t* keys, Index i, Index n, Index run,
                                    std::uint64_t mask)
{
    const Index mine = i / run, first = mine / merged_runs * merged_runs, begin = first * run;
    const std::uint64_t key = keys[i] & mask;
    const auto comes_first = [=](Index t, Index k) {  // element k of run t of the group
        const std::uint64_t at = begin + std::uint64_t{t} * run + k;
        if (at >= n) return false;
        const std::uint64_t other = keys[at] & mask;
        return other < key || (other == key && first + t < mine);
    };
    Index before[merged_runs] = {};
    for (Index half = run / 2; half > 0; half /= 2) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
        for (Index t = 0; t < merged_runs; ++t)
            if (comes_first(t, before[t] + half - 1)) before[t] += half;
    }
    Index rank = i - mine * run;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (Index t = 0; t < merged_runs; ++t)
        if (first + t != mine) rank += before[t] + (comes_first(t, before[t]) ? 1 : 0);
    return begin + rank;
}

}  // namespace aureole
