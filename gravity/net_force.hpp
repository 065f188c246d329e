// The net force of all particles on themselves, taken off: it keeps the total momentum where a solver does
// not obey Newton's third law (tree, expansion). O(N), no host reads.
#pragma once

#include <cstddef>

#include "gravity/force_request.hpp"

namespace aureole::gravity {

/// How the net force is distributed over the particles.
enum class NetForceShare {
    equal,           ///< each loses the mean acceleration
    by_acceleration  ///< in proportion to |ax| + |ay| + |az|: relative errors stay what they are everywhere
};

/// Numbers of scratch that cancel_net_force() needs for n particles.
std::size_t net_force_scratch(std::size_t n);

/// Sums m a over all particles, in an order that depends on their number and the backend alone, and makes it
/// zero; does nothing where there is no mass. `scratch` is in the memory of the backend.
void cancel_net_force(Exec exec, const ConstParticlesView& particles, const Vec3View& acceleration,
                      NetForceShare share, double* scratch);

}  // namespace aureole::gravity
