// The ledger of Buffer memory: what is held now, the most that was held and what may still be taken, per
// backend.
//
// The environment variables AUREOLE_CPU_MEMORY_MB and AUREOLE_CUDA_MEMORY_MB (1 MB = 10^6 bytes) lower what
// the Buffers of this process may hold together, on shared machines and in tests of what happens when memory
// runs out.
#pragma once

#include <cstddef>
#include <string>

#include "sim/core/backend.hpp"

namespace aureole {

/// In units of 10^6 bytes, as messages tell them.
constexpr double megabytes(std::size_t bytes) { return 1e-6 * static_cast<double>(bytes); }

}  // namespace aureole

namespace aureole::memory {

std::size_t held_bytes(Backend) noexcept;
std::size_t peak_bytes(Backend) noexcept;
void reset_peak(Backend) noexcept;  ///< the peak starts again at what is held now

struct Available {
    std::size_t bytes;
    std::string limit;  ///< "AUREOLE_CPU_MEMORY_MB = 900" where that is what leaves no more, else empty
    std::string text() const;  ///< "900.0 MB available (AUREOLE_CPU_MEMORY_MB = 900)", for messages
};

/// What Buffers may still take: the free memory of the selected device, or what the host can still give
/// (available_memory.hpp; its whole memory less what is held where that is unknown), and no more than the
/// limit of the environment leaves. Throws ConfigError where that is not a number. Other processes change the
/// result between two calls: to compare with it and report it, call once.
Available available(Backend);

/// Uninitialised, 64-byte aligned; nullptr for zero bytes. Throws MemoryError naming what is needed, held and
/// available.
void* allocate(Backend, std::size_t count, std::size_t element_bytes);
void release(Backend, void* p, std::size_t bytes) noexcept;

}  // namespace aureole::memory
