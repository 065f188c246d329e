// The maps every symplectic scheme is made of. O(N), bound by memory: bytes moved per particle stand beside.
// A watch is told of new positions and velocities beyond its limits; it moves no bytes of its own.
#pragma once

#include "sim/core/particle_limits.hpp"

namespace aureole::integrators {

/// v += a dt (72 B)
void kick(Exec exec, const ParticlesView& particles, double dt, const LimitWatch& watch = {});

/// x += v dt (72 B)
void drift(Exec exec, const ParticlesView& particles, double dt, const LimitWatch& watch = {});

/// v += a dt_kick, then x += v dt_drift, in one pass (120 B).
void kick_and_drift(Exec exec, const ParticlesView& particles, double dt_kick, double dt_drift,
                    const LimitWatch& watch = {});

}  // namespace aureole::integrators
