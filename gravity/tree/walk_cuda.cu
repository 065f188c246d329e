// The walk on the GPU: a warp owns a group of targets that are neighbours along the curve (walk_warp.cuh).
// A group whose box holds many other bodies (outliers, places where the curve jumps), or whose accelerations
// differ much, would open a large part of the tree for all its targets. Its walk stops, and a second kernel
// gives each of its targets a warp, whose lanes share the entries of the lists. Where all groups are under
// way at once, as few are, one kernel does both: warps that have done their group take such targets
// meanwhile.
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

/// The same with a block for each group, whose warps share it.
template <class T, bool general, unsigned n_parts>
__global__ void __launch_bounds__(n_parts* lanes, warps_per_block* blocks_per_multiprocessor<T> / n_parts)
    walk_shared_kernel(const __grid_constant__ WalkTask task)
{
    extern __shared__ std::byte shared[];
    const Index part = threadIdx.x / lanes, group = blockIdx.x;
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

/// Work that warps take one by one: groups, then the targets of those that were split, while others may still
/// be found. One memset clears it: all bits of an entry are set until it is filled, counts start at -1.
struct OpenQueue {
    Index *next_group, *n_done, *next_target, *n_split, *split;

    __device__ explicit OpenQueue(Index* memory)
        : next_group(memory),
          n_done(memory + 1),
          next_target(memory + 2),
          n_split(memory + 3),
          split(memory + size_of_head)
    {
    }
    static constexpr std::size_t size_of_head = 4;
    static constexpr Index none = ~Index{0};

    /// By one lane, for the others too.
    __device__ static Index taken_from(Index* counter)
    {
        const Index mine = threadIdx.x % lanes == 0 ? atomicAdd(counter, 1u) + 1 : 0;
        return __shfl_sync(all_lanes, mine, 0);
    }
    /// Of one lane, for each group once.
    __device__ void finish(Index group, bool is_whole)
    {
        if (!is_whole) atomicExch(&split[atomicAdd(n_split, 1u) + 1], group);
        __threadfence();
        atomicAdd(n_done, 1u);
    }
    /// Entry k of the split groups, or none when all groups are done and there is no such. Waits for groups
    /// that other warps are at.
    __device__ Index split_group(Index k, Index n_groups)
    {
        if (k >= n_groups) return none;
        for (;;) {
            const bool all_done = atomicAdd(n_done, 0u) + 1 == n_groups;
            __threadfence();
            const Index group = atomicAdd(&split[k], 0u);
            if (group != none || all_done) return group;
            __nanosleep(500);
        }
    }
};

/// Both kernels in one. Warps that wait do so for warps that are on the device: those that took a group.
template <class T, bool general>
__global__ void __launch_bounds__(warps_per_block* lanes, blocks_per_multiprocessor<T>)
    walk_together_kernel(const __grid_constant__ WalkTask task, Index n_groups)
{
    extern __shared__ std::byte shared[];
    follow_earlier_kernels();
    const Index lane = threadIdx.x % lanes;
    auto& lists = reinterpret_cast<WarpLists<T, general>*>(shared)[threadIdx.x / lanes];
    OpenQueue queue(task.split_groups);
    for (;;) {
        const Index group = OpenQueue::taken_from(queue.next_group);
        if (group >= n_groups) break;
        const bool is_whole = GroupWalk<T, general, false>(task, lists).run(group * lanes + lane);
        if (lane == 0) queue.finish(group, is_whole);
        __syncwarp();
    }
    for (;;) {
        const Index k = OpenQueue::taken_from(queue.next_target);
        const Index mine = lane == 0 ? queue.split_group(k / lanes, n_groups) : 0;
        const Index group = __shfl_sync(all_lanes, mine, 0);
        if (group == OpenQueue::none) return;
        const Index place = group * lanes + k % lanes;
        if (place < task.n_targets) GroupWalk<T, general, true>(task, lists).run(place);
        __syncwarp();
    }
}

constexpr unsigned block = warps_per_block * lanes;

template <class T, bool general>
constexpr int shared_bytes = warps_per_block* static_cast<int>(sizeof(WarpLists<T, general>));

/// How many blocks of that kernel the device holds at once.
template <class T, bool general>
Index most_blocks_together()
{
    static const Index most = [] {
        constexpr int bytes = shared_bytes<T, general>;
        const auto kernel = walk_together_kernel<T, general>;
        int device = 0, multiprocessors = 0, blocks = 0;
        AUREOLE_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        AUREOLE_CUDA_CHECK(cudaGetDevice(&device));
        AUREOLE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        AUREOLE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, bytes));
        return static_cast<Index>(multiprocessors * blocks);
    }();
    return most;
}

/// False where there are too many groups.
template <class T, bool general>
bool launch_together(CUstream_st* stream, const WalkTask& task, Index n_groups)
{
    const Index most_blocks = most_blocks_together<T, general>();
    if (n_groups > walk_plan().groups_per_warp_together * warps_per_block * most_blocks) return false;
    const Index n_blocks = std::min((n_groups - 1) / warps_per_block + 1, most_blocks);
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(task.split_groups, 0xff,
                                       (OpenQueue::size_of_head + n_groups) * sizeof(Index), stream));
    launch_chained(walk_together_kernel<T, general>, dim3(n_blocks), dim3(block), shared_bytes<T, general>,
                   stream, task, n_groups);
    AUREOLE_CUDA_LAUNCHED("walk_together_kernel");
    return true;
}

template <class Kernel>
void allow_shared(Kernel kernel, int bytes)
{
    AUREOLE_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                            cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

/// `n_parts` warps for each group.
template <class T, bool general, unsigned n_parts>
void launch_shared(CUstream_st* stream, const WalkTask& task, Index n_groups)
{
    constexpr int bytes = shared_bytes<T, general> / warps_per_block * static_cast<int>(n_parts);
    const auto kernel = walk_shared_kernel<T, general, n_parts>;
    allow_shared(kernel, bytes);
    launch_chained(kernel, dim3(n_groups), dim3(n_parts * lanes), bytes, stream, task);
    AUREOLE_CUDA_LAUNCHED("walk_shared_kernel");
}

/// A warp for each group.
template <class T, bool general>
void launch_whole(CUstream_st* stream, const WalkTask& task, Index n_groups)
{
    constexpr int bytes = shared_bytes<T, general>;
    const auto kernel = walk_kernel<T, general>;
    allow_shared(kernel, bytes);
    kernel<<<(n_groups - 1) / warps_per_block + 1, block, bytes, stream>>>(task, n_groups);
    AUREOLE_CUDA_LAUNCHED("walk_kernel");
}

template <class T, bool general>
void launch(CUstream_st* stream, const WalkTask& task)
{
    constexpr int bytes = shared_bytes<T, general>;
    constexpr bool knows_few = sizeof(T) == sizeof(float);
    const Index n_groups = (task.n_targets - 1) / lanes + 1;
    const WalkPlan& plan = walk_plan();
    const unsigned n_parts = n_groups <= plan.groups_by_four ? 4 : n_groups <= plan.groups_by_two ? 2 : 1;
    if constexpr (knows_few)
        if (n_parts == 1 && launch_together<T, general>(stream, task, n_groups)) return;
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(task.split_groups, 0, sizeof(Index), stream));
    if constexpr (knows_few) {
        if (n_parts == 4) launch_shared<T, general, 4>(stream, task, n_groups);
        if (n_parts == 2) launch_shared<T, general, 2>(stream, task, n_groups);
    }
    if (!knows_few || n_parts == 1) launch_whole<T, general>(stream, task, n_groups);
    const auto singly = walk_singly_kernel<T, general>;
    allow_shared(singly, bytes);
    singly<<<std::min(n_groups, most_blocks_singly), block, bytes, stream>>>(task);
    AUREOLE_CUDA_LAUNCHED("walk_singly_kernel");
}

}  // namespace

std::size_t walk_cuda_queue_size(std::size_t n_targets)
{
    return OpenQueue::size_of_head + n_targets / lanes + 1;
}

void walk_cuda(CUstream_st* stream, const WalkTask& task)
{
    const bool general = task.rule.spline || !task.softening.uniform;
    if (task.precision == Precision::double_precision)
        general ? launch<double, true>(stream, task) : launch<double, false>(stream, task);
    else
        general ? launch<float, true>(stream, task) : launch<float, false>(stream, task);
}

}  // namespace aureole::gravity::tree
