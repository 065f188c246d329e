#include "halo/centres/host_copy.hpp"

#include "halo/copy_bytes.hpp"
#include "halo/each_array.hpp"

namespace aureole::halo {

Particles host_particles(const ConstParticlesView& from)
{
    Particles host(Backend::cpu, from.n);
    ConstParticlesView wanted = from;
    wanted.acceleration = {};
    wanted.potential = nullptr;
    wanted.type = nullptr;
    wanted.component = nullptr;
    for_each_array(host.view(), wanted, [&](auto* to, const auto* values) {
        copy_bytes({from.where}, to, values, from.n * sizeof *values);
    });
    return host;
}

Members host_members(Backend where, const MembersView& from)
{
    Members host;
    if (from.n_lists == 0) return host;
    host.particle.resize(from.n_members);
    host.begin.resize(std::size_t{from.n_lists} + 1);
    copy_bytes({where}, host.particle.data(), from.particle, from.n_members * sizeof(Index));
    copy_bytes({where}, host.begin.data(), from.begin, host.begin.size() * sizeof(std::uint64_t));
    return host;
}

}  // namespace aureole::halo
