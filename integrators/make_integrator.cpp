#include "integrators/make_integrator.hpp"

#include "integrators/leapfrog.hpp"
#include "sim/core/error.hpp"

namespace aureole::integrators {

std::unique_ptr<Integrator> make_integrator(const std::string& name)
{
    if (name == "leapfrog") return std::make_unique<Leapfrog>();
    throw ConfigError(fmt::format("unknown integrator '{}'; known: {}", name, known_integrators()));
}

std::string known_integrators() { return "leapfrog"; }

}  // namespace aureole::integrators
