// The direct sum in a periodic box: every source with all of its images and a uniform background of the
// opposite mass, by the summation of Ewald (1921) in double precision. The truth that other periodic solvers
// are compared with. On the CPU.
#pragma once

#include "gravity/force_request.hpp"
#include "gravity/slice.hpp"
#include "gravity/softening.hpp"

namespace aureole::gravity {

/// Selections are clipped and not empty. Positions may lie outside of the box.
struct EwaldTask {
    ConstParticlesView particles;
    Selection targets, sources;
    Softening softening;
    Box box;
    Slice slice{};  ///< of the targets in the order of the selection
};

/// Throws ConfigError for a softening that reaches beyond half of the box.
void check_ewald_softening(const Softening& softening, const Box& box);

/// Accelerations and, where they are asked for, potentials of the targets, to 1e-12 of those of a source at
/// the mean distance. The mean potential of the box is zero. A target that is a source feels its own images:
/// they add 2.8372974795 m / L to its potential. Coincident sources without softening are skipped as in open
/// space, their images are not. Softening acts within half of the box. Cost: 27 000 waves for each source and
/// each target, then all pairs. Allocates and waits; bit for bit the same for any number of threads.
void evaluate_ewald(const EwaldTask& task, const ForceOutputs& outputs);

}  // namespace aureole::gravity
