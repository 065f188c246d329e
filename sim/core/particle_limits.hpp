// Particles whose numbers are not finite, or too large to compute with. Cost O(N): 72 bytes read a particle.
#pragma once

#include <cmath>

#include "sim/core/particles_view.hpp"

namespace aureole {

/// Largest absolute values of the components of three vectors.
struct ParticleLimits {
    double position = 0, velocity = 0, acceleration = 0;
};

/// Who wants to know of particles beyond limits while a loop has them in hand anyway.
struct LimitWatch {
    ParticleLimits limits;
    std::uint64_t* first = nullptr;  ///< as find_beyond_limits() has it; null: nobody
};

/// Whether a component is beyond the limit; NaN is.
AUREOLE_HD inline bool beyond(Vec3 v, double limit)
{
    return !(std::fabs(v.x) <= limit && std::fabs(v.y) <= limit && std::fabs(v.z) <= limit);
}

/// Lowers *first to the index of the first particle with a component beyond its limit, where there is one
/// before it; NaN is beyond every limit, infinity beyond every finite one. *first is in the memory of the
/// backend; nothing is waited for.
void find_beyond_limits(Exec exec, const ParticlesView& particles, const ParticleLimits& limits,
                        std::uint64_t* first);

}  // namespace aureole
