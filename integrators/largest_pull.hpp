// The maximum behind the adaptive step.
#pragma once

#include "gravity/solver.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::integrators {

/// Partial maxima of the first pass: enough threads to fill a GPU. largest_pull() needs room for so many.
inline constexpr Index n_pull_partials = 65536;

/// scratch[0] = max over particles of (|a_i| / eps_i)^2, NaN when one of them is. Needs p.n > 0.
void largest_pull(Exec exec, const ParticlesView& particles, const gravity::Softening& softening,
                  double* scratch);

}  // namespace aureole::integrators
