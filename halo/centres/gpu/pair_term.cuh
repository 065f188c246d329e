// The terms of potentials in double, bit for bit those of halo/centres/potential_loops.hpp.
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

}  // namespace aureole::halo::centre_search
