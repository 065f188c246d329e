// The terms of potentials in double: bit for bit those of halo/centres/potential_loops.hpp, or faster.
#pragma once

#include "halo/centres/gpu/search_data.hpp"

namespace aureole::halo::centre_search {

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
