// The settings of every solver, and the solver that they name. solver_registry.hpp lists the solvers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "gravity/softening.hpp"
#include "sim/core/backend.hpp"
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

/// The name that a configuration gives for it.
inline constexpr char automatic_solver[] = "auto";

/// The largest number of particles for which the direct sum is taken.
std::size_t direct_up_to(Backend where, Precision precision);

/// `direct` or `tree`, whichever was measured to be the faster one for `n` particles: a table and no
/// measurement of its own, so that equal input gives equal bits. Other names are returned as they are.
std::string settled_solver(const std::string& name, Backend where, Precision precision, std::size_t n);

}  // namespace aureole::gravity
