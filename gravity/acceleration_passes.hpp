// Passes over the accelerations of a solver. O(N), no host reads.
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

/// Takes off the net force of all particles on themselves, so that the total momentum stays where a solver
/// does not obey Newton's third law (tree, expansion). Sums m a over all particles in an order that depends
/// on their number and the backend alone; does nothing where there is no mass. `scratch` is in the memory of
/// the backend.
void cancel_net_force(Exec exec, const ConstParticlesView& particles, const Vec3View& acceleration,
                      NetForceShare share, double* scratch);

/// Accelerations, and potentials where they are asked for, of the targets become zero. One pass, no host
/// reads.
void set_to_zero(Exec exec, const Selection& targets, const ForceOutputs& outputs);

}  // namespace aureole::gravity
