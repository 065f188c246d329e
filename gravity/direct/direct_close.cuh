// What the kernels of the mixed-precision direct sum work on, and its last kernel: it adds up the pieces of
// rows that several blocks share, and, in double, the pairs that are too close for float. Those are found
// again target by target: rare, except in sets of coincident bodies, and kept out of the hot kernel because
// their registers would make it spill.
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
    const Index place = blockIdx.x * row_targets + threadIdx.x;
    unsigned left = __ballot_sync(~0u, place < work.results.n_targets && work.has_close[place]);
    for (; left; left &= left - 1)
        add_close_sources<spline>(work, place - threadIdx.x % 32 + __ffs(static_cast<int>(left)) - 1);
}

}  // namespace aureole::gravity
