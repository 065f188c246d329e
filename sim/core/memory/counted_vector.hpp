// Vectors whose memory the ledger counts, for host lists that grow with the particles and that a Buffer,
// which does not grow, cannot hold.
#pragma once

#include <vector>

#include "sim/core/memory/ledger.hpp"

namespace aureole::memory {

/// Host memory from the ledger. Throws MemoryError where it holds no more.
template <class T>
struct CountedAllocator {
    using value_type = T;

    CountedAllocator() = default;
    template <class U>
    CountedAllocator(const CountedAllocator<U>&) noexcept
    {
    }

    T* allocate(std::size_t n) { return static_cast<T*>(memory::allocate(Backend::cpu, n, sizeof(T))); }
    void deallocate(T* p, std::size_t n) noexcept { release(Backend::cpu, p, n * sizeof(T)); }

    friend bool operator==(CountedAllocator, CountedAllocator) noexcept { return true; }
};

template <class T>
using CountedVector = std::vector<T, CountedAllocator<T>>;

}  // namespace aureole::memory
