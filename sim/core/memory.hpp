// The ledger of Buffer memory: what is held now, the most that was held and what may still be taken, per
// backend.
//
// The environment variables AUREOLE_CPU_MEMORY_MB and AUREOLE_CUDA_MEMORY_MB (1 MB = 10^6 bytes) lower what
// the Buffers of this process may hold together: for machines that are shared, and for tests of what happens
// when memory ends.
#pragma once

#include <string>

#include "sim/core/backend.hpp"

namespace aureole::memory {

std::size_t held_bytes(Backend) noexcept;
std::size_t peak_bytes(Backend) noexcept;
void reset_peak(Backend) noexcept;  ///< the peak starts again at what is held now

/// What Buffers may still take: what the selected device has free, on the CPU the machine's memory less what
/// is held; no more than the limit of the environment leaves. Throws ConfigError when that is no number.
std::size_t available_bytes(Backend);

/// "900.0 MB available", with the variable's name where it sets the limit: for messages.
std::string available_text(Backend);

/// Uninitialised, 64-byte aligned; nullptr for zero bytes. Throws MemoryError naming what is wanted, held and
/// available.
void* allocate(Backend, std::size_t count, std::size_t element_bytes);
void release(Backend, void* p, std::size_t bytes) noexcept;

}  // namespace aureole::memory
