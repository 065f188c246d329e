// Kick-drift-kick leapfrog: second order, symplectic, time-reversible, one force evaluation per step
// (Quinn et al. 1997; Springel 2005, sec. 4). In comoving coordinates the same with the factors of the clock;
// equal steps in ln a are then symplectic and reversible.
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
        const StepFactors by = frame().clock.factors(time, dt);
        kick_and_drift(exec, particles, by.first_kick, by.drift, watch(), frame().box);
        time += dt;
        accelerate(solver, exec, particles, {.time = time, .potential = potential, .box = frame().box});
        kick(exec, particles, by.second_kick, watch());
    }

    bool stands_still() const override { return true; }

    /// Particles and time are all that a step starts from.
    std::vector<double> kept_state() const override { return {}; }
    void restore_state(std::span<const double> state) override { expect_no_state(state); }
};

}  // namespace aureole::integrators
