// How kernels divide lists: a thread for each of something, or a warp for up to 1024 members of one list;
// what the lanes of a warp do together (reductions run over halves, in the same order always); and where
// candidates lie.
#pragma once

#include <limits>

#include "halo/centres/gpu/search_data.hpp"
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

inline constexpr unsigned block = 256;

inline unsigned blocks_for_threads(std::uint64_t n) { return static_cast<unsigned>((n + block - 1) / block); }
inline unsigned blocks_for_warps(std::uint64_t n) { return blocks_for_threads(32 * n); }
inline unsigned blocks_for_segments(const MembersView& members)
{
    return blocks_for_warps(most_segments(members, segment_size));
}

__device__ inline std::uint64_t thread_number()
{
    return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline unsigned lane_number() { return threadIdx.x % 32; }

/// The segment of a warp.
__device__ inline ListSegment own_segment(const MembersView& members)
{
    const std::uint64_t number = thread_number() / 32;
    if (number >= most_segments(members, segment_size)) return {0, 0, 0};
    return segment_at(members, number, segment_size);
}

/// First place of a bucket.
__device__ inline std::uint64_t first_place(const MembersView& members, Index bucket, Index list)
{
    const std::uint64_t begin = members.begin[list];
    return begin + (bucket - begin / bucket_size - list) * bucket_size;
}

/// Energy of motion of a place in scaled units.
__device__ inline double scaled_kinetic(const CentreQuery& query, const SearchArrays& arrays, Index list,
                                        std::uint64_t place)
{
    if (!query.with_motion) return 0;
    const ListFrame& frame = arrays.frame[list];
    return arrays.kinetic[arrays.order[place]] * (frame.mass / frame.length);
}

}  // namespace aureole::halo::centre_search
