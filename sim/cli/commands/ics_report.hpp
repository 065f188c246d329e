// What `aureole ics` says of the components that know more of themselves than their particles tell.
#pragma once

#include "ics/make_initial_conditions.hpp"
#include "sim/config/quantity.hpp"

namespace aureole::cli {

/// Prints the reports of all components of checked conditions in internal units, in the user's. Takes as long
/// as making them.
void print_reports(const ics::Config& conditions, const run::RunUnits& units);

}  // namespace aureole::cli
