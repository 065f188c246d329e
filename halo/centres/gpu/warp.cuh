// What the lanes of a warp do together. Reductions run over halves, in the same order always.
#pragma once

#include <limits>

#include "sim/core/spatial/ordered_bits.hpp"
#include "sim/core/sums/warp_sums.cuh"

namespace aureole::halo::centre_search {

inline constexpr unsigned all_lanes = 0xffffffffu;
inline constexpr double infinite = std::numeric_limits<double>::infinity();

template <class T>
__device__ inline T warp_least(T x)
{
    for (int step = 16; step > 0; step /= 2) {
        const T other = __shfl_xor_sync(all_lanes, x, step);
        x = other < x ? other : x;
    }
    return x;
}

template <class T>
__device__ inline T warp_largest(T x)
{
    for (int step = 16; step > 0; step /= 2) {
        const T other = __shfl_xor_sync(all_lanes, x, step);
        x = other > x ? other : x;
    }
    return x;
}

__device__ inline unsigned long long* atomic_word(std::uint64_t* at)
{
    return reinterpret_cast<unsigned long long*>(at);
}

}  // namespace aureole::halo::centre_search
