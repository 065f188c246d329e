// Copies between the host and the memory that a finder works in.
#pragma once

#include <cstddef>

#include "sim/core/particles_view.hpp"

namespace aureole::halo {

/// Between the host and the memory that `exec` runs in, in either direction; waits for what runs there first.
void copy_bytes(Exec exec, void* to, const void* from, std::size_t bytes);

/// One value of the memory that `exec` runs in.
template <class T>
T fetched(Exec exec, const T* from)
{
    T value;
    copy_bytes(exec, &value, from, sizeof value);
    return value;
}

/// The id of a particle, its index where ids are absent; for messages.
inline std::uint64_t fetched_id(Exec exec, const ConstParticlesView& particles, Index i)
{
    return particles.id ? fetched(exec, particles.id + i) : i;
}

}  // namespace aureole::halo
