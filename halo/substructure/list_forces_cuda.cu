// Potentials on a GPU: a warp for each bucket, a target in each lane. All lanes look at the same node, and
// add what it contributes in the order of the walk: the sums are those of phase_loops.hpp, to the bit.
#include "halo/substructure/list_forces.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo {
namespace {

constexpr unsigned all_lanes = 0xffffffffu, warps_per_block = 4;
constexpr int stack_size = 8 * centre_search::max_levels + centre_search::most_start_nodes;

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

    __device__ void add_pairs(const ForceBody* body, Index from, Index to)
    {
        float total = 0;
        for (Index j = from; j < to; ++j) {
            const ForceBody b = body[j];
            const float dx = b.x - at.x, dy = b.y - at.y, dz = b.z - at.z;
            const float squared = dx * dx + dy * dy + dz * dz + eps2;
            float mass = j == number ? 0 : b.mass;
            mass = squared < least_square ? 0 : mass;
            total = total + mass * plain_inverse_root(squared > least_square ? squared : least_square);
        }
        sum += static_cast<double>(total);
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

__device__ void walk(const ForceLists& lists, Index list, const ForceBody* body, const ForceBall& ball,
                     Entry* stack, Target& target)
{
    const auto n_members = static_cast<Index>(centre_search::length_of(lists.lists, list));
    const int top = lists.levels.n - 1;
    const Index n_top = lists.nodes_at(list, top), lane = threadIdx.x % 32;
    if (lane < n_top) stack[n_top - 1 - lane] = {top, lane};
    int n_stack = static_cast<int>(n_top);
    __syncwarp();
    while (n_stack > 0) {
        const Entry at = stack[--n_stack];
        __syncwarp();
        const ForceNode node = lists.node[lists.node_at(list, at.level, at.number)];
        if (is_far(node, ball)) {
            target.add_node(node);
        } else if (at.level > 0) {
            const Index n_below = lists.nodes_at(list, at.level - 1), from = 8 * at.number;
            const Index n = n_below - from < 8 ? n_below - from : 8;
            if (lane < n) stack[n_stack + static_cast<int>(n - 1 - lane)] = {at.level - 1, from + lane};
            n_stack += static_cast<int>(n);
            __syncwarp();
        } else {
            const Index from = at.number * force_leaf;
            target.add_pairs(body, from, from + force_leaf < n_members ? from + force_leaf : n_members);
        }
    }
}

__global__ void __launch_bounds__(32 * warps_per_block)
    bucket_potentials_kernel(const __grid_constant__ ForceLists lists)
{
    __shared__ Entry stacks[warps_per_block][stack_size];
    const std::uint64_t bucket = std::uint64_t{blockIdx.x} * warps_per_block + threadIdx.x / 32;
    if (bucket >= centre_search::most_segments(lists.lists, force_bucket)) return;
    const auto segment = centre_search::segment_at(lists.lists, bucket, force_bucket);
    if (segment.begin == segment.end) return;
    const std::uint64_t begin = lists.lists.begin[segment.list], place = segment.begin + threadIdx.x % 32;
    const std::uint64_t own = place < segment.end ? place : segment.end - 1;
    const ForceBody* const body = lists.body + begin;
    Target target{lists.body[own], static_cast<Index>(own - begin), lists.squared_softening[segment.list]};
    if (lists.has_tree(segment.list)) {
        walk(lists, segment.list, body, ball_of(box_of_warp(target.at)), stacks[threadIdx.x / 32], target);
    } else {
        const auto n = static_cast<Index>(centre_search::length_of(lists.lists, segment.list));
        for (Index from = 0; from < n; from += force_leaf)
            target.add_pairs(body, from, from + force_leaf < n ? from + force_leaf : n);
    }
    if (place < segment.end) lists.potential[place] = static_cast<float>(target.sum);
}

}  // namespace

void find_potentials_cuda(CUstream_st* stream, const ForceLists& lists)
{
    const std::uint64_t n_warps = centre_search::most_segments(lists.lists, force_bucket);
    const auto n_blocks = static_cast<unsigned>((n_warps - 1) / warps_per_block + 1);
    bucket_potentials_kernel<<<n_blocks, 32 * warps_per_block, 0, stream>>>(lists);
    AUREOLE_CUDA_LAUNCHED("bucket_potentials_kernel");
}

}  // namespace aureole::halo
