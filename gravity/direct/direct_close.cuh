// What the kernels of the mixed-precision direct sum work on, and its last kernel: it adds up the pieces of
// rows that several blocks share, and, in double, the pairs that are too close for float. Those are found
// again target by target: rare, except in sets of coincident bodies, and kept out of the hot kernel because
// their registers would make it spill. Before it, the kernel that makes tiles of sources along the curve.
#pragma once

#include "gravity/direct/direct_mixed_pair.cuh"
#include "gravity/direct/direct_order.cuh"
#include "sim/core/sums/warp_sums.cuh"

namespace aureole::gravity {

struct MixedSources {
    ConstVec3View position;
    const double* mass;
    const ParticleType* type;            ///< or null: all are of type 1
    double softening[n_particle_types];  ///< unscaled: eps (Plummer) or h (spline)
    bool spline;

    __device__ double softening_of(Index i) const { return softening[type ? type[i] : 1]; }
};

/// What rounding x to `rounded` cut off.
__device__ inline float cut_off(double x, float rounded)
{
    return static_cast<float>(x - static_cast<double>(rounded));
}

/// eps^2 (Plummer) or h (spline) in scaled units.
__device__ inline float scaled_softening(double softening, double inverse_length, bool spline)
{
    const float scaled = static_cast<float>(softening * inverse_length);
    return spline ? scaled : scaled * scaled;
}

template <Index size>
struct MixedWork {
    MixedSources particles;
    Shares shares;
    Results results;
    const Frame* frame;
    const Tile<size>* tiles;
    const TileDetail<size>* details;
    const Index* source_order;
    /// Of particle first_place + k its place among the sources on the curve, or none; null: targets and
    /// sources stand in the same order.
    const Index* place_of;
    Index first_place, n_places, n_sources;
    double* partial;
    std::uint8_t* has_close;  ///< of each place: a pair was left to add_close_pairs
};

/// A target between tiles.
struct MixedTarget {
    double x, y, z;   ///< scaled
    float softening;  ///< its own
    Index self;       ///< its place among the sources, or none
    double sum[n_sums];
};

template <Index size>
__device__ inline MixedTarget load_target(const MixedWork<size>& work, Index place, double inverse_length)
{
    const Index i = work.results.target(min(place, work.results.n_targets - 1));
    const Vec3 x = inverse_length * work.particles.position.load(i);
    const float softening =
        scaled_softening(work.particles.softening_of(i), inverse_length, work.particles.spline);
    Index self = place;
    if (work.place_of) {
        const Index offset = i - work.first_place;
        self = offset < work.n_places ? work.place_of[offset] : ~Index{0};
    }
    return {x.x, x.y, x.z, softening, self, {}};
}

__device__ inline float squared_distance_from_box(const TileHead& head, float x, float y, float z)
{
    const float dx = fmaxf(fmaxf(head.low[0] - x, x - head.high[0]), 0.0f);
    const float dy = fmaxf(fmaxf(head.low[1] - y, y - head.high[1]), 0.0f);
    const float dz = fmaxf(fmaxf(head.low[2] - z, z - head.high[2]), 0.0f);
    return square(dx, dy, dz);
}

/// A target in the coordinates of a tile that it touches.
__device__ inline TileTarget touching_target(const TileHead& head, Index tile_begin,
                                             const MixedTarget& target)
{
    const double dx = target.x - head.x, dy = target.y - head.y, dz = target.z - head.z;
    const float x = static_cast<float>(dx), y = static_cast<float>(dy), z = static_cast<float>(dz);
    return {x,
            y,
            z,
            cut_off(dx, x),
            cut_off(dy, y),
            cut_off(dz, z),
            target.softening,
            fmaxf(close_ratio2 * square(x, y, z), close_range2),
            target.self - tile_begin,
            {}};
}

/// One target against one tile.
template <bool spline, Index size>
__device__ inline void add_close_pairs(const MixedWork<size>& work, Index t, double own_softening,
                                       MixedTarget& target)
{
    const MixedSources& p = work.particles;
    const Tile<size>& tile = work.tiles[t];
    const TileTarget local = touching_target(tile.head, t * size, target);
    if (!(squared_distance_from_box(tile.head, local.x, local.y, local.z) < tile.head.touching_below)) return;
    const double inverse_length = work.frame->inverse_length;
    const Index present = min(size, work.n_sources - t * size);
    for (Index j = 0; j < present; ++j) {
        if (!close_pair<spline>(tile.body[j], work.details[t].of[j], j, local)) continue;
        const Index source = work.source_order[t * size + j];
        const Vec3 x = inverse_length * p.position.load(source);
        const Vec3 d{x.x - target.x, x.y - target.y, x.z - target.z};
        const double r2 = dot(d, d), mass = p.mass[source];
        const double softening = inverse_length * fmax(p.softening_of(source), own_softening);
        if (r2 + softening * softening == 0) continue;
        PairKernel<double> pair;
        if (spline && r2 < softening * softening) {
            pair = spline_pair(r2, softening);
        } else {
            const double inv_r = inverse_root(spline ? r2 : fma(softening, softening, r2));
            pair = {inv_r * inv_r * inv_r, -inv_r};
        }
        const double f = mass * pair.force;
        target.sum[0] = fma(f, d.x, target.sum[0]);
        target.sum[1] = fma(f, d.y, target.sum[1]);
        target.sum[2] = fma(f, d.z, target.sum[2]);
        target.sum[3] -= mass * pair.potential;
    }
}

/// By all lanes of a warp: the close pairs of the target at `place`. A lane takes every 32nd tile; lanes are
/// added in the order of a tree.
template <bool spline, Index size>
__device__ inline void add_close_sources(const MixedWork<size>& work, Index place)
{
    MixedTarget target = load_target(work, place, work.frame->inverse_length);
    const Index i = work.results.target(place);
    const double own_softening = work.particles.softening_of(i);
    for (Index t = threadIdx.x % 32; t < work.shares.n_tiles; t += 32)
        add_close_pairs<spline>(work, t, own_softening, target);
    for (double& sum : target.sum) sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0) work.results.add(place, target.sum);
}

/// One block per row, one thread per target; a warp then serves its targets with close pairs in turn.
template <Index size, bool spline>
__global__ void __launch_bounds__(row_targets) finish_kernel(const __grid_constant__ MixedWork<size> work)
{
    combine_row(work.shares, work.results, work.partial);
    __syncwarp();
    const Index place = (work.shares.first_row + blockIdx.x) * row_targets + threadIdx.x;
    unsigned left = __ballot_sync(~0u, place < work.results.n_targets && work.has_close[place]);
    for (; left; left &= left - 1)
        add_close_sources<spline>(work, place - threadIdx.x % 32 + __ffs(static_cast<int>(left)) - 1);
}

/// The largest value of a block, in all of its threads.
template <Index size, class T>
__device__ T block_largest(T value, T (&shared)[size])
{
    __syncthreads();  // all have read what the last call left
    shared[threadIdx.x] = value;
    __syncthreads();
    for (Index half = size / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            const T other = shared[threadIdx.x + half];
            if (other > shared[threadIdx.x]) shared[threadIdx.x] = other;
        }
        __syncthreads();
    }
    return shared[0];
}

/// Of a source at x in a tile of a radius: how near to its box touching begins. Most sources that follow each
/// other on the curve stand far closer than the tile is wide where they fill a line, a sheet or clumps. All
/// threads of the block have to call; the last ones of their warps do not count.
__device__ inline float touching_ratio_of(const float (&x)[3], bool has_next, float radius2)
{
    const float dx = __shfl_down_sync(~0u, x[0], 1) - x[0], dy = __shfl_down_sync(~0u, x[1], 1) - x[1],
                dz = __shfl_down_sync(~0u, x[2], 1) - x[2];
    has_next = has_next && threadIdx.x % lanes != lanes - 1;
    const bool is_close = square(dx, dy, dz) < thin_touching_ratio * thin_touching_ratio * radius2;
    const int n = __syncthreads_count(has_next), n_close = __syncthreads_count(has_next && is_close);
    return 2 * n_close > n ? thin_touching_ratio : touching_ratio;
}

/// One block per tile, one thread per source: coordinates relative to the middle source, subtracted in
/// double. The middle one of the curve stays close to most of a tile that holds an outlier or straddles a
/// gap. Clears has_close as well.
template <Index size>
__global__ void __launch_bounds__(size)
    tiles_kernel(const __grid_constant__ MixedSources sources, const Index* order, Index n,
                 const Frame* frame, Tile<size>* tiles, TileDetail<size>* details, std::uint8_t* has_close,
                 Index n_targets)
{
    __shared__ double shared_mass[size];
    __shared__ float shared[size];
    const double inverse_length = frame->inverse_length;
    const Index start = blockIdx.x * size, place = start + threadIdx.x;
    const bool present = place < n;
    for (std::uint64_t i = place; i < n_targets; i += gridDim.x * size) has_close[i] = 0;
    const Vec3 origin = sources.position.load(order[start + min(size / 2, (n - start) / 2)]);

    Vec3 d{0, 0, 0};
    double mass = 0;
    float softening = -1;
    if (present) {
        const Index j = order[place];
        d = inverse_length * (sources.position.load(j) - origin);
        mass = sources.mass[j];
        softening = scaled_softening(sources.softening_of(j), inverse_length, sources.spline);
    }
    const float x[3] = {static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z)};
    const float s2 = square(x[0], x[1], x[2]);
    const double unit = block_largest(fabs(mass), shared_mass);
    const float reach2 = block_largest(s2, shared), largest_softening = block_largest(softening, shared);
    const float touching = touching_ratio_of(x, place + 1 < n, reach2);
    float low[3], high[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        low[k] = -block_largest(-x[k], shared);
        high[k] = block_largest(x[k], shared);
    }

    const float relative_mass = unit > 0 ? static_cast<float>(mass / unit) : 0.0f;
    const bool equal_mass = __syncthreads_and(relative_mass == 1.0f);
    const bool uniform_softening = __syncthreads_and(!present || softening == largest_softening);
    Tile<size>& tile = tiles[blockIdx.x];
    tile.body[threadIdx.x] = {x[0], x[1], x[2], s2};
    tile.mass[threadIdx.x] = relative_mass;
    details[blockIdx.x].of[threadIdx.x] = {cut_off(d.x, x[0]), cut_off(d.y, x[1]), cut_off(d.z, x[2]),
                                           fmaxf(softening, 0.0f)};
    if (threadIdx.x == 0) {
        tile.head = {inverse_length * origin.x,
                     inverse_length * origin.y,
                     inverse_length * origin.z,
                     unit,
                     {low[0], low[1], low[2]},
                     {high[0], high[1], high[2]},
                     fmaxf(far_ratio * far_ratio * reach2, least_apart2),
                     fmaxf(touching * touching * reach2, least_apart2),
                     largest_softening,
                     equal_mass,
                     uniform_softening};
    }
}

}  // namespace aureole::gravity
