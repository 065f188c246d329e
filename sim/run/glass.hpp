// Glasses: particles without order in which gravity cancels nearly everywhere, as loads of initial conditions
// (White 1994).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/vec3.hpp"

namespace aureole::run {

/// n^3 sites in the periodic unit cube, fixed by `seed`: random ones, which move against the gravity g of all
/// by g / (4 pi rho), `steps` times. A wave of the density loses that way in each step what it has in the
/// limit of long waves, and g falls by orders of magnitude. Forces by treepm; equal bit for bit for any
/// number of threads. Cost: so many evaluations of the forces.
std::vector<Vec3> make_glass(int n, std::uint64_t seed, int steps = 64);

}  // namespace aureole::run
