// The maximum behind the adaptive step.
#pragma once

#include "gravity/softening.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::integrators {

/// Partial maxima of the first pass: enough threads to fill a GPU. largest_acceleration() needs memory for as
/// many.
inline constexpr Index n_acceleration_partials = 65536;

/// scratch[0] = max over particles of (|a_i| / eps_i)^2, NaN when one of them is. Needs p.n > 0.
void largest_acceleration(Exec exec, const ConstParticlesView& particles, const gravity::Softening& softening,
                          double* scratch);

}  // namespace aureole::integrators
