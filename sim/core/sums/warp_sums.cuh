// Sums over the lanes of a warp, in the order of a binary tree, always the same: all 32 lanes have to call;
// and reductions over the threads of a block.
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

// Reductions over the threads of a block, always in the same order: halves of a warp, then the warps one
// after the other. All threads of the block have to call.

/// `combine(a, b)` over the values of all threads, in every thread. T is made of doubles, whose number is
/// sizeof(T) / 8; `combine` works on T.
template <unsigned threads, class T, class Combine>
__device__ inline T reduced_over_block(T x, Combine combine)
{
    constexpr unsigned words = sizeof(T) / sizeof(double);
    for (int step = 16; step > 0; step /= 2) {
        T other;
        for (unsigned k = 0; k < words; ++k)
            reinterpret_cast<double*>(&other)[k] =
                __shfl_xor_sync(0xffffffffu, reinterpret_cast<double*>(&x)[k], step);
        x = threadIdx.x & step ? combine(other, x) : combine(x, other);
    }
    __shared__ double part[threads / 32 * words];
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        for (unsigned k = 0; k < words; ++k)
            part[threadIdx.x / 32 * words + k] = reinterpret_cast<double*>(&x)[k];
    __syncthreads();
    for (unsigned k = 0; k < words; ++k) reinterpret_cast<double*>(&x)[k] = part[k];
    for (unsigned warp = 1; warp < threads / 32; ++warp) {
        T other;
        for (unsigned k = 0; k < words; ++k) reinterpret_cast<double*>(&other)[k] = part[warp * words + k];
        x = combine(x, other);
    }
    return x;
}

}  // namespace aureole
