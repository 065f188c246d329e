#include "halo/needed_arrays.hpp"

#include "halo/copy_bytes.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

void expect_vectors(const ConstVec3View& x, const char* work, const char* name)
{
    AUREOLE_EXPECT(x.x && x.y && x.z, "{} needs {} of the particles, and they are absent", work, name);
}

Vec3Buffer copy_vectors(Backend where, const Vec3Buffer& from)
{
    Vec3Buffer to;
    to.x = from.x.copy_to(where);
    to.y = from.y.copy_to(where);
    to.z = from.z.copy_to(where);
    return to;
}

}  // namespace

void expect_arrays(const ConstParticlesView& particles, Backend where, const char* work, NeededArrays needed)
{
    if (particles.n == 0) return;
    AUREOLE_EXPECT(particles.where == where, "{}: particles are in {} memory, expected them in {} memory",
                   work, name_of(particles.where), name_of(where));
    expect_vectors(particles.position, work, "positions");
    if (needed.velocity) expect_vectors(particles.velocity, work, "velocities");
    AUREOLE_EXPECT(!needed.mass || particles.mass, "{} needs masses of the particles, and they are absent",
                   work);
}

Particles copy_needed(Backend where, const Particles& host, NeededArrays needed)
{
    Particles copy;
    copy.position = copy_vectors(where, host.position);
    copy.id = host.id.copy_to(where);
    copy.type = host.type.copy_to(where);
    if (needed.mass) copy.mass = host.mass.copy_to(where);
    if (needed.velocity) copy.velocity = copy_vectors(where, host.velocity);
    return copy;
}

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
