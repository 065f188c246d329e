// The inner loops of the mixed-precision direct sum: one tile of sources on the targets of one thread, in
// float. Sources s and targets t are relative to the tile's origin. Issue slots per pair, potentials one
// more, masses that differ inside the tile one more, and one 16-byte shared load per source divided by the
// targets of a thread:
//   far       r^2 = t^2 + (s^2 - 2 t.s), a = sum f s - t sum f: 1 FADD + 3 FFMA, MUFU, 2 FMUL, 3 FFMA + 1
//   FADD
//             = 11; needs |t| > 1.5 |s| for all sources of the tile: r^2 then keeps at least a ninth of t^2
//   near      d = s - t, r^2 = d^2, a = sum f d: 3 FADD + 3 FFMA, MUFU, 2 FMUL, 3 FFMA = 12; needs a distance
//             that is not small against the tile, for s and t are rounded to 2^-25 of its radius
//   touching  as near, and d gains what the rounding of s and t cut off, kept in a second float: + 6 FADD
//   = 18.
//             d is right to 2^-24 down to 2^-23 |t|; closer pairs (and those that leave float's range) are
//             left out here and added in double (direct_mixed.cuh)
#pragma once

#include "gravity/direct/direct_share.cuh"
#include "gravity/inverse_root.cuh"
#include "gravity/pair.hpp"

namespace aureole::gravity {

inline constexpr float far_ratio = 1.5f;  ///< far: |t| > this * |s|

/// The spline is Newtonian beyond h: |t - s| >= (1 - 1 / far_ratio) |t| > h; 1.01 for rounding.
inline constexpr float spline_far_ratio2 =
    1.01f * (far_ratio / (far_ratio - 1)) * (far_ratio / (far_ratio - 1));

/// A target touches a tile when it is closer to its box than this fraction of its radius (measured from the
/// tile's origin): the rounding of coordinates that `near` accepts is 2^-25 of the radius.
inline constexpr float touching_ratio = 1.0f / 256;

/// The same for tiles whose sources leave most of it empty: there neighbours across its border, which are
/// nearly all of the force, are often that near.
inline constexpr float thin_touching_ratio = 1.0f / 16;

/// No squared scaled distance below this is far or near: squares and 1 / r^3 stay inside float's range.
inline constexpr float least_apart2 = 0x1p-50f;

/// Touching pairs with a squared softened distance below the larger of these are left to double: below the
/// first 1 / r^3 nears the end of float's range (2^120), below the second (times t^2) two floats do not
/// resolve it.
inline constexpr float close_range2 = 0x1p-80f, close_ratio2 = 0x1p-46f;

/// What belongs to a tile as a whole. Lengths are scaled by Frame::inverse_length.
struct alignas(16) TileHead {
    double x, y, z;                   ///< origin: the position of the tile's middle source
    double mass;                      ///< unit of the masses in the tile: the largest
    float low[3], high[3];            ///< box of its sources
    float far_above;                  ///< targets with t^2 above this are far
    float touching_below;             ///< targets whose squared distance from the box is below this touch it
    float softening;                  ///< largest in the tile: eps^2 (Plummer) or h (spline)
    std::uint32_t equal_mass;         ///< every mass is 1
    std::uint32_t uniform_softening;  ///< every source has `softening`
    std::uint32_t unused;             ///< heads are copied in whole 16-byte pieces
};
static_assert(sizeof(TileHead) % 16 == 0);

/// Sources as the sweeps read them; places past the last source hold massless bodies at the origin.
template <Index size>
struct Tile {
    TileHead head;
    float4 body[size];  ///< x, y, z and x^2 + y^2 + z^2
    float mass[size];   ///< in units of head.mass
};
static_assert(sizeof(Tile<128>) % 16 == 0);

/// What only the rare loops need of the sources of a tile, read where it lies in global memory.
template <Index size>
struct TileDetail {
    float4 of[size];  ///< parts of x, y, z that float cut off, and the softening
};

/// One target as the sweeps see it, with its sums over the tile: x, y, z of the force, and sum m / r.
struct TileTarget {
    float x, y, z;
    float x_low, y_low, z_low;  ///< what float cut off; touching tiles only
    float softening;            ///< of the pair where the tile is uniform, else the target's own
    float close_below;          ///< squared softened distances below this are left to double
    Index self;                 ///< place of the target itself in the tile, or anything past its end
    float sum[n_sums];
};

__device__ inline float square(float x, float y, float z) { return fmaf(z, z, fmaf(y, y, x * x)); }

template <bool equal_mass, bool potential, int unroll, Index size, int n>
__device__ __forceinline__ void sweep_far(const Tile<size>& tile, TileTarget (&target)[n])
{
    float force[n] = {};
#pragma unroll
    for (int k = 0; k < n;
         ++k) {  // from here on x, y, z hold -2 t, and softening t^2 + eps^2: fewer registers
        target[k].softening += square(target[k].x, target[k].y, target[k].z);
        target[k].x *= -2;
        target[k].y *= -2;
        target[k].z *= -2;
    }
#pragma unroll unroll
    for (Index j = 0; j < size; ++j) {
        const float4 s = tile.body[j];
        const float m = equal_mass ? 1.0f : tile.mass[j];
#pragma unroll
        for (int k = 0; k < n; ++k) {
            const float r2 = fmaf(target[k].x, s.x,
                                  fmaf(target[k].y, s.y, fmaf(target[k].z, s.z, target[k].softening + s.w)));
            const float inv_r = inverse_root(r2);
            const float m_over_r = equal_mass ? inv_r : m * inv_r;
            const float f = inv_r * inv_r * m_over_r;
            force[k] += f;
            target[k].sum[0] = fmaf(f, s.x, target[k].sum[0]);
            target[k].sum[1] = fmaf(f, s.y, target[k].sum[1]);
            target[k].sum[2] = fmaf(f, s.z, target[k].sum[2]);
            if (potential) target[k].sum[3] += m_over_r;
        }
    }
#pragma unroll
    for (int k = 0; k < n; ++k) {
        const float half = 0.5f * force[k];
        target[k].sum[0] = fmaf(half, target[k].x, target[k].sum[0]);
        target[k].sum[1] = fmaf(half, target[k].y, target[k].sum[1]);
        target[k].sum[2] = fmaf(half, target[k].z, target[k].sum[2]);
    }
}

/// Source minus target; `touching` adds what float cut off of both. The first differences of close pairs are
/// exact.
template <bool touching>
__device__ __forceinline__ float3 separation(const float4& s, const float4& detail, const TileTarget& t)
{
    float3 d{s.x - t.x, s.y - t.y, s.z - t.z};
    if (touching) {
        d.x += detail.x - t.x_low;
        d.y += detail.y - t.y_low;
        d.z += detail.z - t.z_low;
    }
    return d;
}

/// Plummer, one softening. Touching: it has to be above close_below; a target that meets itself here adds
/// nothing to the force (d = 0), but does to the potential.
template <bool touching, bool equal_mass, bool potential, int unroll, Index size, int n>
__device__ __forceinline__ void sweep_near(const Tile<size>& tile, const TileDetail<size>& detail,
                                           TileTarget (&target)[n])
{
#pragma unroll unroll
    for (Index j = 0; j < size; ++j) {
        const float4 s = tile.body[j];
        const float4 more = touching ? detail.of[j] : float4{};
        const float m = equal_mass ? 1.0f : tile.mass[j];
#pragma unroll
        for (int k = 0; k < n; ++k) {
            const float3 d = separation<touching>(s, more, target[k]);
            const float r2 = fmaf(d.x, d.x, fmaf(d.y, d.y, fmaf(d.z, d.z, target[k].softening)));
            const float inv_r = inverse_root(r2);
            const float m_over_r = equal_mass ? inv_r : m * inv_r;
            const float f = inv_r * inv_r * m_over_r;
            target[k].sum[0] = fmaf(f, d.x, target[k].sum[0]);
            target[k].sum[1] = fmaf(f, d.y, target[k].sum[1]);
            target[k].sum[2] = fmaf(f, d.z, target[k].sum[2]);
            if (potential) target[k].sum[3] += m_over_r;
        }
    }
}

/// Squared distance below which nothing changes any more: that of the pair, widened by its softening.
template <bool spline>
__device__ __forceinline__ float softened_square(float r2, float softening)
{
    return spline ? fmaxf(r2, softening * softening) : r2 + softening;
}

/// Force and potential (positive) of a unit mass, from r^2 and the larger softening; not both zero.
template <bool spline>
__device__ __forceinline__ PairKernel<float> any_pair(float r2, float softening)
{
    if (spline && r2 < softening * softening) {
        const PairKernel<float> pair = spline_pair(r2, softening);
        return {pair.force, -pair.potential};
    }
    const float inv_r = inverse_root(spline ? r2 : r2 + softening);
    return {inv_r * inv_r * inv_r, inv_r};
}

/// True for a pair, other than of the target with itself, that sweep_any leaves to double.
template <bool spline>
__device__ __forceinline__ bool close_pair(const float4& s, const float4& detail, Index j,
                                           const TileTarget& target)
{
    const float3 d = separation<true>(s, detail, target);
    const float softening = fmaxf(detail.w, target.softening);
    return softened_square<spline>(square(d.x, d.y, d.z), softening) <= target.close_below &&
           j != target.self;
}

/// The loop for everything that is rare: softening that varies in the tile, the spline within reach, and,
/// touching, the target itself and no softening. 17 slots with Plummer softening, touching 26. Returns
/// whether a pair was left out as too close.
template <bool touching, bool spline, bool potential, Index size, int n>
__device__ __forceinline__ bool sweep_any(const Tile<size>& tile, const TileDetail<size>& detail,
                                          TileTarget (&target)[n], Index begin = 0, Index end = size)
{
    bool left_out = false;
#pragma unroll 2
    for (Index j = begin; j < end; ++j) {
        const float4 s = tile.body[j], more = detail.of[j];
        const float m = tile.mass[j];
#pragma unroll
        for (int k = 0; k < n; ++k) {
            const float3 d = separation<touching>(s, more, target[k]);
            const float r2 = square(d.x, d.y, d.z), softening = fmaxf(more.w, target[k].softening);
            const bool close = touching && softened_square<spline>(r2, softening) <= target[k].close_below;
            left_out = left_out || (close && j != target[k].self);
            PairKernel<float> pair = any_pair<spline>(r2, softening);
            if (close) pair = {0, 0};
            const float f = m * pair.force;
            target[k].sum[0] = fmaf(f, d.x, target[k].sum[0]);
            target[k].sum[1] = fmaf(f, d.y, target[k].sum[1]);
            target[k].sum[2] = fmaf(f, d.z, target[k].sum[2]);
            if (potential) target[k].sum[3] += j == target[k].self ? 0.0f : m * pair.potential;
        }
    }
    return left_out;
}

}  // namespace aureole::gravity
