#include "halo/centres/host_copy.hpp"

#include "halo/copy_bytes.hpp"

namespace aureole::halo {

Particles host_particles(const ConstParticlesView& from)
{
    Particles host(Backend::cpu, from.n);
    const ParticlesView to = host.view();
    const auto copy = [&](auto* into, const auto* values) {
        if (values) copy_bytes({from.where}, into, values, from.n * sizeof *values);
    };
    copy(to.mass, from.mass);
    copy(to.id, from.id);
    const auto copy_vectors = [&](const Vec3View& into, const ConstVec3View& values) {
        copy(into.x, values.x);
        copy(into.y, values.y);
        copy(into.z, values.z);
    };
    copy_vectors(to.position, from.position);
    copy_vectors(to.velocity, from.velocity);
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
