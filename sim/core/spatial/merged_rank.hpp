// Where a pair of one of several sorted runs stands when they are merged: how sort_pairs_cuda.cu merges them
// in one pass.
#pragma once

#include <cstdint>

#include "sim/core/backend.hpp"

namespace aureole {

/// The place of key i among the keys of its group. `keys` are n keys in sorted runs of `run`, a power of two,
/// the last maybe shorter; merged_runs neighbouring runs make a group. Keys that are equal under `mask` keep
/// their order. O(merged_runs log(run)), the searches of all runs side by side.
template <Index merged_runs>
AUREOLE_HD inline Index merged_rank(const std::uint64_t* keys, Index i, Index n, Index run,
                                    std::uint64_t mask)
{
    const Index mine = i / run, first = mine / merged_runs * merged_runs, begin = first * run;
    const std::uint64_t key = keys[i] & mask;
    Index before[merged_runs] = {};  // of each run
    // adds `step` where the element `beyond` those comes first, too; all are asked for before one is needed
    const auto advance = [&](Index beyond, Index step) {
        std::uint64_t other[merged_runs];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
        for (Index t = 0; t < merged_runs; ++t) {
            const std::uint64_t at = begin + std::uint64_t{t} * run + before[t] + beyond;
            other[t] = keys[at < n ? at : i] & mask;
        }
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
        for (Index t = 0; t < merged_runs; ++t) {
            const bool is_there = begin + std::uint64_t{t} * run + before[t] + beyond < n;
            const bool is_first = other[t] < key || (other[t] == key && first + t < mine);
            before[t] += is_there && is_first ? step : 0;
        }
    };
    for (Index half = run / 2; half > 0; half /= 2) advance(half - 1, half);
    advance(0, 1);
    Index rank = i - mine * run;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (Index t = 0; t < merged_runs; ++t) rank += first + t != mine ? before[t] : 0;
    return begin + rank;
}

}  // namespace aureole
