#include "sim/io/snapshots/snapshot.hpp"

#include "sim/core/error.hpp"

namespace aureole::io {

std::array<std::uint64_t, n_particle_types> count_by_type(const Particles& host)
{
    std::array<std::uint64_t, n_particle_types> counts{};
    for (ParticleType type : host.type.host()) {
        AUREOLE_EXPECT(type < n_particle_types, "particle type {}, expected 0 to {}", type,
                       n_particle_types - 1);
        ++counts[type];
    }
    return counts;
}

}  // namespace aureole::io
