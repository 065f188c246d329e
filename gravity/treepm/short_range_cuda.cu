// The walk on the GPU: a warp owns 32 targets that are neighbours along the curve (short_range_warp.cuh). A
// group whose box holds many other bodies, or whose accelerations differ much, would open a large part of the
// tree for all its targets: its walk stops, and a second kernel gives each of its targets a warp.
#include <algorithm>
#include <cmath>

#include "gravity/treepm/short_range.hpp"
#include "gravity/treepm/short_range_warp.cuh"
#include "sim/core/cuda_check.cuh"

namespace aureole::gravity::treepm {
namespace {

constexpr int warps_per_block = 4;
constexpr unsigned block = warps_per_block * lanes;
template <class T>
constexpr int blocks_per_multiprocessor = sizeof(T) == sizeof(float) ? 5 : 2;
/// Blocks: enough to fill any GPU.
constexpr Index most_blocks = 2048;

/// Places in the queue: the number of groups that are split, that of those that warps have taken, and then
/// the split ones.
constexpr Index n_split = 0, n_taken = 1, first_split = 2;

/// Warps take one group after the other: they take very unequal times, and a block that ends with its slowest
/// warp would leave places for others empty.
template <class T, bool by_type, bool with_potential>
__global__ void __launch_bounds__(block, blocks_per_multiprocessor<T>)
    short_range_kernel(const __grid_constant__ ShortRangeParams<T> params, Index n_groups)
{
    extern __shared__ std::byte shared[];
    const Index lane = threadIdx.x % lanes;
    auto& lists = reinterpret_cast<tree::SourceLists<T, true>*>(shared)[threadIdx.x / lanes];
    while (true) {
        Index group = 0;
        if (lane == 0) group = atomicAdd(params.split_groups + n_taken, 1u);
        group = __shfl_sync(all_lanes, group, 0);
        if (group >= n_groups) return;
        ShortRangeWalk<T, by_type, with_potential, false> walk(params, lists);
        if (!walk.run(group * lanes + lane) && lane == 0)
            params.split_groups[first_split + atomicAdd(params.split_groups + n_split, 1u)] = group;
        __syncwarp();
    }
}

/// A warp for each target of the groups in the queue; their number is known only here.
template <class T, bool by_type, bool with_potential>
__global__ void __launch_bounds__(block, blocks_per_multiprocessor<T>)
    short_range_singly_kernel(const __grid_constant__ ShortRangeParams<T> params)
{
    extern __shared__ std::byte shared[];
    const Index warp = threadIdx.x / lanes;
    auto& lists = reinterpret_cast<tree::SourceLists<T, true>*>(shared)[warp];
    const std::uint64_t n = std::uint64_t{params.split_groups[n_split]} * lanes;
    for (std::uint64_t k = blockIdx.x * warps_per_block + warp; k < n; k += gridDim.x * warps_per_block) {
        const Index place =
            params.split_groups[first_split + k / lanes] * lanes + static_cast<Index>(k % lanes);
        __syncwarp();
        if (place >= params.n_targets) continue;
        ShortRangeWalk<T, by_type, with_potential, true>(params, lists).run(place);
    }
}

template <class T, int degree>
SplitSeries<T, degree> series(const SplitPair& pair, double reach, double unit, int used = degree)
{
    const SplitCoefficients found = pair.coefficients(reach, used, unit);
    SplitSeries<T, degree> result{};
    for (int k = 0; k <= used; ++k) {
        result.force_of[k] = static_cast<T>(found.force[static_cast<std::size_t>(k)]);
        result.potential_of[k] = static_cast<T>(found.potential[static_cast<std::size_t>(k)]);
    }
    result.per_square = static_cast<T>(found.per_square);
    return result;
}

template <class T>
ShortRangeParams<T> params_of(const ShortRangeTask& task, const ForceOutputs& outputs, Index* split_groups)
{
    ShortRangeParams<T> params{};
    params.tree = task.tree;
    params.particles = task.particles;
    params.previous_acceleration = task.previous_acceleration;
    params.outputs = outputs;
    params.targets = task.targets;
    params.n_targets = task.n_targets;
    params.split_groups = split_groups;
    std::ranges::copy(task.softening.length, params.softening.length);
    params.softening.largest = std::ranges::max(task.softening.length);
    params.softening.uniform = task.softening.uniform();
    params.spline = task.softening.kernel == SofteningKernel::spline;
    params.tolerance = static_cast<float>(task.tolerance);
    params.softening_error = static_cast<float>(task.softening_error);
    params.box = task.box;
    const double reach = SplitPair::beyond_cut * task.pair->cut();
    params.unit = std::ldexp(1.0, std::ilogb(reach) + 1);
    params.per_unit = 1 / params.unit;
    params.side = task.box.side / params.unit;
    params.per_side = 1 / params.side;
    const double cut = task.pair->cut() / params.unit;
    params.cut2 = static_cast<float>(cut * cut);
    params.reach2 = static_cast<float>(reach * reach / (params.unit * params.unit));
    params.is_short = task.pair->cut() <= short_up_to * task.pair->split();
    params.pair = series<T, pair_degree<T>>(*task.pair, cut, params.unit,
                                            params.is_short ? short_degree<T> : pair_degree<T>);
    params.cell = series<T, cell_degree<T>>(*task.pair, SplitPair::beyond_cut * cut, params.unit,
                                            params.is_short ? short_cell_degree<T> : cell_degree<T>);
    return params;
}

template <class Kernel>
void allow_shared(Kernel kernel, int bytes)
{
    AUREOLE_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                            cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

template <class T, bool by_type, bool with_potential>
void launch(CUstream_st* stream, const ShortRangeParams<T>& params)
{
    constexpr int bytes = warps_per_block * static_cast<int>(sizeof(tree::SourceLists<T, true>));
    const Index n_groups = (params.n_targets - 1) / lanes + 1;
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(params.split_groups, 0, first_split * sizeof(Index), stream));
    const auto kernel = short_range_kernel<T, by_type, with_potential>;
    allow_shared(kernel, bytes);
    kernel<<<std::min((n_groups - 1) / warps_per_block + 1, most_blocks), block, bytes, stream>>>(params,
                                                                                                  n_groups);
    AUREOLE_CUDA_LAUNCHED("short_range_kernel");
    const auto singly = short_range_singly_kernel<T, by_type, with_potential>;
    allow_shared(singly, bytes);
    singly<<<std::min(n_groups, most_blocks), block, bytes, stream>>>(params);
    AUREOLE_CUDA_LAUNCHED("short_range_singly_kernel");
}

template <class T>
void launch(CUstream_st* stream, const ShortRangeParams<T>& params)
{
    const bool by_type = !params.spline && !params.softening.uniform;
    if constexpr (sizeof(T) == sizeof(double))
        return params.outputs.potential ? launch<T, true, true>(stream, params)
                                        : launch<T, true, false>(stream, params);
    else if (by_type)
        params.outputs.potential ? launch<T, true, true>(stream, params)
                                 : launch<T, true, false>(stream, params);
    else
        params.outputs.potential ? launch<T, false, true>(stream, params)
                                 : launch<T, false, false>(stream, params);
}

}  // namespace

std::size_t short_range_cuda_queue_size(std::size_t n_targets) { return first_split + n_targets / lanes + 1; }

void evaluate_short_range_cuda(CUstream_st* stream, const ShortRangeTask& task, Precision precision,
                               Index* split_groups, const ForceOutputs& outputs)
{
    if (precision == Precision::double_precision)
        launch(stream, params_of<double>(task, outputs, split_groups));
    else
        launch(stream, params_of<float>(task, outputs, split_groups));
}

}  // namespace aureole::gravity::treepm
