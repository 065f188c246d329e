// From the keys gravity.scf and initial_conditions.K.scf to the settings of the expansion solver.
#pragma once

#include "sim/config/config.hpp"

namespace aureole::run {

/// The keys of component k: its own where it has them, else those of gravity.scf. A component that chooses a
/// mode of its own does not inherit what contradicts it (a file, an interval of recentring, smoothing).
ExpansionConfig expansion_of(const Config& config, std::size_t component);

/// Throws ConfigError naming file and key when keys contradict the mode, or several components would all get
/// the field of one file. Nothing to say unless the solver is scf.
void expect_expansions_possible(const Config& config);

/// Settings of every component of an internal configuration, whose files of coefficients are loaded.
gravity::scf::Config expansion_settings(const Config& internal);

double smallest_scale_radius(const Config& config);

}  // namespace aureole::run
