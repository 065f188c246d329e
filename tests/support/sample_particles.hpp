// A small particle set in which every number is different, for tests of what goes through a file.
#pragma once

#include "sim/core/particles.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::test {

/// `n` particles whose types go round 1, 0, 4, 1, ... and whose ids are not in order; components 0 and 1.
inline Particles sample_particles(std::size_t n)
{
    Particles p(Backend::cpu, n);
    constexpr ParticleType types[] = {1, 0, 4};
    for (std::size_t i = 0; i < n; ++i) {
        const double x = static_cast<double>(i);
        p.mass.host()[i] = 1 + x / 7;
        p.position.x.host()[i] = x + 0.1;
        p.position.y.host()[i] = -x - 0.2;
        p.position.z.host()[i] = 1 / (x + 3);
        p.velocity.x.host()[i] = x * x + 0.3;
        p.velocity.y.host()[i] = 0.4 - x;
        p.velocity.z.host()[i] = x / 3;
        p.potential.host()[i] = -1 / (x + 1);
        p.id.host()[i] = 1000000000000 + (i * 7919) % 1000003;
        p.type.host()[i] = types[i % 3];
        p.component.host()[i] = static_cast<Component>(i % 2);
    }
    return p;
}

/// Indices of p sorted by type, input order inside: the sequence in which files hold them.
inline std::vector<Index> type_order(const Particles& p)
{
    std::vector<Index> order;
    for (int type = 0; type < n_particle_types; ++type)
        for (Index i = 0; i < p.size(); ++i)
            if (p.type.host()[i] == type) order.push_back(i);
    return order;
}

/// What a snapshot in galactic units says beside its particles.
inline io::SnapshotContent galactic_content()
{
    io::SnapshotContent content;
    content.header.units = galactic_units;
    return content;
}

}  // namespace aureole::test
