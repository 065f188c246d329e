#include "gravity/components/components_config.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sim/core/error.hpp"

namespace aureole::gravity::components {
namespace {

constexpr std::array solver_names{"direct", "tree", "scf"};
constexpr std::array cross_names{"expansion", "particles", "mixed"};

template <class Names>
Rule<std::vector<std::string>> list_of(const Names& names)
{
    return {[&names](const std::vector<std::string>& list) {
                return std::ranges::all_of(list, [&](const std::string& name) {
                    return std::ranges::find(names, name) != names.end();
                });
            },
            fmt::format("a list with one of {} for each component", fmt::join(names, ", "))};
}

}  // namespace

Cross Config::cross_of(std::size_t component) const
{
    if (component >= cross.size()) return Cross::expansion;
    const auto at = std::ranges::find(cross_names, cross[component]);
    AUREOLE_EXPECT(at != cross_names.end(), "gravity.components.cross holds '{}'", cross[component]);
    return static_cast<Cross>(at - cross_names.begin());
}

PluginSettings settings()
{
    return plugin_settings<Config>({
        setting(
            "solvers", Quantity::number, &Config::solvers,
            "direct, tree or scf for each component of the initial conditions, as [scf, tree]; settings are "
            "those of gravity.tree and gravity.scf, and of the component's scf",
            list_of(solver_names)),
        setting(
            "cross", Quantity::number, &Config::cross,
            "how each component of solver direct or tree and those of solver scf feel each other: expansion "
            "(both ways by the expansion; the default), particles (both ways by its own solver), mixed (it "
            "feels the expansion and is felt as particles: the energy drifts; for comparisons)",
            list_of(cross_names)),
    });
}

void expect_valid(const Config& config)
{
    const std::size_t n = config.solvers.size();
    if (n == 0)
        throw ConfigError(
            fmt::format("gravity.components.solvers is empty; expected one of {} for each component",
                        fmt::join(solver_names, ", ")));
    for (const std::string& name : config.solvers)
        if (std::ranges::find(solver_names, name) == solver_names.end())
            throw ConfigError(fmt::format("gravity.components.solvers holds '{}', expected one of {}", name,
                                          fmt::join(solver_names, ", ")));
    if (config.cross.empty()) return;
    if (config.cross.size() != n)
        throw ConfigError(
            fmt::format("gravity.components.cross has {} entries, and gravity.components.solvers has {}; "
                        "expected as many",
                        config.cross.size(), n));
    for (std::size_t k = 0; k < n; ++k) {
        if (std::ranges::find(cross_names, config.cross[k]) == cross_names.end())
            throw ConfigError(fmt::format("gravity.components.cross holds '{}', expected one of {}",
                                          config.cross[k], fmt::join(cross_names, ", ")));
        if (config.is_expanded(k) && config.cross_of(k) != Cross::expansion)
            throw ConfigError(
                fmt::format("gravity.components.cross is {} for component {}, whose solver is scf; choose it "
                            "for components of the solvers direct and tree",
                            config.cross[k], k));
    }
}

}  // namespace aureole::gravity::components
