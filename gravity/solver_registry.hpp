// The solvers by name.
#pragma once

#include <functional>
#include <memory>

#include "gravity/solver_config.hpp"
#include "sim/core/registry.hpp"

namespace aureole::gravity {

/// `make` gets a configuration whose softening lengths are finite and not negative. Keys of the settings
/// stand below `gravity.NAME.`
using SolverPlugin = Plugin<std::function<std::unique_ptr<Solver>(const Config&)>>;

/// All solvers, the built-in ones first. docs/extending.md says how to add one.
Registry<SolverPlugin>& solvers();

}  // namespace aureole::gravity
