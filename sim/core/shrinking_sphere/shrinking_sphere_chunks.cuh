// The sorted members of a round of the search in chunks, and what lies from each chunk on inwards.
#pragma once

#include "sim/core/sums/moment_sums.cuh"

namespace aureole::detail::sphere_search {

/// A member, and in an array beside it its index.
struct alignas(16) Member {
    Vec3 position;
    double mass;
};

/// Members that a thread reads at a time, since waiting is nearly all that they cost.
inline constexpr unsigned at_once = 4;

/// Some of the blocks of a grid: the one of this thread, and how many.
struct BlockShare {
    unsigned block, n_blocks;
};

/// The list of a round in chunks of equal size, at most so many. Sums are kept of what lies from each chunk
/// on inwards, so that a sphere looks only at members near its surface.
inline constexpr Index most_chunks = 2048;

struct Chunks {
    unsigned log2_size = 6;
    Index n;

    __device__ explicit Chunks(Index n_members)
    {
        while (n_members > std::uint64_t{most_chunks} << log2_size) ++log2_size;
        n = (n_members + size() - 1) >> log2_size;
    }
    __device__ Index size() const { return Index{1} << log2_size; }
};

/// Masses and moments of a chunk, then of all members from its first on, in the units of the round.
struct ChunkSums {
    Int128 sum[4];
    Index n;

    __device__ static ChunkSums of(const MomentSums& sums)
    {
        return {{sums.sum[0], sums.sum[1], sums.sum[2], sums.sum[3]}, sums.n};
    }
    __device__ void add_to(MomentSums& sums) const
    {
#pragma unroll
        for (unsigned k = 0; k < 4; ++k) sums.sum[k] += sum[k];
        sums.n += n;
    }
};

/// Sums of each chunk of the `n` members of a list, by warps of blocks of so many threads.
template <unsigned threads>
__device__ void sum_chunks_of_list(ChunkSums* to, const Member* list, Index n, const MomentUnits& units,
                                   BlockShare share)
{
    constexpr unsigned warps = threads / 32;
    const Index lane = threadIdx.x % 32;
    const Chunks chunks(n);
    for (Index c = share.block * warps + threadIdx.x / 32; c < chunks.n; c += share.n_blocks * warps) {
        MomentSums sums{};
        const Index end = min(n, (c + 1) * chunks.size());
        for (Index first = c * chunks.size() + lane; first < end; first += 32 * at_once) {
            Member member[at_once];
#pragma unroll
            for (unsigned u = 0; u < at_once; ++u)
                if (first + 32 * u < end) member[u] = list[first + 32 * u];
#pragma unroll
            for (unsigned u = 0; u < at_once; ++u)
                if (first + 32 * u < end) sums.add(units, member[u].mass, member[u].position);
        }
        sums.add_over_warp();
        if (lane == 0) to[c] = ChunkSums::of(sums);
    }
}

/// By one block: the sums of chunks become those of all that lies from a chunk on inwards, and zeros follow.
template <unsigned threads>
__device__ void sum_inwards(ChunkSums* chunk, Index n_members)
{
    constexpr Index run = most_chunks / threads;
    static_assert(run * threads == most_chunks);
    const Index n = Chunks(n_members).n, first = threadIdx.x * run, end = min(n, first + run);
    MomentSums sums{};  // from the innermost chunk outwards
    for (Index k = first; k < end; ++k) chunk[n - 1 - k].add_to(sums);
    sums = sums.before_in_block<threads>();
    for (Index k = first; k < end; ++k) {
        chunk[n - 1 - k].add_to(sums);
        chunk[n - 1 - k] = ChunkSums::of(sums);
    }
    if (threadIdx.x == 0) chunk[n] = {};
    __syncthreads();
}

}  // namespace aureole::detail::sphere_search
