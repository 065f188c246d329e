// What the solver by component is told: which solver each component has, and how components of different
// solvers feel each other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/core/settings.hpp"

namespace aureole::gravity::components {

/// How a component of particles (solver direct or tree) and components with expansions feel each other.
/// expansion: both ways by the expansion's kernel. particles: both ways as particles, by the solver of the
/// former. mixed: it feels the expansion, and is felt as particles: two kernels, whose energy drifts; for
/// comparisons.
enum class Cross { expansion, particles, mixed };

/// Below `gravity.components.`
struct Config {
    std::vector<std::string> solvers;  ///< direct, tree or scf of each component, by its number
    std::vector<std::string> cross;    ///< names of Cross, as many; none: expansion for all

    /// How many particles each component has, for the memory forecast; no key. Empty: not known.
    std::vector<std::size_t> particles{};

    bool is_expanded(std::size_t component) const
    {
        return component < solvers.size() && solvers[component] == "scf";
    }
    Cross cross_of(std::size_t component) const;
    bool operator==(const Config&) const = default;
};

/// The keys `solvers` and `cross`, for the registration.
PluginSettings settings();

/// Throws ConfigError naming the key: no solvers, lists of different lengths, `cross` of an expansion.
void expect_valid(const Config& config);

}  // namespace aureole::gravity::components
