// From the name in the configuration to the integrator.
#pragma once

#include <memory>
#include <string>

#include "integrators/integrator.hpp"

namespace aureole::integrators {

/// Throws ConfigError for an unknown name, naming the known ones.
std::unique_ptr<Integrator> make_integrator(const std::string& name);

/// The names that make_integrator() takes, comma separated.
std::string known_integrators();

}  // namespace aureole::integrators
