// Linking velocities that follow each group: psi is a number of velocity dispersions of the 3-D group that a
// particle is in (Diemand, Kuhlen & Madau 2006 link so in scaled phase space; the thesis fixes psi per
// group).
#pragma once

#include "halo/groups.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::halo {

/// Velocities become (v - mean) / sigma of their group, each particle counting alike, sigma one-dimensional;
/// 0 where sigma is 0 and outside groups. In such velocities psi = k links as psi = k sigma does inside each
/// group; and groups that differ lie farther apart than the linking length. In host memory.
void scale_by_dispersion(const Vec3View& velocity, const Groups& groups);

}  // namespace aureole::halo
