// The integrators by name.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "integrators/integrator.hpp"
#include "sim/core/registry.hpp"

namespace aureole::integrators {

/// `make` gets the settings of all integrators. Keys of the settings stand below `integrator.NAME.`
using IntegratorPlugin = Plugin<std::function<std::unique_ptr<Integrator>(const PluginConfigs&)>>;

/// All integrators, the built-in ones first. docs/extending.md says how to add one.
Registry<IntegratorPlugin>& integrators();

/// Throws ConfigError for an unknown name, with the known ones.
std::unique_ptr<Integrator> make_integrator(const std::string& name, const PluginConfigs& settings = {});

}  // namespace aureole::integrators
