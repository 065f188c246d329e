// The direct sum in double precision. Sources in index order, coordinates as they are.
// fp64 instructions per pair (the pipe issues one every second cycle): d 3, r^2 3, 1/r^3 from a 20-bit
// reciprocal root and one third-order correction 7, sums 3: 16, with potentials 18.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "gravity/direct/direct_share.cuh"
#include "gravity/inverse_root.cuh"
#include "gravity/pair.hpp"

namespace aureole::gravity {

/// As MixedShape.
template <int targets_per_thread_, Index tile_, int unroll_, int blocks_>
struct FullShape {
    static constexpr int targets_per_thread = targets_per_thread_, unroll = unroll_, blocks = blocks_;
    static constexpr int threads = static_cast<int>(row_targets) / targets_per_thread;
    static constexpr Index tile = tile_;
    static_assert(threads * targets_per_thread == static_cast<int>(row_targets));
};

template <Index size>
struct FullTile {
    double2 xy[size], zm[size];
    double softening[size];  ///< eps or h; used by the general sweep only
};

struct FullTarget {
    double x, y, z;
    double softening;  ///< its own, eps or h
    Index self;        ///< its place among the sources, or past their end
    double sum[n_sums];
};

/// m / r^3. With y the rough root and e = 1 - r^2 y^2: (1 - e)^{-3/2} = 1 + 3/2 e + 15/8 e^2 + O(e^3), e <
/// 2^-19.
__device__ inline double mass_over_cube(double r2, double m)
{
    const double y = rough_inverse_root(r2), y2 = y * y;
    const double e = fma(-r2, y2, 1.0);
    const double rough = m * y * y2;
    return fma(rough * e, fma(1.875, e, 1.5), rough);
}

/// Plummer softening of one length; a target that meets itself adds nothing to the force.
template <bool potential, int unroll, Index size, int n>
__device__ __forceinline__ void sweep_plummer(const FullTile<size>& tile, double eps2,
                                              FullTarget (&target)[n])
{
#pragma unroll unroll
    for (Index j = 0; j < size; ++j) {
        const double2 xy = tile.xy[j], zm = tile.zm[j];
#pragma unroll
        for (int k = 0; k < n; ++k) {
            const double dx = xy.x - target[k].x, dy = xy.y - target[k].y, dz = zm.x - target[k].z;
            const double r2 = fma(dx, dx, fma(dy, dy, fma(dz, dz, eps2)));
            double f;
            if (potential) {
                const double inv_r = inverse_root(r2), m_over_r = zm.y * inv_r;
                f = inv_r * inv_r * m_over_r;
                target[k].sum[3] += m_over_r;
            } else {
                f = mass_over_cube(r2, zm.y);
            }
            target[k].sum[0] = fma(f, dx, target[k].sum[0]);
            target[k].sum[1] = fma(f, dy, target[k].sum[1]);
            target[k].sum[2] = fma(f, dz, target[k].sum[2]);
        }
    }
}

/// Any softening, coincident bodies, the target itself: `place` of the tile's first source tells it apart.
/// With `uniform` softening the tile's own is not staged and the target's serves.
template <bool potential, bool spline, bool uniform, Index size, int n>
__device__ __forceinline__ void sweep_general(const FullTile<size>& tile, Index place,
                                              FullTarget (&target)[n])
{
    for (Index j = 0; j < size; ++j) {
        const double2 xy = tile.xy[j], zm = tile.zm[j];
#pragma unroll
        for (int k = 0; k < n; ++k) {
            const double dx = xy.x - target[k].x, dy = xy.y - target[k].y, dz = zm.x - target[k].z;
            const double r2 = fma(dx, dx, fma(dy, dy, dz * dz));
            const double softening =
                uniform ? target[k].softening : fmax(tile.softening[j], target[k].softening);
            if (place + j == target[k].self || (r2 == 0 && softening == 0)) continue;
            PairKernel<double> pair;
            if (spline && r2 < softening * softening) {
                pair = spline_pair(r2, softening);
            } else {
                const double inv_r = inverse_root(spline ? r2 : fma(softening, softening, r2));
                pair = {inv_r * inv_r * inv_r, -inv_r};
            }
            const double f = zm.y * pair.force;
            target[k].sum[0] = fma(f, dx, target[k].sum[0]);
            target[k].sum[1] = fma(f, dy, target[k].sum[1]);
            target[k].sum[2] = fma(f, dz, target[k].sum[2]);
            if (potential) target[k].sum[3] -= zm.y * pair.potential;
        }
    }
}

struct FullWork {
    ConstVec3View position;
    const double* mass;
    const ParticleType* type;            ///< or null: all are of type 1
    double softening[n_particle_types];  ///< eps (Plummer) or h (spline)
    Selection sources;
    const Index*
        place_of;  ///< of a particle among listed sources, or none; null where the sources are a range
    Shares shares;
    Results results;
    double* partial;

    __device__ double softening_of(Index i) const { return softening[type ? type[i] : 1]; }
    /// The place of a target among the sources, or past their end.
    __device__ Index self_of(Index i) const
    {
        if (place_of) return place_of[i];
        return i >= sources.range.begin && i < sources.range.end ? i - sources.range.begin : ~Index{0};
    }
};

/// Copies a tile without waiting for it; places past the last source hold massless bodies.
template <int threads, bool general, Index size>
__device__ inline void stage(FullTile<size>& to, const FullWork& work, Index t)
{
    for (Index j = threadIdx.x; j < size; j += threads) {
        const Index place = t * size + j;
        if (place < work.sources.size()) {
            const Index i = work.sources[place];
            __pipeline_memcpy_async(&to.xy[j].x, work.position.x + i, sizeof(double));
            __pipeline_memcpy_async(&to.xy[j].y, work.position.y + i, sizeof(double));
            __pipeline_memcpy_async(&to.zm[j].x, work.position.z + i, sizeof(double));
            __pipeline_memcpy_async(&to.zm[j].y, work.mass + i, sizeof(double));
            if (general) to.softening[j] = work.softening_of(i);
        } else {
            to.xy[j] = to.zm[j] = {0, 0};
            to.softening[j] = 0;
        }
    }
    __pipeline_commit();
}

/// What kind of pair a kernel is for.
enum class FullPair { plummer, any_plummer, spline };

/// A thread owns 1, 2 or 4 targets of a row (place in row = threadIdx + k * threads); the block shares
/// double-buffered tiles of sources. Order of sums: sources by index, then shares of the row in that order.
template <class Shape, bool potential, FullPair pair>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks) full_kernel(FullWork work)
{
    constexpr int n = Shape::targets_per_thread, threads = Shape::threads;
    constexpr bool general = pair != FullPair::plummer;
    __shared__ FullTile<Shape::tile> buffer[2];

    const Shares& shares = work.shares;
    const double eps2 = work.softening[0] * work.softening[0];
    const std::uint64_t end = shares.end_in_slice(shares.block());
    std::uint64_t item = shares.begin_in_slice(shares.block());
    Index row = static_cast<Index>(item / shares.n_tiles), t = static_cast<Index>(item % shares.n_tiles);
    int now = 0;
    stage<threads, general>(buffer[0], work, t);
    for (; item < end; ++row, t = 0) {
        FullTarget target[n];
#pragma unroll
        for (int k = 0; k < n; ++k) {
            const Index place = row * row_targets + threadIdx.x + k * threads;
            const Index i = work.results.target(min(place, work.results.n_targets - 1));
            const Vec3 x = work.position.load(i);
            target[k] = {x.x, x.y, x.z, general ? work.softening_of(i) : work.softening[0], work.self_of(i),
                         {}};
        }
        const std::uint64_t from = item;
        for (; t < shares.n_tiles && item < end; ++t, ++item, now ^= 1) {
            __pipeline_wait_prior(0);
            __syncthreads();
            if (item + 1 < end)
                stage<threads, general>(buffer[now ^ 1], work, t + 1 < shares.n_tiles ? t + 1 : 0);
            const FullTile<Shape::tile>& tile = buffer[now];
            const Index place = t * Shape::tile;
            bool with_self = false;
#pragma unroll
            for (int k = 0; k < n; ++k) with_self = with_self || target[k].self - place < Shape::tile;
            if (general || (potential && __any_sync(~0u, with_self)))
                sweep_general<potential, pair == FullPair::spline, !general>(tile, place, target);
            else
                sweep_plummer<potential, Shape::unroll>(tile, eps2, target);
        }
#pragma unroll
        for (int k = 0; k < n; ++k)
            put_sums(shares, work.results, work.partial, row, from, item, threadIdx.x + k * threads,
                     target[k].sum);
    }
}

static __global__ void combine_kernel(Shares shares, Results results, const double* partial)
{
    combine_row(shares, results, partial);
}

/// Pieces of the scratch of one evaluation.
template <class Shape>
struct FullScratch {
    double* partial;
    Index* place_of;

    FullScratch(Carver& carver, const DirectTask& task)
        : partial(carver.take<double>(
              partial_size(task.targets.size(), divide_up(task.sources.size(), Shape::tile)))),
          place_of(carver.take<Index>(task.sources.list ? task.particles.n : 0))
    {
    }
};

template <class Shape>
std::size_t full_scratch_bytes(const DirectTask& task)
{
    Carver carver(nullptr);
    FullScratch<Shape>(carver, task);
    return carver.used();
}

template <class Shape, bool potential, FullPair pair>
void launch_full(CUstream_st* stream, FullWork work, IndexRange rows)
{
    work.shares =
        Shares(divide_up(work.results.n_targets, row_targets), divide_up(work.sources.size(), Shape::tile),
               resident_blocks(full_kernel<Shape, potential, pair>, Shape::threads), rows);
    full_kernel<Shape, potential, pair><<<work.shares.grid(), Shape::threads, 0, stream>>>(work);
    AUREOLE_CUDA_LAUNCHED("full_kernel");
    combine_kernel<<<work.shares.rows_of_slice(), row_targets, 0, stream>>>(work.shares, work.results,
                                                                            work.partial);
    AUREOLE_CUDA_LAUNCHED("combine_kernel");
}

/// Shorter softening lengths (zero among them) take the general sweep: the fast one meets the target itself,
/// where 1 / eps^3 times a mass must stay finite.
inline constexpr double least_fast_softening = 1e-60;

template <class Shape, bool potential>
void run_full(CUstream_st* stream, const DirectTask& task, IndexRange rows, std::byte* scratch_base)
{
    const ConstParticlesView& p = task.particles;
    const bool spline = task.softening.kernel == SofteningKernel::spline;
    Carver carver(scratch_base);
    const FullScratch<Shape> scratch(carver, task);
    FullWork work{p.position, p.mass, p.type, {}, task.sources, nullptr, {}, {}, scratch.partial};
    for (int type = 0; type < n_particle_types; ++type)
        work.softening[type] = task.softening.length[type] * (spline ? spline_support : 1.0);
    work.results = {task.outputs, task.targets.list, task.targets.range.begin, task.targets.size(), nullptr};
    if (task.sources.list) {
        find_places(stream, task.sources.list, task.sources.size(), 0, p.n, scratch.place_of);
        work.place_of = scratch.place_of;
    }
    if (spline)
        launch_full<Shape, potential, FullPair::spline>(stream, work, rows);
    else if (!task.softening.uniform() || work.softening[0] < least_fast_softening)
        launch_full<Shape, potential, FullPair::any_plummer>(stream, work, rows);
    else
        launch_full<Shape, potential, FullPair::plummer>(stream, work, rows);
}

}  // namespace aureole::gravity
