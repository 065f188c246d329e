// Copies between the host and the memory that a finder works in.
#pragma once

#include <cstddef>

#include "sim/core/particles_view.hpp"

namespace aureole::halo {

/// Between the host and the memory that `exec` runs in, in either direction; waits for what runs there first.
void copy_bytes(Exec exec, void* to, const void* from, std::size_t bytes);

/// To the memory that `exec` runs in, after what runs in the stream of `exec`, with nothing waited for that
/// need not be: from there, or from pageable memory of the host (not pinned), whose values are taken before
/// this returns. A GPU goes on with what comes next in the stream.
void copy_in_order(Exec exec, void* to, const void* from, std::size_t bytes);

/// To the host's pageable memory, after what runs in the stream of `exec` and in no other. The values are
/// there when this returns.
void fetch_in_order(Exec exec, void* to, const void* from, std::size_t bytes);

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

/// Calls copy(array of `to`, array of `from`) for each array that `from` has, vectors component by component.
template <class Copy>
void for_each_array(const ParticlesView& to, const ConstParticlesView& from, Copy copy)
{
    const auto one = [&copy](auto* into, const auto* values) {
        if (values) copy(into, values);
    };
    const auto vectors = [&one](const Vec3View& into, const ConstVec3View& values) {
        one(into.x, values.x);
        one(into.y, values.y);
        one(into.z, values.z);
    };
    one(to.mass, from.mass);
    vectors(to.position, from.position);
    vectors(to.velocity, from.velocity);
    vectors(to.acceleration, from.acceleration);
    one(to.potential, from.potential);
    one(to.id, from.id);
    one(to.type, from.type);
    one(to.component, from.component);
}

}  // namespace aureole::halo
