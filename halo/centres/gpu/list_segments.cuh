// How kernels divide lists: a thread for each of something, or a warp for up to 1024 members of one list.
#pragma once

#include "halo/centres/gpu/search_data.hpp"

namespace aureole::halo::centre_search {

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

}  // namespace aureole::halo::centre_search
