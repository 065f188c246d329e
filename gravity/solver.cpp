#include "gravity/solver.hpp"

#include "sim/core/error.hpp"

namespace aureole::gravity {

void expect_no_state(std::span<const double> state)
{
    if (!state.empty())
        throw IoError(
            fmt::format("a state of {} numbers is given to a solver that keeps none", state.size()));
}

void accelerate(Solver& solver, Exec exec, const ParticlesView& particles, const ForceRequest& request)
{
    const TargetRequest targets{request.targets, particles.acceleration};
    solver.prepare(exec, particles, {request.time, request.sources, request.box}, targets);
    solver.evaluate(exec, particles, targets,
                    {particles.acceleration, request.potential ? particles.potential : nullptr});
}

}  // namespace aureole::gravity
