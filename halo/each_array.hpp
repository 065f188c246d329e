// The arrays of two particle sets side by side, for what is copied from one to the other.
#pragma once

#include "sim/core/particles_view.hpp"

namespace aureole::halo {

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
