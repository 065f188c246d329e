#include "halo/centres/host_copy.hpp"

#include "halo/copy_bytes.hpp"

namespace aureole::halo {

Particles host_particles(const ParticlesView& from)
{
    Particles host(Backend::cpu, from.n);
    const ParticlesView to = host.view();
    const auto copy = [&](auto* into, const auto* values) {
        copy_bytes({from.where}, into, values, from.n * sizeof *values);
    };
    copy(to.mass, from.mass);
    copy(to.id, from.id);
    for (const auto vector : {&ParticlesView::position, &ParticlesView::velocity})
        for (const auto axis : {&Vec3View::x, &Vec3View::y, &Vec3View::z})
            copy(to.*vector.*axis, from.*vector.*axis);
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
