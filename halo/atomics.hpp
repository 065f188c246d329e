// Integer atomics for loop bodies that run on both backends. Relaxed: they order nothing but themselves; the
// end of the loop or kernel publishes the result. Integers only, so results do not depend on the order.
#pragma once

#include <cstdint>
#if !defined(__CUDA_ARCH__)
#include <atomic>
#endif

#include "sim/core/backend.hpp"

namespace aureole::halo {

/// Returns the value before.
AUREOLE_HD inline Index atomic_add(Index* target, Index value)
{
#if defined(__CUDA_ARCH__)
    return atomicAdd(target, value);
#else
    return std::atomic_ref<Index>(*target).fetch_add(value, std::memory_order_relaxed);
#endif
}

namespace detail {
/// Replaces the target by `value` as long as `better(value, target)`. Host only.
template <class T, class Better>
void atomic_replace(T* target, T value, Better better)
{
#if !defined(__CUDA_ARCH__)
    std::atomic_ref<T> shared(*target);
    T old = shared.load(std::memory_order_relaxed);
    while (better(value, old) && !shared.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
    }
#endif
}
}  // namespace detail

AUREOLE_HD inline void atomic_min(Index* target, Index value)
{
#if defined(__CUDA_ARCH__)
    atomicMin(target, value);
#else
    detail::atomic_replace(target, value, [](Index a, Index b) { return a < b; });
#endif
}

AUREOLE_HD inline void atomic_min(std::uint64_t* target, std::uint64_t value)
{
#if defined(__CUDA_ARCH__)
    atomicMin(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(value));
#else
    detail::atomic_replace(target, value, [](std::uint64_t a, std::uint64_t b) { return a < b; });
#endif
}

AUREOLE_HD inline void atomic_max(std::uint64_t* target, std::uint64_t value)
{
#if defined(__CUDA_ARCH__)
    atomicMax(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(value));
#else
    detail::atomic_replace(target, value, [](std::uint64_t a, std::uint64_t b) { return a > b; });
#endif
}

}  // namespace aureole::halo
