// Properties of lists on any backend, from particles and lists of the host.
#pragma once

#include "halo/device_members.hpp"
#include "halo/properties/device_properties.hpp"
#include "halo/properties/properties.hpp"

namespace aureole::test {

inline std::vector<halo::HaloProperties> properties_on(Exec exec, const halo::PropertyInput& input,
                                                       const halo::Members& members)
{
    if (exec.backend == Backend::cpu) return halo::halo_properties(input, members);
    Particles particles = input.particles.copy_to(exec.backend);
    const halo::DeviceMembers lists(exec.backend, members);
    std::vector<double> of_members;
    if (!input.potential.empty())
        for (const Index i : members.particle) of_members.push_back(input.potential[i]);
    const Buffer<double> potential(exec.backend, std::span<const double>(of_members));
    return halo::DeviceProperties().compute(exec, {particles.view(), lists.view(), input.box, input.centre,
                                                   potential.data(), input.gravitational_constant});
}

}  // namespace aureole::test
