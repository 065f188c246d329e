// The field of no source.
#pragma once

#include "gravity/force_request.hpp"

namespace aureole::gravity {

/// Accelerations, and potentials where they are asked for, of the targets become zero. One pass, no host
/// reads.
void set_to_zero(Exec exec, const Selection& targets, const ForceOutputs& outputs);

}  // namespace aureole::gravity
