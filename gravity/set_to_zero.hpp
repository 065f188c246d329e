// What no source at all does to targets.
#pragma once

#include "sim/core/particles_view.hpp"

namespace aureole::gravity {

/// Accelerations, and potentials when asked, of the targets become zero, in whatever memory they are.
void set_to_zero(const ParticlesView& particles, IndexRange targets, bool potential);

}  // namespace aureole::gravity
