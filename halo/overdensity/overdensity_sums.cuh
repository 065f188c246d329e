// How blocks of a GPU add exact sums of masses.
#pragma once

#include "halo/overdensity/overdensity_kernels.hpp"

namespace aureole::halo {

__device__ inline MassSum shuffled_up(MassSum value, int step)
{
    return {__shfl_up_sync(~0u, value.high, step), __shfl_up_sync(~0u, value.low, step)};
}

/// Of the threads of a block up to this one. `of_warp`: shared, one for each warp. All threads call.
template <int threads>
__device__ MassSum inclusive_sum(MassSum value, MassSum* of_warp)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int step = 1; step < 32; step *= 2) {
        const MassSum other = shuffled_up(value, step);
        if (lane >= step) value = value + other;
    }
    if (lane == 31) of_warp[warp] = value;
    __syncthreads();
    for (int w = 0; w < warp; ++w) value = value + of_warp[w];
    __syncthreads();
    return value;
}

/// What the last thread of the block holds, for all.
template <int threads>
__device__ MassSum of_last_thread(MassSum value, MassSum* shared)
{
    if (threadIdx.x == threads - 1) *shared = value;
    __syncthreads();
    const MassSum result = *shared;
    __syncthreads();
    return result;
}

/// The sum over all threads of a block, for all.
template <int threads>
__device__ MassSum sum_of_block(MassSum value, MassSum* of_warp)
{
    return of_last_thread<threads>(inclusive_sum<threads>(value, of_warp), of_warp);
}

/// Adds to a bin of a table, in shared or global memory: limb by limb, each atomic, carries at once.
__device__ inline void add_to_bin(SphereTable& table, int bin, MassSum mass, std::uint32_t count)
{
    atomicAdd(&table.count[bin], count);
    const std::uint32_t part[3] = {static_cast<std::uint32_t>(mass.low),
                                   static_cast<std::uint32_t>(mass.low >> 32),
                                   static_cast<std::uint32_t>(mass.high)};
    std::uint32_t carry = 0;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        const std::uint32_t term = part[k] + carry;
        if (term == 0) continue;  // nothing to add, or a carry that passes through a limb of ones
        const std::uint32_t old = atomicAdd(&table.limb[k][bin], term);
        carry = old + term < old ? 1 : 0;
    }
}

__device__ inline MassSum mass_of_bin(const SphereTable& table, int bin)
{
    return {table.limb[2][bin], std::uint64_t{table.limb[1][bin]} << 32 | table.limb[0][bin]};
}

__device__ inline void set_bin(SphereTable& table, int bin, MassSum mass)
{
    table.limb[0][bin] = static_cast<std::uint32_t>(mass.low);
    table.limb[1][bin] = static_cast<std::uint32_t>(mass.low >> 32);
    table.limb[2][bin] = static_cast<std::uint32_t>(mass.high);
}

}  // namespace aureole::halo
