// What `aureole ics` says of the components that know more of themselves than their particles tell.
#pragma once

#include <string>

#include "ics/model.hpp"
#include "sim/config/quantity.hpp"

namespace aureole::cli {

/// Prints the report of the component that messages call `place`, which is in internal units, in the user's.
void print_report(const std::string& place, const ics::Report& report, const run::RunUnits& units);

}  // namespace aureole::cli
