// Passes over arrays of particles that forces by ranks need, on both backends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gravity/force_request.hpp"

namespace aureole::gravity::ranks {

/// Of equal bytes, both where `exec` works; on a GPU `flag` is scratch there.
bool is_equal(Exec exec, const void* a, const void* b, std::size_t bytes, std::uint32_t* flag);

void set_to_zero(Exec exec, double* values, std::size_t n);

/// From the sums of all particles to the outputs of the targets.
void copy_targets(Exec exec, const Selection& targets, const ForceOutputs& from, const ForceOutputs& to);

}  // namespace aureole::gravity::ranks
