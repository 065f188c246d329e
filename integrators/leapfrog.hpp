// Kick-drift-kick leapfrog: second order, symplectic, time-reversible, one force evaluation per step
// (Quinn et al. 1997; Springel 2005, sec. 4).
#pragma once

#include "integrators/integrator.hpp"

namespace aureole::integrators {

class Leapfrog final : public Integrator {
public:
    void step(Exec exec, const ParticlesView& particles, gravity::Solver& solver, double& time, double dt,
              bool potential) override;
};

}  // namespace aureole::integrators
