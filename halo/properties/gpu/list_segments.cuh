// Warps that share the segments of lists, and sums over their lanes in a fixed order.
#pragma once

#include "halo/properties/gpu/arrays.hpp"
#include "sim/core/cuda_check.cuh"
#include "sim/core/sums/warp_sums.cuh"

namespace aureole::halo::properties {

inline constexpr Index lanes = 32;
inline constexpr Index warps_per_block = 8;
inline constexpr unsigned all_lanes = ~0u;

/// Blocks with a warp for each of `n` > 0.
inline Index blocks_of_warps(Index n) { return (n - 1) / warps_per_block + 1; }
inline constexpr Index warp_block = warps_per_block * lanes;

/// The number of this thread's warp in the grid.
__device__ inline Index warp_number() { return blockIdx.x * warps_per_block + threadIdx.x / lanes; }
__device__ inline Index lane_number() { return threadIdx.x % lanes; }

/// Leaves the sums over all lanes in every lane.
template <int width>
__device__ void sum_over_warp(SegmentSums<width>& sums)
{
#pragma unroll
    for (int k = 0; k < width; ++k) sums.term[k] = sum_of_warp(sums.term[k]);
}

/// The segments of one list.
struct SegmentRange {
    std::uint64_t first;
    Index n;
};

__device__ inline SegmentRange segments_of(const MembersView& members, Index list)
{
    const std::uint64_t begin = members.begin[list], length = members.begin[list + 1] - begin;
    return {first_segment(begin, list), static_cast<Index>((length + segment_size - 1) / segment_size)};
}

/// The sum of a list's partial sums, in lane 0; all lanes call.
template <int width>
__device__ SegmentSums<width> sum_of_segments(const SegmentSums<width>* part, const SegmentRange& segments)
{
    SegmentSums<width> sums{};
    for (Index k = lane_number(); k < segments.n; k += lanes)
#pragma unroll
        for (int t = 0; t < width; ++t) sums.term[t] += part[segments.first + k].term[t];
    if (segments.n > 1) sum_over_warp(sums);
    return sums;
}

}  // namespace aureole::halo::properties
