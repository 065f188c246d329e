// The net force of all particles on themselves, taken off: what keeps the total momentum where a solver does
// not know Newton's third law (tree, expansion). O(N), no host reads.
#pragma once

#include <cstddef>

#include "sim/core/particles_view.hpp"

namespace aureole::gravity {

/// How the particles share it.
enum class NetForceShare {
    equal,           ///< each loses the mean acceleration
    by_acceleration  ///< in proportion to |ax| + |ay| + |az|: relative errors stay what they are everywhere
};

/// Numbers of scratch that cancel_net_force() needs for n particles.
std::size_t net_force_scratch(std::size_t n);

/// Sums m a in an order that depends on the number of particles and the backend alone, and makes it zero;
/// nothing where there is no mass. `scratch` is in the memory of the backend.
void cancel_net_force(Exec exec, const ParticlesView& particles, NetForceShare share, double* scratch);

}  // namespace aureole::gravity
