// Whether initial conditions can be made as asked.
#pragma once

#include "ics/make_initial_conditions.hpp"

namespace aureole::ics {

/// Throws ConfigError naming component and key of the first value that cannot be. Whether spheres have
/// distribution functions is found by make_sphere().
void check_config(const Config& config);

/// The mass that the particles of a component carry together.
double carried_mass(const Component& component);

/// As configuration files spell it.
const char* name_of(Model model);

}  // namespace aureole::ics
