// Kick-drift-kick leapfrog: second order, symplectic, time-reversible, one force evaluation per step
// (Quinn et al. 1997; Springel 2005, sec. 4).
#pragma once

#include "gravity/solver.hpp"
#include "integrators/integrator.hpp"
#include "integrators/passes.hpp"

namespace aureole::integrators {

class Leapfrog final : public Integrator {
public:
    void step(Exec exec, const ParticlesView& particles, gravity::Solver& solver, double& time, double dt,
              bool potential) override
    {
        kick_and_drift(exec, particles, dt / 2, dt, watch());
        time += dt;
        accelerate(solver, exec, particles, {.time = time, .potential = potential});
        kick(exec, particles, dt / 2, watch());
    }

    bool stands_still() const override { return true; }

    /// Particles and time are all that a step starts from.
    std::vector<double> kept_state() const override { return {}; }
    void restore_state(std::span<const double> state) override { expect_no_state(state); }
};

}  // namespace aureole::integrators
