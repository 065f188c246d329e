// What every integrator promises.
#pragma once

#include "gravity/solver.hpp"

namespace aureole::integrators {

class Integrator {
public:
    virtual ~Integrator() = default;

    /// Advances particles and `time` by dt, which may be negative. Needs accelerations valid at entry, leaves
    /// them valid at exit, and potentials too when asked for.
    virtual void step(Exec exec, const ParticlesView& particles, gravity::Solver& solver, double& time,
                      double dt, bool potential) = 0;
};

}  // namespace aureole::integrators
