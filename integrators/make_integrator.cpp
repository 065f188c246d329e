#include "integrators/make_integrator.hpp"

#include "integrators/leapfrog.hpp"

namespace aureole::integrators {

Registry<IntegratorPlugin>& integrators()
{
    static Registry<IntegratorPlugin> registry(
        "integrator", {{"leapfrog", "kick-drift-kick leapfrog, second order, symplectic",
                        [](const PluginConfigs&) { return std::make_unique<Leapfrog>(); }}});
    return registry;
}

std::unique_ptr<Integrator> make_integrator(const std::string& name, const PluginConfigs& settings)
{
    return integrators().at(name).make(settings);
}

}  // namespace aureole::integrators
