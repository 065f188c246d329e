// Loops over all particles that a catalogue needs, on either backend.
#pragma once

#include <cstdint>

#include "sim/core/backend.hpp"

namespace aureole::halo {

/// to[i] = factor * from[i].
void scale(Exec exec, Index n, const double* from, double factor, double* to);

/// flag[i] = 1 where particle i has no label, else 0.
void flag_unlabelled(Exec exec, Index n, const std::int32_t* label, std::uint8_t* flag);

/// to[k] = from[order[k]], of values of 1, 2, 4 or 8 bytes.
void gather(Exec exec, Index n, const Index* order, const void* from, std::size_t bytes_each, void* to);

}  // namespace aureole::halo
