#include "gravity/solver.hpp"

#include "sim/core/error.hpp"

namespace aureole::gravity {

void Solver::restore_state(Exec, const ParticlesView&, std::span<const double> state)
{
    if (!state.empty())
        throw IoError(
            fmt::format("a state of {} numbers is given to a solver that keeps none", state.size()));
}

}  // namespace aureole::gravity
