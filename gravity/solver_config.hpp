// The settings of every solver, and the solver that they name. solver_registry.hpp lists the solvers.
#pragma once

#include <memory>
#include <string>

#include "gravity/softening.hpp"
#include "sim/core/plugin_configs.hpp"
#include "sim/core/precision.hpp"

namespace aureole::gravity {

using aureole::Precision;

class Solver;

struct Config {
    std::string solver = "direct";
    Softening softening;
    Precision precision = Precision::mixed;
    PluginConfigs plugins;  ///< each solver's own: tree::Config, scf::Config, ...
};

/// The registered solver of that name. Throws ConfigError for an unknown one, and for a softening length that
/// is negative or not finite.
std::unique_ptr<Solver> make_solver(const Config& config);

}  // namespace aureole::gravity
