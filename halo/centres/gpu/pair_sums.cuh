// Sums over sources for the 32 targets of a warp, one in each lane: in float with what bounds the error. Then
// the terms of sums in double: bit for bit those of halo/centres/potential_kernels_simd.cpp, or faster.
//
// Coordinates are relative to an origin in the middle of the targets and rounded to float. Next to a target
// at most `slip` of distance is wrong, what is farther errs in proportion; with s the computed softened
// distance, |1/s - 1/s_true| <= 2 slip / s^2 when s >= 2 slip. Of 32 sources that are summed in float, sum m
// / s^2 is at most sum m / s over the least s. Where a source is closer than float can tell, the 32 are
// summed in double.
#pragma once

#include "halo/centres/gpu/list_segments.cuh"
#include "halo/centres/gpu/search_data.hpp"

namespace aureole::halo::centre_search {

inline constexpr float unit_roundoff = 0x1p-24f;
/// In units of 2^-24: a source's coordinates are rounded by 1 of its distance, differences and their squares
/// err by 2.5 of the root, the estimate of the root by 2.2, the mass by 1; 8 terms are summed in float, and
/// these sums by fours: 10. And some to spare.
inline constexpr double rounding_of_sums = 20 * 0x1p-24;
inline constexpr double underflow = 0x1p-90;  ///< of masses below the range of float

/// About 1 ulp; the plain rsqrtf guards against denormals with three more instructions.
__device__ inline float inverse_root(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/// What all lanes know of their targets. Scaled coordinates.
struct TargetBox {
    double x, y, z;    ///< the middle
    float half[3];     ///< at least half the sides
    float slip;        ///< of distance
    float least;       ///< squared distances below are left to double
    float softening2;  ///< eps^2
};

/// A source that weighs nothing and is not near.
__device__ inline float4 no_source() { return {4, 4, 4, 0}; }

__device__ inline float4 as_source(const TargetBox& box, double x, double y, double z, double mass)
{
    return {static_cast<float>(x - box.x), static_cast<float>(y - box.y), static_cast<float>(z - box.z),
            static_cast<float>(mass)};
}

/// The target of a lane and its sums so far.
struct LaneSums {
    float x, y, z;
    double potential = 0;
    float slope = 0;  ///< at least sum m / s^2

    /// Adds 32 sources in shared memory; those of the target's own bucket (`own`) are targets too, and lane k
    /// does not see source k. False, and nothing added, when one is closer than float can tell.
    template <bool own>
    __device__ bool add(const float4* source, const TargetBox& box, bool alive)
    {
        float part[4] = {0, 0, 0, 0}, least = 16;
#pragma unroll 8
        for (int k = 0; k < 32; ++k) {
            const float4 from = source[k];
            const float dx = from.x - x, dy = from.y - y, dz = from.z - z;
            float s2 = fmaf(dz, dz, fmaf(dy, dy, fmaf(dx, dx, box.softening2))), mass = from.w;
            if constexpr (own) {
                const bool self = threadIdx.x % 32 == k;
                s2 = self ? 16.0f : s2;
                mass = self ? 0.0f : mass;
            }
            least = fminf(least, s2);
            part[k % 4] = fmaf(mass, inverse_root(s2), part[k % 4]);
        }
        const float sum = (part[0] + part[1]) + (part[2] + part[3]);
        if (__any_sync(all_lanes, alive && !(least >= box.least))) return false;
        potential += sum;
        slope = fmaf(sum, inverse_root(least), slope);
        return true;
    }
};

/// m / s, 0 where s is: without contraction, the bits of the host.
__device__ inline double pair_term(const Body& from, const Body& at, double eps2)
{
    const double dx = from.x - at.x, dy = from.y - at.y, dz = from.z - at.z;
    const double xy = __dadd_rn(__dmul_rn(dx, dx), __dmul_rn(dy, dy));
    const double s2 = __dadd_rn(__dadd_rn(xy, __dmul_rn(dz, dz)), eps2);
    return s2 > 0 ? __ddiv_rn(from.mass, __dsqrt_rn(s2)) : 0.0;
}

/// Whether x is a normal, finite number above 0.
__device__ inline bool has_normal_root(double x)
{
    return static_cast<unsigned>(__double2hiint(x)) - 0x00100000u < 0x7fe00000u;
}

/// 1 / sqrt(x) to an ulp or so, of a normal x. The estimate is good to 20 bits and more, what a step of third
/// order leaves is below 2^-57.
__device__ inline double inverse_root(double x)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double h = fma(-(x * y), y, 1.0);
    return fma(y * h, fma(0.375, h, 0.5), y);
}

}  // namespace aureole::halo::centre_search
