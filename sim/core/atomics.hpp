// Integer atomics for loop bodies that run on both backends. Unless a comment says otherwise they are
// relaxed: they order nothing but themselves, and the end of the loop or kernel publishes the result. They
// take integers only, so that results do not depend on the order.
#pragma once

#include <cstdint>
#if !defined(__CUDA_ARCH__)
#include <atomic>
#endif

#include "sim/core/backend.hpp"

namespace aureole {

/// Returns the value before.
AUREOLE_HD inline Index atomic_add(Index* target, Index value)
{
#if defined(__CUDA_ARCH__)
    return atomicAdd(target, value);
#else
    return std::atomic_ref<Index>(*target).fetch_add(value, std::memory_order_relaxed);
#endif
}

/// The same for 64 bits.
AUREOLE_HD inline std::uint64_t atomic_add(std::uint64_t* target, std::uint64_t value)
{
#if defined(__CUDA_ARCH__)
    return atomicAdd(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(value));
#else
    return std::atomic_ref<std::uint64_t>(*target).fetch_add(value, std::memory_order_relaxed);
#endif
}
AUREOLE_HD inline std::int64_t atomic_add(std::int64_t* target, std::int64_t value)
{
#if defined(__CUDA_ARCH__)
    return static_cast<std::int64_t>(
        atomicAdd(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(value)));
#else
    return std::atomic_ref<std::int64_t>(*target).fetch_add(value, std::memory_order_relaxed);
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

/// The same where most values are larger than what is there: looks first.
AUREOLE_HD inline void atomic_min_of_few(std::uint64_t* target, std::uint64_t value)
{
#if defined(__CUDA_ARCH__)
    if (value >= *static_cast<volatile const std::uint64_t*>(target)) return;
#endif
    atomic_min(target, value);
}

AUREOLE_HD inline void atomic_max(std::uint64_t* target, std::uint64_t value)
{
#if defined(__CUDA_ARCH__)
    atomicMax(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(value));
#else
    detail::atomic_replace(target, value, [](std::uint64_t a, std::uint64_t b) { return a > b; });
#endif
}

AUREOLE_HD inline void atomic_or(std::uint64_t* target, std::uint64_t bits)
{
#if defined(__CUDA_ARCH__)
    atomicOr(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(bits));
#else
    std::atomic_ref<std::uint64_t>(*target).fetch_or(bits, std::memory_order_relaxed);
#endif
}

/// The same for one address that very many threads share. On the GPU all 32 lanes of a warp must call, and
/// one of them touches the memory.
AUREOLE_HD inline void atomic_min_of_warp(std::uint64_t* target, std::uint64_t value)
{
#if defined(__CUDA_ARCH__)
    for (int step = 16; step > 0; step /= 2) {
        const std::uint64_t other = __shfl_xor_sync(~0u, value, step);
        value = other < value ? other : value;
    }
    if (threadIdx.x % 32 == 0) atomic_min(target, value);
#else
    atomic_min(target, value);
#endif
}

AUREOLE_HD inline void atomic_max_of_warp(std::uint64_t* target, std::uint64_t value)
{
#if defined(__CUDA_ARCH__)
    for (int step = 16; step > 0; step /= 2) {
        const std::uint64_t other = __shfl_xor_sync(~0u, value, step);
        value = other > value ? other : value;
    }
    if (threadIdx.x % 32 == 0) atomic_max(target, value);
#else
    atomic_max(target, value);
#endif
}

AUREOLE_HD inline void atomic_add_of_warp(Index* target, Index value)
{
#if defined(__CUDA_ARCH__)
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
    if (threadIdx.x % 32 == 0) atomic_add(target, value);
#else
    atomic_add(target, value);
#endif
}

/// Returns the value before. A thread that finds `value` here sees what this thread wrote earlier: the two
/// children of a tree's node meet this way.
AUREOLE_HD inline Index atomic_exchange_published(Index* target, Index value)
{
#if defined(__CUDA_ARCH__)
    __threadfence();
    const Index before = atomicExch(target, value);
    __threadfence();
    return before;
#else
    return std::atomic_ref<Index>(*target).exchange(value, std::memory_order_acq_rel);
#endif
}

}  // namespace aureole
