// Potentials on a GPU: a warp for each bucket, a target in each lane. All lanes look at the same node, and
// add what it contributes in the order of the walk: the sums are those of phase_kernels_simd.cpp, to the bit.
#include "halo/substructure/list_forces.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo {
namespace {

constexpr unsigned all_lanes = 0xffffffffu, force_warps = 4;
constexpr int stack_size = 8 * segments::max_levels + segments::most_start_nodes;

__device__ float larger_of_warp(float x)
{
    for (unsigned step = 16; step > 0; step /= 2) {
        const float other = __shfl_xor_sync(all_lanes, x, step);
        x = other > x ? other : x;
    }
    return x;
}

__device__ ForceBox box_of_warp(const ForceBody& body)
{
    return {{-larger_of_warp(-body.x), -larger_of_warp(-body.y), -larger_of_warp(-body.z)},
            {larger_of_warp(body.x), larger_of_warp(body.y), larger_of_warp(body.z)}};
}

/// One target of a bucket.
struct Target {
    ForceBody at;
    Index number;  ///< in its list
    float eps2;
    double sum = 0;

    /// `from`: number of the first. What is not asked for is known not to occur: the target itself, and
    /// members at its place, whose distance is at least the softening length.
    template <bool with_own, bool with_coincident>
    __device__ void add_pairs_that(const ForceBody* body, Index from, Index n)
    {
        float total = 0;
#pragma unroll 4
        for (Index j = 0; j < n; ++j) {
            const ForceBody b = body[j];
            const float dx = b.x - at.x, dy = b.y - at.y, dz = b.z - at.z;
            float squared = dx * dx + dy * dy + dz * dz + eps2;
            float mass = with_own && from + j == number ? 0 : b.mass;
            if constexpr (with_coincident) {
                mass = squared < least_square ? 0 : mass;
                squared = squared > least_square ? squared : least_square;
            }
            total = total + mass * plain_inverse_root(squared);
        }
        sum += static_cast<double>(total);
    }
    /// The same choice in all lanes of a warp. `may_be_own`: the target of one of them is among the bodies.
    __device__ void add_pairs(const ForceBody* body, Index from, Index n, bool may_be_own)
    {
        if (!(eps2 > least_square))
            add_pairs_that<true, true>(body, from, n);
        else if (may_be_own)
            add_pairs_that<true, false>(body, from, n);
        else
            add_pairs_that<false, false>(body, from, n);
    }
    __device__ void add_node(const ForceNode& node)
    {
        const float dx = at.x - node.x, dy = at.y - node.y, dz = at.z - node.z;
        const float inverse = plain_inverse_root(dx * dx + dy * dy + dz * dz + eps2);
        sum += static_cast<double>(node_potential<float>(node, dx, dy, dz, inverse));
    }
};

struct Entry {
    int level;
    Index number;
};

/// What a warp keeps in shared memory.
struct WarpMemory {
    Entry stack[stack_size];
    ForceNode far[32];
    ForceBody body[force_leaf];
};

/// The walk of phase_kernels_simd.cpp: lanes test nodes side by side, and add them one after the other.
struct WarpWalk {
    const ForceLists& lists;
    Index list;
    const ForceBody* body;  ///< sources
    Index n_sources;
    Index first_target;  ///< among the sources, or behind them
    ForceBall ball;
    WarpMemory& memory;
    Target& target;
    int n_stack = 0;

    __device__ void look_at(int level, Index from, Index n)
    {
        const Index lane = threadIdx.x % 32;
        const bool there = lane < n;
        ForceNode node{};
        if (there) node = lists.node[lists.node_at(list, level, from) + lane];
        const bool far = there && is_far(node, ball);
        const unsigned far_lanes = __ballot_sync(all_lanes, far),
                       near_lanes = __ballot_sync(all_lanes, there && !far);
        const unsigned before = (1u << lane) - 1;
        __syncwarp();
        if (far) memory.far[__popc(far_lanes & before)] = node;
        if (there && !far && level > 0)
            memory.stack[n_stack + __popc(near_lanes & before)] = {level, from + lane};
        __syncwarp();
        const int n_far = __popc(far_lanes);
        for (int k = 0; k < n_far; ++k) target.add_node(memory.far[k]);
        if (level > 0)
            n_stack += __popc(near_lanes);
        else
            for (unsigned left = near_lanes; left != 0; left &= left - 1)
                add_leaf(from + static_cast<Index>(__ffs(left)) - 1);
    }
    __device__ void add_leaf(Index number)
    {
        const Index lane = threadIdx.x % 32, from = number * force_leaf,
                    n = n_sources - from < force_leaf ? n_sources - from : force_leaf;
        __syncwarp();
        if (lane < n) memory.body[lane] = body[from + lane];
        __syncwarp();
        target.add_pairs(memory.body, from, n, from + force_leaf > first_target && from < first_target + 32);
    }
    __device__ void run()
    {
        const int start = lists.start_level(list);
        look_at(start, 0, lists.nodes_at(list, start));
        while (n_stack > 0) {
            const Entry at = memory.stack[--n_stack];
            const Index n_below = lists.nodes_at(list, at.level - 1), from = 8 * at.number;
            look_at(at.level - 1, from, n_below - from < 8 ? n_below - from : 8);
        }
    }
};

__global__ void __launch_bounds__(32 * force_warps)
    bucket_potentials_kernel(const __grid_constant__ ForceLists lists)
{
    __shared__ WarpMemory memory[force_warps];
    const std::uint64_t bucket = std::uint64_t{blockIdx.x} * force_warps + threadIdx.x / 32;
    const MembersView& targets = lists.targets.lists;
    if (bucket >= segments::most_segments(targets, force_bucket)) return;
    const auto segment = segments::segment_at(targets, bucket, force_bucket);
    if (segment.begin == segment.end) return;
    const Index list = segment.list, n = lists.n_sources(list);
    const std::uint64_t begin = targets.begin[list], place = segment.begin + threadIdx.x % 32;
    const std::uint64_t own = place < segment.end ? place : segment.end - 1;
    const bool among_sources = lists.is_renewed(list);
    Target target{lists.targets.body[own], among_sources ? static_cast<Index>(own - begin) : n,
                  lists.squared_softening[list]};
    WarpWalk walk{lists,
                  list,
                  lists.sources.body + lists.sources.lists.begin[list],
                  n,
                  among_sources ? static_cast<Index>(segment.begin - begin) : n + force_leaf,
                  ball_of(box_of_warp(target.at)),
                  memory[threadIdx.x / 32],
                  target};
    if (lists.has_tree(list))
        walk.run();
    else
        for (Index leaf = 0; leaf * force_leaf < n; ++leaf) walk.add_leaf(leaf);
    if (place < segment.end) lists.put(list, place, target.sum);
}

}  // namespace

void find_potentials_cuda(CUstream_st* stream, const ForceLists& lists)
{
    const std::uint64_t n_warps = segments::most_segments(lists.targets.lists, force_bucket);
    const auto n_blocks = static_cast<unsigned>((n_warps - 1) / force_warps + 1);
    bucket_potentials_kernel<<<n_blocks, 32 * force_warps, 0, stream>>>(lists);
    AUREOLE_CUDA_LAUNCHED("bucket_potentials_kernel");
}

}  // namespace aureole::halo
