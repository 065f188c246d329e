// Sums over the lanes of a warp, in the order of a binary tree, always the same. All 32 lanes have to call.
#pragma once

namespace aureole {

/// The sum over all lanes, in every lane.
template <class T>
__device__ inline T sum_of_warp(T x)
{
    for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}

/// The sum over the lanes up to this one.
template <class T>
__device__ inline T inclusive_sum_of_warp(T x)
{
    for (int step = 1; step < 32; step *= 2) {
        const T other = __shfl_up_sync(0xffffffffu, x, step);
        if (static_cast<int>(threadIdx.x % 32) >= step) x += other;
    }
    return x;
}

}  // namespace aureole
