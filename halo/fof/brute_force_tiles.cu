// All pairs in tiles of shared memory (Nyland, Harris & Prins 2007, there for forces). What costs is the
// float distance of a pair and its comparison, about 7 instructions in space; so a thread keeps only the
// least distance to the points of a batch, and looks at the batch again, exactly, where that might be a
// friend. Floor: n^2 / 2 pairs times 7 instructions.
#include <limits>

#include "halo/fof/linking.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo {
namespace {

constexpr Index threads = 128;
constexpr Index points_per_thread = 4;  ///< that one read of shared memory serves
constexpr Index row = threads * points_per_thread;
constexpr Index column = 4096;  ///< points that a block runs through, a multiple of a row
constexpr Index tile = threads;
constexpr Index batch = 32;
constexpr float nowhere = std::numeric_limits<float>::quiet_NaN();
constexpr float far_away = std::numeric_limits<float>::infinity();

/// The point, or one that is near no other.
template <bool phase>
__device__ Site<phase> site_or_none(const LinkTree& tree, std::size_t i)
{
    if (i < tree.n) return site_of<phase>(tree, static_cast<Index>(i));
    Site<phase> none{};
    none.point.x = nowhere;
    return none;
}

/// Along one axis, as FrameMetric has it, in three instructions.
template <bool periodic>
__device__ float along(float a, float b, float side)
{
    const float d = a - b;
    return periodic ? fminf(fabsf(d), side - fabsf(d)) : d;
}

/// Squared distance in the frame, NaN for a point without a place.
template <bool periodic, bool phase>
__device__ float squared_between(const Site<phase>& a, const Site<phase>& b, float side)
{
    const float x = along<periodic>(a.point.x, b.point.x, side);
    const float y = along<periodic>(a.point.y, b.point.y, side);
    const float z = along<periodic>(a.point.z, b.point.z, side);
    const float in_space = x * x + y * y + z * z;
    if constexpr (phase) {
        const Vec3f v = a.velocity.velocity() - b.velocity.velocity();
        return in_space + dot(v, v);
    } else {
        return in_space;
    }
}

/// Joins point i with its friends among others[0, count), the points from j on.
template <bool periodic, bool phase>
__device__ __noinline__ void link_batch(const LinkTask& task, const Site<phase>& site, Index i,
                                        const Site<phase>* others, std::size_t j)
{
    for (Index k = 0; k < batch && j + k < task.tree.n; ++k)
        if (j + k > i && task.query.template linked<periodic, phase>(site, others[k]))
            task.sets.unite(i, static_cast<Index>(j + k));
}

/// A block owns the pairs of a row of points, four to a thread, with those of a column that lie behind them.
template <bool periodic, bool phase>
__global__ void __launch_bounds__(threads) pair_kernel(const __grid_constant__ LinkTask task)
{
    __shared__ Site<phase> others[tile];
    const std::size_t first = std::size_t{blockIdx.x} * row, begin = std::size_t{blockIdx.y} * column;
    if (begin + column <= first) return;
    const float side = task.query.template metric<periodic, phase>().space.side;
    const float possible = task.query.band.possible;
    Site<phase> own[points_per_thread];
#pragma unroll
    for (Index k = 0; k < points_per_thread; ++k)
        own[k] = site_or_none<phase>(task.tree, first + k * threads + threadIdx.x);

    const std::size_t end = begin + column < task.tree.n ? begin + column : task.tree.n;
    for (std::size_t j = begin > first ? begin : first; j < end; j += tile) {
        __syncthreads();
        others[threadIdx.x] = site_or_none<phase>(task.tree, j + threadIdx.x);
        __syncthreads();
        for (Index b = 0; b < tile; b += batch) {
            float least[points_per_thread];  // a minimum passes NaN over
#pragma unroll
            for (Index k = 0; k < points_per_thread; ++k) least[k] = far_away;
#pragma unroll 8
            for (Index m = b; m < b + batch; ++m) {
                const Site<phase> other = others[m];
#pragma unroll
                for (Index k = 0; k < points_per_thread; ++k)
                    least[k] = fminf(least[k], squared_between<periodic, phase>(own[k], other, side));
            }
#pragma unroll
            for (Index k = 0; k < points_per_thread; ++k)
                if (least[k] <= possible)
                    link_batch<periodic, phase>(task, own[k],
                                                static_cast<Index>(first + k * threads + threadIdx.x),
                                                others + b, j + b);
        }
    }
}

}  // namespace

void link_tiles(CUstream_st* stream, const LinkTask& task)
{
    if (task.tree.n == 0) return;
    const dim3 grid((task.tree.n - 1) / row + 1, (task.tree.n - 1) / column + 1);
    dispatch(task.query, [&]<bool periodic, bool phase> {
        pair_kernel<periodic, phase><<<grid, threads, 0, stream>>>(task);
    });
    AUREOLE_CUDA_LAUNCHED("pair_kernel");
}

}  // namespace aureole::halo
