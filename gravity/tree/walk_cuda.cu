// The walk on the GPU: a warp owns a group of targets that are neighbours along the curve (walk_warp.cuh).
// A group whose box holds many other bodies (outliers, places where the curve jumps), or whose accelerations
// differ much, would open a large part of the tree for all its targets. Its walk stops, and a second kernel
// gives each of its targets a warp, whose lanes share the entries of the lists. Of few groups the longest
// decides how long the walk takes: several warps share each, or (of more groups) each of the longest.
#include <algorithm>
#include <cmath>

#include "gravity/tree/walk_notes.cuh"
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

constexpr unsigned block = warps_per_block * lanes;

template <class T, bool general>
constexpr int shared_bytes = warps_per_block* static_cast<int>(sizeof(WarpLists<T, general>));

template <class T, bool general>
__device__ WarpLists<T, general>* lists_of_block()
{
    extern __shared__ std::byte shared[];
    return reinterpret_cast<WarpLists<T, general>*>(shared);
}

/// Blocks of four warps that know nothing of each other, a group each. Groups to be split go to the queue.
template <class T, bool general>
__global__ void __launch_bounds__(block, blocks_per_multiprocessor<T>)
    walk_kernel(const __grid_constant__ WalkTask task)
{
    const Index warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
    const Index group = task.groups.begin + blockIdx.x * warps_per_block + warp;
    if (group >= task.groups.end) return;
    GroupWalk<T, general, false> walk(task, lists_of_block<T, general>()[warp]);
    if (walk.run(group * lanes + lane) == WalkEnd::split && lane == 0) notes_of(task).queue_split(group);
}

/// The same with a block for each group, whose warps share it.
template <class T, bool general, unsigned n_parts>
__global__ void __launch_bounds__(n_parts* lanes, warps_per_block* blocks_per_multiprocessor<T> / n_parts)
    walk_shared_kernel(const __grid_constant__ WalkTask task)
{
    const Index part = threadIdx.x / lanes, group = task.groups.begin + blockIdx.x;
    follow_earlier_kernels();
    GroupWalk<T, general, false, n_parts> walk(task, lists_of_block<T, general>()[part], part);
    if (walk.run(group * lanes + threadIdx.x % lanes) == WalkEnd::split && threadIdx.x == 0)
        notes_of(task).queue_split(group);
}

/// A group by all warps of a block; all threads call.
template <class T, bool general>
__device__ WalkEnd walk_by_block(const WalkTask& task, Index group, unsigned limit)
{
    const unsigned part = threadIdx.x / lanes;
    __syncthreads();
    GroupWalk<T, general, false, warps_per_block> walk(task, lists_of_block<T, general>()[part], part);
    const WalkEnd end = walk.run(group * lanes + threadIdx.x % lanes, limit);
    __syncthreads();
    return end;
}

/// One target by a warp.
template <class T, bool general>
__device__ void walk_singly(const WalkTask& task, Index place)
{
    __syncwarp();
    if (place < task.n_targets)
        GroupWalk<T, general, true>(task, lists_of_block<T, general>()[threadIdx.x / lanes]).run(place);
}

/// Each target of a group by a warp of the block.
template <class T, bool general>
__device__ void walk_targets(const WalkTask& task, Index group)
{
    for (Index t = threadIdx.x / lanes; t < lanes; t += warps_per_block)
        walk_singly<T, general>(task, group * lanes + t);
}

/// A group by one warp. Returns what it cost: nodes that it looked at.
template <class T, bool general>
__device__ unsigned walk_alone(const WalkTask& task, Index group)
{
    const WalkNotes notes = notes_of(task);
    GroupWalk<T, general, false> walk(task, lists_of_block<T, general>()[threadIdx.x / lanes]);
    const WalkEnd end = walk.run(group * lanes + threadIdx.x % lanes, task.most_nodes_alone);
    if (threadIdx.x % lanes == 0) {
        if (end == WalkEnd::split) notes.queue_split(group);
        if (end == WalkEnd::too_long)
            notes.queue_long(group);
        else
            notes.tell(group, end == WalkEnd::split);
    }
    return end == WalkEnd::done ? walk.n_nodes() : task.most_nodes_alone;
}

/// A group that was long or split in the last walk: by the whole block, and if it is no more, by one warp.
template <class T, bool general>
__device__ void walk_long_again(const WalkTask& task, Index group)
{
    const WalkEnd end = walk_by_block<T, general>(task, group, task.most_nodes_alone);
    if (end == WalkEnd::split) walk_targets<T, general>(task, group);
    if (end == WalkEnd::too_short) {
        if (threadIdx.x < lanes) walk_alone<T, general>(task, group);
        __syncthreads();
    } else if (threadIdx.x == 0) {
        notes_of(task).tell(group, true);
    }
}

/// Four groups side by side that the warps of a block take one after the other, and then the next four in
/// turn: neighbours look at the same nodes.
struct Turn {
    unsigned lock, four, n_taken;

    /// By one lane of a warp: the number of the next group in turn.
    __device__ Index next(Index* n_fours_taken)
    {
        while (atomicCAS(&lock, 0u, 1u) != 0) {
        }
        __threadfence_block();
        volatile Turn& turn = *this;
        if (turn.n_taken == warps_per_block) {
            turn.four = atomicAdd(n_fours_taken, 1u);
            turn.n_taken = 0;
        }
        const unsigned taken = turn.n_taken, result = turn.four * warps_per_block + taken;
        turn.n_taken = taken + 1;
        __threadfence_block();
        atomicExch(&lock, 0u);
        return result;
    }
};

/// First groups that were long in the last walk, a block for each, then a warp for each of the others, those
/// that took longest in the last walk first. Which groups a warp walks alone is decided by this walk: others
/// than expected wait in a queue.
template <class T, bool general>
__global__ void __launch_bounds__(block, blocks_per_multiprocessor<T>)
    walk_by_cost_kernel(const __grid_constant__ WalkTask task)
{
    __shared__ Turn turn;
    follow_earlier_kernels();
    const WalkNotes last = last_notes_of(task), notes = notes_of(task);
    for (Index k = blockIdx.x; k < last.n_long(); k += gridDim.x)
        walk_long_again<T, general>(task, last.long_group(k));
    if (threadIdx.x == 0) turn = {0, 0, warps_per_block};
    __syncthreads();
    const Index n_fours = (task.groups.size() - 1) / warps_per_block + 1;
    for (;;) {
        Index place = threadIdx.x % lanes == 0 ? turn.next(notes.n_fours_taken()) : 0;
        place = __shfl_sync(all_lanes, place, 0);
        if (place / warps_per_block >= n_fours) return;
        const Index of_four = last.block_in_turn(place / warps_per_block), which = place % warps_per_block;
        const Index first = task.groups.begin + of_four * warps_per_block, group = first + which;
        if (group >= task.groups.end) continue;
        const unsigned cost = last.is_long(group) ? 0 : walk_alone<T, general>(task, group);
        if (threadIdx.x % lanes == 0)
            notes.tell_cost(of_four, min(task.groups.end - first, warps_per_block), cost,
                            task.most_nodes_alone);
        __syncwarp();
    }
}

/// A warp for each target of the groups in the queue; their number is known only here. Before them groups
/// that turned out to be long.
template <class T, bool general, bool by_cost>
__global__ void __launch_bounds__(block, blocks_per_multiprocessor<T>)
    walk_rest_kernel(const __grid_constant__ WalkTask task)
{
    const Index warp = threadIdx.x / lanes;
    if constexpr (by_cost) follow_earlier_kernels();
    const WalkNotes notes = notes_of(task);
    if constexpr (by_cost)
        for (Index k = blockIdx.x; k < notes.n_queued_long(); k += gridDim.x) {
            const Index group = notes.queued_long(k);
            const WalkEnd end = walk_by_block<T, general>(task, group, 0);
            if (end == WalkEnd::split) walk_targets<T, general>(task, group);
            if (threadIdx.x == 0) notes.tell(group, true);
        }
    const std::uint64_t n = std::uint64_t{notes.n_split()} * lanes;
    for (std::uint64_t k = blockIdx.x * warps_per_block + warp; k < n; k += gridDim.x * warps_per_block)
        walk_singly<T, general>(task, notes.split(k / lanes) * lanes + static_cast<Index>(k % lanes));
}

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

Index blocks_of_four(const WalkTask& task) { return (task.groups.size() - 1) / warps_per_block + 1; }

/// A warp for each group.
template <class T, bool general>
void launch_whole(CUstream_st* stream, const WalkTask& task)
{
    constexpr int bytes = shared_bytes<T, general>;
    const auto kernel = walk_kernel<T, general>;
    allow_shared(kernel, bytes);
    kernel<<<blocks_of_four(task), block, bytes, stream>>>(task);
    AUREOLE_CUDA_LAUNCHED("walk_kernel");
}

/// Of all targets, some of which are walked.
Index n_groups_of_all(const WalkTask& task, Index n_groups)
{
    return task.n_of_all > 0 ? (task.n_of_all - 1) / lanes + 1 : n_groups;
}

/// As many as the device has at once.
template <class T>
Index blocks_at_once()
{
    int device = 0, n = 0;
    AUREOLE_CUDA_CHECK(cudaGetDevice(&device));
    AUREOLE_CUDA_CHECK(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, device));
    return static_cast<Index>(n) * blocks_per_multiprocessor<T>;
}

/// A warp for each group but the long ones.
template <class T, bool general>
void launch_by_cost(CUstream_st* stream, const WalkTask& task)
{
    constexpr int bytes = shared_bytes<T, general>;
    const auto kernel = walk_by_cost_kernel<T, general>;
    allow_shared(kernel, bytes);
    launch_chained(kernel, dim3(std::min(blocks_of_four(task), blocks_at_once<T>())), dim3(block), bytes,
                   stream, task);
    AUREOLE_CUDA_LAUNCHED("walk_by_cost_kernel");
    const auto rest = walk_rest_kernel<T, general, true>;
    allow_shared(rest, bytes);
    launch_chained(rest, dim3(std::min(task.groups.size(), most_blocks_singly)), dim3(block), bytes, stream,
                   task);
    AUREOLE_CUDA_LAUNCHED("walk_rest_kernel");
}

template <class T, bool general>
void launch_rest(CUstream_st* stream, const WalkTask& task)
{
    constexpr int bytes = shared_bytes<T, general>;
    const auto kernel = walk_rest_kernel<T, general, false>;
    allow_shared(kernel, bytes);
    kernel<<<std::min(task.groups.size(), most_blocks_singly), block, bytes, stream>>>(task);
    AUREOLE_CUDA_LAUNCHED("walk_rest_kernel");
}

template <class T, bool general>
void launch(CUstream_st* stream, const WalkTask& task)
{
    const Index n_groups = n_groups_of(task);
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(task.notes, 0, cleared_notes(n_groups) * sizeof(Index), stream));
    // how many warps share a group is decided by all groups: other numbers have other last bits
    const WalkPlan& plan = task.plan;
    if constexpr (sizeof(T) == sizeof(float)) {
        const Index n_of_all = n_groups_of_all(task, n_groups);
        if (n_of_all <= plan.groups_by_four)
            launch_shared<T, general, 4>(stream, task);
        else if (n_of_all <= plan.groups_by_two)
            launch_shared<T, general, 2>(stream, task);
        else if (n_of_all <= plan.groups_by_cost)
            return launch_by_cost<T, general>(stream, task);
        else
            launch_whole<T, general>(stream, task);
    } else {
        launch_whole<T, general>(stream, task);
    }
    launch_rest<T, general>(stream, task);
}

/// More nodes than this make the walk of a group long. By error, from counts of Plummer and Hernquist
/// spheres, mergers and clustered points of 2^15 to 2^19: 36 to 41 steps of 32 nodes at alpha = 1e-2
/// (Hernquist 49), 55 to 67 at 1e-3, 113 to 172 at 1e-4. By angle all walks are much alike.
unsigned most_nodes_alone(const WalkTask& task)
{
    if (!(task.rule.error_per_acceleration > 0)) return ~0u;
    const double usual = lanes * (30 + 32 * std::pow(task.rule.error_per_acceleration / 6.5e-4, -0.45));
    return static_cast<unsigned>(std::min(task.plan.long_walk * usual, 4e9));
}

}  // namespace

std::size_t walk_cuda_notes_size(std::size_t n_targets, const WalkPlan& plan)
{
    const std::size_t n_groups = (n_targets + lanes - 1) / lanes;
    return n_groups <= plan.groups_by_cost ? size_of_notes(n_groups) : size_of_queue(n_groups);
}

void walk_cuda(CUstream_st* stream, const WalkTask& all, Slice slice)
{
    const IndexRange places = slice.places(all.n_targets, lanes);
    if (places.size() == 0) return;
    WalkTask task = all;
    task.groups = {places.begin / lanes, (places.end - 1) / lanes + 1};
    task.most_nodes_alone = most_nodes_alone(task);
    if (task.groups.size() < n_groups_of(task)) task.last_notes = nullptr;
    const bool general = task.rule.spline || !task.softening.uniform;
    if (task.precision == Precision::double_precision)
        general ? launch<double, true>(stream, task) : launch<double, false>(stream, task);
    else
        general ? launch<float, true>(stream, task) : launch<float, false>(stream, task);
}

}  // namespace aureole::gravity::tree
