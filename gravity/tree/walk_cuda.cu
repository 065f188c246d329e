// The walk on the GPU: a warp owns a group of targets that are neighbours along the curve (walk_warp.cuh).
// A group whose box holds many other bodies (outliers, places where the curve jumps), or whose accelerations
// differ much, would open a large part of the tree for all its targets. Its walk stops, and a second kernel
// gives each of its targets a warp, whose lanes share the entries of the lists. Of few groups the longest
// decides how long the walk takes: several warps share each.
#include <algorithm>

#include "gravity/tree/walk_warp.cuh"
#include "sim/core/chained_launch.cuh"

namespace aureole::gravity::tree {
namespace {

constexpr int warps_per_block = 4;
/// Holds registers to 128 in float: with fewer, and more warps, spills cost more than the warps give
/// (README).
template <class T>
constexpr int blocks_per_multiprocessor = sizeof(T) == sizeof(float) ? 4 : 3;
/// Blocks of the second kernel: enough to fill any GPU.
constexpr Index most_blocks_singly = 2048;

/// Blocks of four warps that know nothing of each other, a group each. Groups to be split go to the queue.
template <class T, bool general>
__global__ void __launch_bounds__(warps_per_block* lanes, blocks_per_multiprocessor<T>)
    walk_kernel(const __grid_constant__ WalkTask task)
{
    extern __shared__ std::byte shared[];
    const Index warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
    const Index group = task.groups.begin + blockIdx.x * warps_per_block + warp;
    if (group >= task.groups.end) return;
    auto& lists = reinterpret_cast<WarpLists<T, general>*>(shared)[warp];
    if (GroupWalk<T, general, false>(task, lists).run(group * lanes + lane) || lane > 0) return;
    task.split_groups[1 + atomicAdd(task.split_groups, 1u)] = group;
}

/// The same with a block for each group, whose warps share it.
template <class T, bool general, unsigned n_parts>
__global__ void __launch_bounds__(n_parts* lanes, warps_per_block* blocks_per_multiprocessor<T> / n_parts)
    walk_shared_kernel(const __grid_constant__ WalkTask task)
{
    extern __shared__ std::byte shared[];
    const Index part = threadIdx.x / lanes, group = task.groups.begin + blockIdx.x;
    auto& lists = reinterpret_cast<WarpLists<T, general>*>(shared)[part];
    follow_earlier_kernels();
    GroupWalk<T, general, false, n_parts> walk(task, lists, part);
    if (walk.run(group * lanes + threadIdx.x % lanes) || threadIdx.x > 0) return;
    task.split_groups[1 + atomicAdd(task.split_groups, 1u)] = group;
}

/// A warp for each target of the groups in the queue; their number is known only here.
template <class T, bool general>
__global__ void __launch_bounds__(warps_per_block* lanes, blocks_per_multiprocessor<T>)
    walk_singly_kernel(const __grid_constant__ WalkTask task)
{
    extern __shared__ std::byte shared[];
    const Index warp = threadIdx.x / lanes;
    auto& lists = reinterpret_cast<WarpLists<T, general>*>(shared)[warp];
    const std::uint64_t n = std::uint64_t{task.split_groups[0]} * lanes;
    for (std::uint64_t k = blockIdx.x * warps_per_block + warp; k < n; k += gridDim.x * warps_per_block) {
        const Index place = task.split_groups[1 + k / lanes] * lanes + static_cast<Index>(k % lanes);
        __syncwarp();
        if (place < task.n_targets) GroupWalk<T, general, true>(task, lists).run(place);
    }
}

constexpr unsigned block = warps_per_block * lanes;

template <class T, bool general>
constexpr int shared_bytes = warps_per_block* static_cast<int>(sizeof(WarpLists<T, general>));

template <class Kernel>
void allow_shared(Kernel kernel, int bytes)
{
    AUREOLE_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                            cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

/// `n_parts` warps for each group.
template <class T, bool general, unsigned n_parts>
void launch_shared(CUstream_st* stream, const WalkTask& task)
{
    constexpr int bytes = shared_bytes<T, general> / warps_per_block * static_cast<int>(n_parts);
    const auto kernel = walk_shared_kernel<T, general, n_parts>;
    allow_shared(kernel, bytes);
    launch_chained(kernel, dim3(task.groups.size()), dim3(n_parts * lanes), bytes, stream, task);
    AUREOLE_CUDA_LAUNCHED("walk_shared_kernel");
}

/// A warp for each group.
template <class T, bool general>
void launch_whole(CUstream_st* stream, const WalkTask& task)
{
    constexpr int bytes = shared_bytes<T, general>;
    const auto kernel = walk_kernel<T, general>;
    allow_shared(kernel, bytes);
    kernel<<<(task.groups.size() - 1) / warps_per_block + 1, block, bytes, stream>>>(task);
    AUREOLE_CUDA_LAUNCHED("walk_kernel");
}

template <class T, bool general>
void launch(CUstream_st* stream, const WalkTask& task)
{
    constexpr int bytes = shared_bytes<T, general>;
    const Index n_groups = (task.n_targets - 1) / lanes + 1;
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(task.split_groups, 0, sizeof(Index), stream));
    // how many warps share a group is decided by all groups: other numbers have other last bits
    const WalkPlan& plan = task.plan;
    if constexpr (sizeof(T) == sizeof(float)) {
        if (n_groups <= plan.groups_by_four)
            launch_shared<T, general, 4>(stream, task);
        else if (n_groups <= plan.groups_by_two)
            launch_shared<T, general, 2>(stream, task);
        else
            launch_whole<T, general>(stream, task);
    } else {
        launch_whole<T, general>(stream, task);
    }
    const auto singly = walk_singly_kernel<T, general>;
    allow_shared(singly, bytes);
    singly<<<std::min(task.groups.size(), most_blocks_singly), block, bytes, stream>>>(task);
    AUREOLE_CUDA_LAUNCHED("walk_singly_kernel");
}

}  // namespace

std::size_t walk_cuda_queue_size(std::size_t n_targets) { return 1 + n_targets / lanes + 1; }

void walk_cuda(CUstream_st* stream, const WalkTask& all, Slice slice)
{
    const IndexRange places = slice.places(all.n_targets, lanes);
    if (places.size() == 0) return;
    WalkTask task = all;
    task.groups = {places.begin / lanes, (places.end - 1) / lanes + 1};
    const bool general = task.rule.spline || !task.softening.uniform;
    if (task.precision == Precision::double_precision)
        general ? launch<double, true>(stream, task) : launch<double, false>(stream, task);
    else
        general ? launch<float, true>(stream, task) : launch<float, false>(stream, task);
}

}  // namespace aureole::gravity::tree
