// The direct sum in mixed precision: float pairs in tile-local coordinates, double sums. Softened N^2
// summation as in Nyland, Harris & Prins (2007, GPU Gems 3, ch. 31), with three changes for accuracy and
// speed: sources stand in the order of a space-filling curve and each tile of them has its own origin,
// subtracted in double (float sees small numbers wherever the system sits); partial sums are flushed to
// double after every tile; distant tiles take a form of the pair with one operation less, tiles that touch
// the targets one that keeps the digits of close pairs (direct_mixed_pair.cuh).
#pragma once

#include <cuda_pipeline_primitives.h>

#include "gravity/direct/direct_close.cuh"

namespace aureole::gravity {

/// What may be chosen about the kernel; a row of 256 targets is one thread block.
/// tile: sources between two flushes to double; unroll: sources per loop iteration; blocks: at once on a
/// multiprocessor, asked of the compiler to bound the registers. Without far (equal) every tile is near (has
/// a mass per source): for comparison.
template <int targets_per_thread_, Index tile_, int unroll_, int blocks_, bool far_ = true,
          bool equal_ = true>
struct MixedShape {
    static constexpr int targets_per_thread = targets_per_thread_, unroll = unroll_, blocks = blocks_;
    static constexpr int threads = static_cast<int>(row_targets) / targets_per_thread;
    static constexpr Index tile = tile_;
    static constexpr bool far = far_, equal_mass = equal_;
    static_assert(threads * targets_per_thread == static_cast<int>(row_targets));
};

/// Copies a tile without waiting for it; on devices before sm_80 the copy is an ordinary one.
template <int threads, class T>
__device__ inline void stage(T& to, const T& from)
{
    constexpr int chunk = 16;
    for (unsigned at = threadIdx.x * chunk; at < sizeof(T); at += threads * chunk)
        __pipeline_memcpy_async(reinterpret_cast<char*>(&to) + at, reinterpret_cast<const char*>(&from) + at,
                                chunk);
}

/// Adds the float sums over a tile to the double ones.
template <bool potential>
__device__ __forceinline__ void flush(const TileHead& head, const TileTarget& local, MixedTarget& target)
{
#pragma unroll
    for (int s = 0; s < (potential ? 4 : 3); ++s)
        target.sum[s] = fma(head.mass, static_cast<double>(local.sum[s]), target.sum[s]);
}

/// A tile that is not far from all targets of the warp. With one_softening every pair has the softening in
/// `local`: the tile's, or the larger one of the target. All branches are the same for a whole warp.
template <class Shape, bool potential, bool spline, int n>
__device__ __forceinline__ void sweep_not_far(const MixedWork<Shape::tile>& work,
                                              const TileDetail<Shape::tile>& detail,
                                              const Tile<Shape::tile>& tile, Index t, Index place,
                                              bool one_softening, bool equal, TileTarget (&local)[n],
                                              MixedTarget (&target)[n])
{
    constexpr Index size = Shape::tile;
    bool touching = false, exceptional = spline || !one_softening;
#pragma unroll
    for (int k = 0; k < n; ++k) {
        const float close2 = fmaxf(close_ratio2 * square(local[k].x, local[k].y, local[k].z), close_range2);
        touching = touching || squared_distance_from_box(tile.head, local[k].x, local[k].y, local[k].z) <
                                   tile.head.touching_below;
        exceptional = exceptional || local[k].softening <= close2 || (potential && local[k].self < size);
    }
    touching = __any_sync(~0u, touching);
    exceptional = __any_sync(~0u, exceptional) && (touching || spline || !one_softening);
    if (exceptional && touching) {
#pragma unroll
        for (int k = 0; k < n; ++k) {
            TileTarget one[1] = {touching_target(tile.head, t * size, target[k])};
            bool left_out = false;
            for (Index j = 0; j < size; j += 32) {  // float sums of 256 like terms drift by 2e-6
                left_out = sweep_any<true, spline, potential>(tile, detail, one, j, j + 32) || left_out;
                flush<potential>(tile.head, one[0], target[k]);
                for (float& sum : one[0].sum) sum = 0;
            }
            if (left_out) work.has_close[min(place + k * lanes, work.results.n_targets - 1)] = 1;
        }
        return;
    }
    if (exceptional) {
#pragma unroll
        for (int k = 0; k < n; ++k) local[k].softening = target[k].softening;
        sweep_any<false, spline, potential>(tile, detail, local);
    } else if (!spline && touching) {
#pragma unroll
        for (int k = 0; k < n; ++k) {
            const float softening = local[k].softening;
            local[k] = touching_target(tile.head, t * size, target[k]);
            local[k].softening = softening;
        }
        if (equal)
            sweep_near<true, true, potential, Shape::unroll>(tile, detail, local);
        else
            sweep_near<true, false, potential, Shape::unroll>(tile, detail, local);
    } else if (!spline) {
        if (equal)
            sweep_near<false, true, potential, Shape::unroll>(tile, detail, local);
        else
            sweep_near<false, false, potential, Shape::unroll>(tile, detail, local);
    }
#pragma unroll
    for (int k = 0; k < n; ++k) flush<potential>(tile.head, local[k], target[k]);
}

/// Tile t on the targets of a thread, the first of which stands at `place`.
template <class Shape, bool potential, bool spline, int n>
__device__ __forceinline__ void sweep(const MixedWork<Shape::tile>& work,
                                      const TileDetail<Shape::tile>& detail, const Tile<Shape::tile>& tile,
                                      Index t, Index place, MixedTarget (&target)[n])
{
    const TileHead& head = tile.head;
    TileTarget local[n];
    bool far = true, one_softening = true;
#pragma unroll
    for (int k = 0; k < n; ++k) {
        const float x = static_cast<float>(target[k].x - head.x),
                    y = static_cast<float>(target[k].y - head.y),
                    z = static_cast<float>(target[k].z - head.z);
        const float t2 = square(x, y, z), softening = fmaxf(target[k].softening, head.softening);
        local[k] = {x, y, z, 0, 0, 0, softening, 0, target[k].self - t * Shape::tile, {}};
        far = far && t2 > head.far_above && (!spline || t2 > spline_far_ratio2 * softening * softening);
        one_softening = one_softening && target[k].softening >= head.softening;
    }
    one_softening = head.uniform_softening || __all_sync(~0u, one_softening);
    far = Shape::far && (spline || one_softening) && __all_sync(~0u, far);
    const bool equal = Shape::equal_mass && head.equal_mass;
    if (far) {
        if (spline)
#pragma unroll
            for (int k = 0; k < n; ++k) local[k].softening = 0;
        if (equal)
            sweep_far<true, potential, Shape::unroll>(tile, local);
        else
            sweep_far<false, potential, Shape::unroll>(tile, local);
#pragma unroll
        for (int k = 0; k < n; ++k) flush<potential>(head, local[k], target[k]);
    } else {
        sweep_not_far<Shape, potential, spline>(work, detail, tile, t, place, one_softening, equal, local,
                                                target);
    }
}

/// A thread owns 1, 2 or 4 targets of a row, 32 places apart, and keeps them in registers: those of a warp
/// stand together on the curve, so that more tiles are far from all of them and fewer touch. The block shares
/// tiles of sources, double-buffered in shared memory: the next one arrives while this one is summed. Order
/// of sums: in float along a tile, tiles in double in the order of the share, shares of a row
/// (direct_share.cuh) in that order too. One barrier per tile.
template <class Shape, bool potential, bool spline>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    mixed_kernel(const __grid_constant__ MixedWork<Shape::tile> work)
{
    constexpr int n = Shape::targets_per_thread, threads = Shape::threads;
    // small tiles bring their low parts along, large ones leave them in global memory for the few that touch
    constexpr bool staged_detail = Shape::tile <= 128;
    __shared__ Tile<Shape::tile> buffer[2];
    __shared__ TileDetail<staged_detail ? Shape::tile : 1> low[2];
    const auto stage_tile = [&](int to, Index t) {
        stage<threads>(buffer[to], work.tiles[t]);
        if constexpr (staged_detail) stage<threads>(low[to], work.details[t]);
        __pipeline_commit();
    };

    const Index first = threadIdx.x / lanes * lanes * n + threadIdx.x % lanes;
    const Shares& shares = work.shares;
    const double inverse_length = work.frame->inverse_length;
    const std::uint64_t end = shares.end_in_slice(shares.block());
    std::uint64_t item = shares.begin_in_slice(shares.block());
    Index row = static_cast<Index>(item / shares.n_tiles), t = static_cast<Index>(item % shares.n_tiles);
    Index tile = shares.tile_of(t);
    int now = 0;
    stage_tile(0, tile);
    for (; item < end; ++row, t = 0) {
        MixedTarget target[n];
#pragma unroll
        for (int k = 0; k < n; ++k)
            target[k] = load_target(work, row * row_targets + first + k * lanes, inverse_length);
        const std::uint64_t from = item;
        for (; t < shares.n_tiles && item < end; ++t, ++item, now ^= 1) {
            const Index next = t + 1 < shares.n_tiles ? shares.tile_after(tile) : shares.tile_of(0);
            __pipeline_wait_prior(0);
            __syncthreads();
            if (item + 1 < end) stage_tile(now ^ 1, next);
            if constexpr (staged_detail)
                sweep<Shape, potential, spline>(work, low[now], buffer[now], tile, row * row_targets + first,
                                                target);
            else
                sweep<Shape, potential, spline>(work, work.details[tile], buffer[now], tile,
                                                row * row_targets + first, target);
            tile = next;
        }
#pragma unroll
        for (int k = 0; k < n; ++k)
            put_sums(shares, work.results, work.partial, row, from, item, first + k * lanes, target[k].sum);
    }
}

/// Pieces of the scratch that hold the prepared sources.
template <Index size>
struct MixedSourceScratch {
    BoundsPart* bounds;
    Frame* frame;
    OrderScratch order;
    Tile<size>* tiles;
    TileDetail<size>* details;

    MixedSourceScratch(Carver& carver, const DirectTask& task)
        : bounds(carver.take<BoundsPart>(1)),
          frame(carver.take<Frame>(1)),
          order(carver, task.sources.size()),
          tiles(carver.take<Tile<size>>(divide_up(task.sources.size(), size))),
          details(carver.take<TileDetail<size>>(divide_up(task.sources.size(), size)))
    {
    }

    /// Where sort_along_curve() left the order.
    const Index* order_of(Index n_sources) const { return order.order[sorted_buffer(n_sources)]; }
};

/// Pieces of the scratch of one evaluation; the flags come first, see direct_task.hpp.
template <Index size>
struct MixedScratch {
    bool same_order;
    std::uint8_t* has_close;
    OrderScratch targets;
    Index n_places;
    Index* place_of;
    double* partial;

    MixedScratch(Carver& carver, const DirectTask& task)
        : same_order(task.targets == task.sources),
          has_close(carver.take<std::uint8_t>(task.targets.size())),
          targets(carver, same_order ? 0 : task.targets.size()),
          n_places(same_order          ? 0
                   : task.sources.list ? task.particles.n
                                       : task.sources.size()),
          place_of(carver.take<Index>(n_places)),
          partial(
              carver.take<double>(partial_size(task.targets.size(), divide_up(task.sources.size(), size))))
    {
    }
};

template <Index size>
DirectBytes mixed_bytes(const DirectTask& task)
{
    Carver sources(nullptr), evaluation(nullptr);
    MixedSourceScratch<size>(sources, task);
    MixedScratch<size>(evaluation, task);
    return {sources.used(), evaluation.used()};
}

/// Longest softening of any type, and all of them, in the form that scaled_softening() takes.
inline MixedSources mixed_sources(const DirectTask& task, double& largest_softening)
{
    const bool spline = task.softening.kernel == SofteningKernel::spline;
    const ConstParticlesView& p = task.particles;
    MixedSources result{p.position, p.mass, p.type, {}, spline};
    largest_softening = 0;
    for (int type = 0; type < n_particle_types; ++type) {
        result.softening[type] = task.softening.length[type] * (spline ? spline_support : 1.0);
        largest_softening = std::max(largest_softening, result.softening[type]);
    }
    return result;
}

template <class Shape, bool potential, bool spline>
void launch_mixed(CUstream_st* stream, MixedWork<Shape::tile> work, Index n_sources, IndexRange rows)
{
    work.shares = Shares(divide_up(work.results.n_targets, row_targets), divide_up(n_sources, Shape::tile),
                         resident_blocks(mixed_kernel<Shape, potential, spline>, Shape::threads), rows);
    mixed_kernel<Shape, potential, spline><<<work.shares.grid(), Shape::threads, 0, stream>>>(work);
    AUREOLE_CUDA_LAUNCHED("mixed_kernel");
    finish_kernel<Shape::tile, spline><<<work.shares.rows_of_slice(), row_targets, 0, stream>>>(work);
    AUREOLE_CUDA_LAUNCHED("finish_kernel");
}

/// Order and tiles of the sources.
template <Index size>
void prepare_mixed(CUstream_st* stream, const DirectTask& task, std::byte* source_base,
                   std::byte* evaluation_base)
{
    Carver source_carver(source_base), carver(evaluation_base);
    const MixedSourceScratch<size> sources(source_carver, task);
    const MixedScratch<size> scratch(carver, task);
    const Index n_sources = task.sources.size();
    double largest_softening;
    const MixedSources particles = mixed_sources(task, largest_softening);

    const bool covered = task.sources.covers(task.targets, task.particles.n);
    bounds_kernel<<<bounds_blocks, bounds_threads, 0, stream>>>(
        particles.position, covered ? Selection(0, 0) : task.targets, task.sources, sources.bounds);
    AUREOLE_CUDA_LAUNCHED("bounds_kernel");
    const Index* order = sort_along_curve(stream, particles.position, task.sources, sources.bounds,
                                          largest_softening, sources.frame, sources.order);
    tiles_kernel<size><<<divide_up(n_sources, size), size, 0, stream>>>(
        particles, order, n_sources, sources.frame, sources.tiles, sources.details, scratch.has_close,
        task.targets.size());
    AUREOLE_CUDA_LAUNCHED("tiles_kernel");
}

/// Order of the targets and sums over the prepared sources, of these rows.
template <class Shape, bool potential>
void evaluate_mixed(CUstream_st* stream, const DirectTask& task, IndexRange rows, std::byte* source_base,
                    std::byte* evaluation_base)
{
    constexpr Index size = Shape::tile;
    Carver source_carver(source_base), carver(evaluation_base);
    const MixedSourceScratch<size> sources(source_carver, task);
    const MixedScratch<size> scratch(carver, task);
    const Index n_sources = task.sources.size();
    double largest_softening;
    const MixedSources particles = mixed_sources(task, largest_softening);

    const Index* source_order = sources.order_of(n_sources);
    const Index* target_order = source_order;
    const Index first_place = task.sources.list ? 0 : task.sources.range.begin;
    if (!scratch.same_order) {
        target_order = sort_along_curve(stream, particles.position, task.targets, sources.bounds,
                                        largest_softening, sources.frame, scratch.targets);
        find_places(stream, source_order, n_sources, first_place, scratch.n_places, scratch.place_of);
    }
    const Results results{task.outputs, target_order, 0, task.targets.size(), &sources.frame->inverse_length};
    const MixedWork<size> work{particles,        {},
                               results,          sources.frame,
                               sources.tiles,    sources.details,
                               source_order,     scratch.same_order ? nullptr : scratch.place_of,
                               first_place,      scratch.n_places,
                               n_sources,        scratch.partial,
                               scratch.has_close};
    if (particles.spline)
        launch_mixed<Shape, potential, true>(stream, work, n_sources, rows);
    else
        launch_mixed<Shape, potential, false>(stream, work, n_sources, rows);
}

}  // namespace aureole::gravity
