// The passes over all particles that integrators are made of: kicks and drifts, and the maximum behind the
// adaptive step. O(N), bound by memory: bytes moved per particle stand beside. A watch is told of new
// positions and velocities beyond its limits; it moves no bytes of its own. Nothing moves where it stands
// still.
#pragma once

#include "gravity/softening.hpp"
#include "sim/core/particle_limits.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::integrators {

/// v += a dt (72 B)
void kick(Exec exec, const ParticlesView& particles, double dt, const LimitWatch& watch = {});

/// x += v dt (72 B)
void drift(Exec exec, const ParticlesView& particles, double dt, const LimitWatch& watch = {});

/// v += a dt_kick, then x += v dt_drift, in one pass (120 B). In a periodic box positions are wrapped into
/// it; the watch is told of those before.
void kick_and_drift(Exec exec, const ParticlesView& particles, double dt_kick, double dt_drift,
                    const LimitWatch& watch = {}, const Box& box = {});

/// sum m v^2, with partial sums over fixed shares of the particles: bit for bit the same for any number of
/// threads.
/// Reads 32 B a particle. scratch[0] is the result; memory as for largest_acceleration().
void sum_of_squares(Exec exec, const ConstParticlesView& particles, double* scratch);

/// Partial maxima of the first pass: enough threads to fill a GPU. largest_acceleration() needs memory for as
/// many.
inline constexpr Index n_acceleration_partials = 65536;

/// scratch[0] = max over particles of (|a_i| / eps_i)^2, NaN when one of them is. Needs p.n > 0.
void largest_acceleration(Exec exec, const ConstParticlesView& particles, const gravity::Softening& softening,
                          double* scratch);

}  // namespace aureole::integrators
