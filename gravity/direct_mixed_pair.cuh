// The inner loops of the mixed-precision direct sum: one tile of sources on the targets of one thread, in
// float. Sources s and targets t are relative to the tile's origin, so near pairs lose nothing to
// cancellation. Issue slots per pair, potentials one more, masses that differ inside the tile one more:
//   far   r^2 = t^2 + (s^2 - 2 t.s), a = sum f s - t sum f      1 FADD + 3 FFMA, MUFU, 2 FMUL, 3 FFMA + 1
//   FADD = 11 near  d = s - t, r^2 = d^2, a = sum f d                     3 FADD + 3 FFMA, MUFU, 2 FMUL, 3
//   FFMA          = 12
// plus one 16-byte shared load per source, divided by the targets of a thread. Far needs |t| > 1.5 |s| for
// all sources of the tile: r^2 then keeps at least a ninth of t^2. Emulated errors (Plummer 2^18, eps 0.001,
// tiles of 256, median / 99 %): all near 2.6e-8 / 4.5e-7; far above 2: 3.2e-8 / 4.4e-7, above 1.5: 3.4e-8
// / 4.8e-7 with 89 % of the tiles far; tiles of 128 above 1.5: 2.3e-8 / 3.6e-7 with 94 %.
#pragma once

#include "gravity/direct_share.cuh"
#include "gravity/pair.hpp"

namespace aureole::gravity {

/// Squared scaled distances below this count as coincident; f stays finite (2^120) above it.
inline constexpr float tiny_distance2 = 0x1p-80f;
inline constexpr float far_ratio2 = 2.25f;  ///< far: t^2 > this * s^2

/// The spline is Newtonian beyond h: with the ratio above, t > 3 h makes |t - s| >= t / 3 > h.
inline constexpr float spline_far_ratio2 = 9.1f;

/// What belongs to a tile as a whole. Lengths are scaled by Frame::inverse_length.
struct alignas(16) TileHead {
    double x, y, z;                   ///< origin: the position of the tile's middle source
    double mass;                      ///< unit of the masses in the tile: the largest
    float far_above;                  ///< targets with t^2 above this are far
    float softening;                  ///< largest in the tile: eps^2 (Plummer) or h (spline)
    std::uint32_t equal_mass;         ///< every mass is 1
    std::uint32_t uniform_softening;  ///< every source has `softening`
};

/// Sources as the sweeps read them; places past the last source hold massless bodies at the origin.
template <Index size>
struct Tile {
    TileHead head;
    float4 body[size];  ///< x, y, z and x^2 + y^2 + z^2
    float mass[size];   ///< in units of head.mass
    float softening[size];
};
static_assert(sizeof(Tile<128>) % 16 == 0);

/// One target as the sweeps see it, with its sums over the tile: x, y, z of the force, and sum m / r.
struct TileTarget {
    float x, y, z;
    float softening;  ///< of the pair where the tile is uniform, else the target's own
    Index self;       ///< place of the target itself in the tile, or anything past its end
    float sum[n_sums];
};

/// About 1 ulp; the plain rsqrtf guards against denormals with three more instructions.
__device__ inline float inverse_root(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

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

/// Plummer. A target meets itself here: harmless for the force (d = 0), not for the potential.
template <bool equal_mass, bool potential, int unroll, Index size, int n>
__device__ __forceinline__ void sweep_near(const Tile<size>& tile, TileTarget (&target)[n])
{
#pragma unroll unroll
    for (Index j = 0; j < size; ++j) {
        const float4 s = tile.body[j];
        const float m = equal_mass ? 1.0f : tile.mass[j];
#pragma unroll
        for (int k = 0; k < n; ++k) {
            const float dx = s.x - target[k].x, dy = s.y - target[k].y, dz = s.z - target[k].z;
            const float r2 = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, target[k].softening)));
            const float inv_r = inverse_root(r2);
            const float m_over_r = equal_mass ? inv_r : m * inv_r;
            const float f = inv_r * inv_r * m_over_r;
            target[k].sum[0] = fmaf(f, dx, target[k].sum[0]);
            target[k].sum[1] = fmaf(f, dy, target[k].sum[1]);
            target[k].sum[2] = fmaf(f, dz, target[k].sum[2]);
            if (potential) target[k].sum[3] += m_over_r;
        }
    }
}

/// Force and potential (positive) of a unit mass, from r^2 and the larger softening; nothing for coincident
/// bodies without softening.
template <bool spline>
__device__ __forceinline__ PairKernel<float> any_pair(float r2, float softening)
{
    if (spline && r2 < softening * softening && softening * softening > tiny_distance2) {
        const PairKernel<float> pair = spline_pair(r2, softening);
        return {pair.force, -pair.potential};
    }
    const float q = spline ? r2 : r2 + softening;
    const float inv_r = q > tiny_distance2 ? inverse_root(q) : 0.0f;
    return {inv_r * inv_r * inv_r, inv_r};
}

/// The loop for everything that is rare: softening that varies in the tile, the spline within reach, the
/// target itself, zero softening with potentials. 17 slots with Plummer softening.
template <bool spline, bool potential, Index size, int n>
__device__ __forceinline__ void sweep_any(const Tile<size>& tile, TileTarget (&target)[n])
{
#pragma unroll 2
    for (Index j = 0; j < size; ++j) {
        const float4 s = tile.body[j];
        const float m = tile.mass[j], softening = tile.softening[j];
#pragma unroll
        for (int k = 0; k < n; ++k) {
            const float dx = s.x - target[k].x, dy = s.y - target[k].y, dz = s.z - target[k].z;
            const PairKernel<float> pair =
                any_pair<spline>(square(dx, dy, dz), fmaxf(softening, target[k].softening));
            const float f = m * pair.force;
            target[k].sum[0] = fmaf(f, dx, target[k].sum[0]);
            target[k].sum[1] = fmaf(f, dy, target[k].sum[1]);
            target[k].sum[2] = fmaf(f, dz, target[k].sum[2]);
            if (potential) target[k].sum[3] += j == target[k].self ? 0.0f : m * pair.potential;
        }
    }
}

}  // namespace aureole::gravity
