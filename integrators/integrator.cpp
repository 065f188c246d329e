#include "integrators/integrator.hpp"

#include "integrators/leapfrog.hpp"
#include "sim/core/error.hpp"

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

void expect_no_state(std::span<const double> state)
{
    if (!state.empty())
        throw IoError(
            fmt::format("a state of {} numbers is given to an integrator that keeps none", state.size()));
}

}  // namespace aureole::integrators
