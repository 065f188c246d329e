// The walk on the GPU: a warp owns a group of targets that are neighbours along the curve (walk_warp.cuh).
// A group whose box holds many other bodies (outliers, places where the curve jumps), or whose accelerations
// differ much, would open a large part of the tree for all its targets. Its walk stops, and a second kernel
// gives each of its targets a warp, whose lanes share the entries of the lists.
#include <algorithm>

#include "gravity/tree/walk_warp.cuh"
#include "sim/core/cuda_check.cuh"

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
    walk_kernel(const __grid_constant__ WalkTask task, Index n_groups)
{
    extern __shared__ std::byte shared[];
    const Index warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
    const Index group = blockIdx.x * warps_per_block + warp;
    if (group >= n_groups) return;
    auto& lists = reinterpret_cast<WarpLists<T, general>*>(shared)[warp];
    if (GroupWalk<T, general, false>(task, lists).run(group * lanes + lane) || lane > 0) return;
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

template <class T, bool general>
void launch(CUstream_st* stream, const WalkTask& task)
{
    constexpr int bytes = warps_per_block * static_cast<int>(sizeof(WarpLists<T, general>));
    constexpr unsigned block = warps_per_block * lanes;
    const auto kernel = walk_kernel<T, general>;
    const auto singly = walk_singly_kernel<T, general>;
    for (const auto* any : {reinterpret_cast<const void*>(kernel), reinterpret_cast<const void*>(singly)})
        AUREOLE_CUDA_CHECK(cudaFuncSetAttribute(any, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    const Index n_groups = (task.n_targets - 1) / lanes + 1;
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(task.split_groups, 0, sizeof(Index), stream));
    kernel<<<(n_groups - 1) / warps_per_block + 1, block, bytes, stream>>>(task, n_groups);
    AUREOLE_CUDA_LAUNCHED("walk_kernel");
    singly<<<std::min(n_groups, most_blocks_singly), block, bytes, stream>>>(task);
    AUREOLE_CUDA_LAUNCHED("walk_singly_kernel");
}

}  // namespace

std::size_t walk_cuda_queue_size(std::size_t n_targets) { return n_targets / lanes + 2; }

void walk_cuda(CUstream_st* stream, const WalkTask& task)
{
    const bool general = task.rule.spline || !task.softening.uniform;
    if (task.precision == Precision::double_precision)
        general ? launch<double, true>(stream, task) : launch<double, false>(stream, task);
    else
        general ? launch<float, true>(stream, task) : launch<float, false>(stream, task);
}

}  // namespace aureole::gravity::tree
