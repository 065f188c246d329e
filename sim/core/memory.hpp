// The ledger of Buffer memory: what is held now and the most that was held, per backend.
#pragma once

#include "sim/core/backend.hpp"

namespace aureole::memory {

std::size_t held_bytes(Backend) noexcept;
std::size_t peak_bytes(Backend) noexcept;
void reset_peak(Backend) noexcept;  ///< the peak starts again at what is held now

/// Uninitialised, 64-byte aligned; nullptr for zero bytes. Throws aureole::Error naming size and memory.
void* allocate(Backend, std::size_t count, std::size_t element_bytes);
void release(Backend, void* p, std::size_t bytes) noexcept;

}  // namespace aureole::memory
