// The unit of speed of fixed-point sums.
#pragma once

#include "sim/core/particles_view.hpp"

namespace aureole::density {

/// The power of two above the fastest host particle's speed; 1 when all are at rest. Throws aureole::Error
/// naming the first particle whose velocity is not finite.
double speed_unit(const ParticlesView& particles);

}  // namespace aureole::density
