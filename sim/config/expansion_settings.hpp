// From the keys gravity.scf, initial_conditions.K.scf and gravity.components to the settings of solvers with
// expansions.
#pragma once

#include "gravity/components/components_config.hpp"
#include "sim/config/config.hpp"

namespace aureole::run {

/// Whether the solver of the configuration expands component k.
bool is_expanded(const Config& config, std::size_t component);

/// The keys of component k: its own where it has them, else those of gravity.scf. A component that chooses a
/// mode of its own does not inherit what contradicts it (a file, an interval of recentring, smoothing).
ExpansionConfig expansion_of(const Config& config, std::size_t component);

/// Throws ConfigError naming file and key when keys contradict the mode, or several components would all get
/// the field of one file; and when gravity.components does not fit the initial conditions. Nothing to say
/// unless the solver is scf or components.
void expect_expansions_possible(const Config& config);

/// Settings of every component of an internal configuration, whose files of coefficients are loaded.
gravity::scf::Config expansion_settings(const Config& internal);

/// Settings of the solver by component, with the numbers of particles where the configuration tells them.
gravity::components::Config component_solvers(const Config& internal);

/// The components that the solver by component expands; nothing for other solvers.
std::optional<std::vector<int>> logged_expansions(const Config& config);

/// What of the solver by component is possible, and likely to be a mistake: warnings before a run.
std::vector<std::string> doubtful_expansions(const Config& config);

double smallest_scale_radius(const Config& config);

}  // namespace aureole::run
