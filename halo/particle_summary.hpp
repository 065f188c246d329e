// One pass over the particles before a search builds anything: whether they are finite, their extent, and how
// many link.
#pragma once

#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

/// Whether particles of `type` link; bit t of the mask stands for type t.
AUREOLE_HD inline bool type_links(std::uint8_t linking_types, ParticleType type)
{
    return type < 8 && (linking_types >> type & 1) != 0;
}

/// In the memory of the backend.
struct ParticleSummary {
    std::uint64_t low[3], high[3];         ///< ordered_bits of the extent of wrapped positions
    std::uint64_t slowest[3], fastest[3];  ///< the same of the velocities, in phase space only
    Index first_bad;           ///< smallest index of a particle whose position is not finite, or none
    Index first_bad_velocity;  ///< the same for velocities
    std::uint64_t largest_id;
    Index n_linking;

    static constexpr Index none = 0xffffffffu;
    static ParticleSummary empty();

    Vec3 lowest() const;  ///< of a finished summary, in host memory
    Vec3 highest() const;
    Vec3 lowest_velocity() const;
    Vec3 highest_velocity() const;
};

/// Adds the positions and ids of all particles to `summary`, which starts empty.
void summarize_particles(Exec exec, const ConstParticlesView& particles, const Box& box,
                         std::uint8_t linking_types, ParticleSummary* summary);

/// Adds their velocities.
void summarize_velocities(Exec exec, const ConstParticlesView& particles, ParticleSummary* summary);

}  // namespace aureole::halo
