// Files of coefficients that a run takes its fields from.
#pragma once

#include "sim/config/config.hpp"

namespace aureole::run {

/// Reads the file of every component that names one (its own, or that of gravity.scf) into
/// ComponentConfig::coefficients, in internal units. Files that carry no units are taken as G = 1 numbers, or
/// of the G they say. Nothing to do unless the solver is scf. Throws IoError or ConfigError naming the file.
void load_coefficients(Config& internal, const RunUnits& units);

}  // namespace aureole::run
