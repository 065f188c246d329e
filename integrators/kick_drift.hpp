// The maps every symplectic scheme is made of. O(N), bound by memory: bytes moved per particle stand beside.
#pragma once

#include "sim/core/particles_view.hpp"

namespace aureole::integrators {

void kick(Exec exec, const ParticlesView& particles, double dt);   ///< v += a dt (72 B)
void drift(Exec exec, const ParticlesView& particles, double dt);  ///< x += v dt (72 B)

/// v += a dt_kick, then x += v dt_drift, in one pass (120 B).
void kick_and_drift(Exec exec, const ParticlesView& particles, double dt_kick, double dt_drift);

}  // namespace aureole::integrators
