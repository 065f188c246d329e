#include "integrators/leapfrog.hpp"

#include "gravity/solver.hpp"
#include "integrators/kick_drift.hpp"

namespace aureole::integrators {

void Leapfrog::step(Exec exec, const ParticlesView& particles, gravity::Solver& solver, double& time,
                    double dt, bool potential)
{
    kick_and_drift(exec, particles, dt / 2, dt, watch());
    time += dt;
    accelerate(solver, exec, particles, {.time = time, .potential = potential});
    kick(exec, particles, dt / 2, watch());
}

}  // namespace aureole::integrators
