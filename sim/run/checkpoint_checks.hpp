// Whether what a checkpoint says can be a run's state. Checksums find damage; this finds files that were made
// to look whole.
#pragma once

#include <string>

#include "sim/run/checkpoint_state.hpp"

namespace aureole::run {

/// Throws IoError naming `name`, what was found and what was expected: for times, units and particles that
/// are not finite, choices that do not exist, particle types beyond 5, coefficients that are not as many as
/// their orders ask for, and logs that are none of a run's.
void expect_usable(const Checkpoint& checkpoint, const std::string& name);

}  // namespace aureole::run
