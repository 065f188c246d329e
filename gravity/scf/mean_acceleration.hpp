// The mean acceleration of all particles, taken off: what keeps the total momentum of an expansion.
#pragma once

#include "sim/core/particles_view.hpp"

namespace aureole::gravity::scf {

/// Most partial sums that mean_acceleration needs room for; each has four numbers.
inline constexpr Index n_mean_partials = 16384;

/// Rows of (sum m ax, sum m ay, sum m az, sum m) over disjoint sets of particles; returns how many were
/// written. Which particles go together depends on their number and the backend alone.
Index sum_accelerations(Exec exec, const ParticlesView& particles, double* partials);

void subtract_acceleration(Exec exec, const ParticlesView& particles, Vec3 mean);

}  // namespace aureole::gravity::scf
