#include "integrators/leapfrog.hpp"

#include "integrators/kick_drift.hpp"

namespace aureole::integrators {

void Leapfrog::step(Exec exec, const ParticlesView& particles, gravity::Solver& solver, double& time,
                    double dt, bool potential)
{
    kick_and_drift(exec, particles, dt / 2, dt, watch());
    time += dt;
    gravity::ForceRequest request;
    request.time = time;
    request.potential = potential;
    solver.accelerate(exec, particles, request);
    kick(exec, particles, dt / 2, watch());
}

}  // namespace aureole::integrators
