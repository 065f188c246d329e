// Particles whose numbers are not finite, or too large to compute with. Cost O(N): 72 bytes are read per
// particle.
#pragma once

#include <cmath>

#include "sim/core/particles_view.hpp"

namespace aureole {

/// Largest absolute values of the components of three vectors.
struct ParticleLimits {
    double position = 0, velocity = 0, acceleration = 0;
};

/// For loops that read all particles anyway: where they report those beyond the limits.
struct LimitWatch {
    ParticleLimits limits;
    std::uint64_t* first = nullptr;  ///< as in find_beyond_limits(); null: nothing is reported
};

/// Whether a component is beyond the limit; NaN is.
AUREOLE_HD inline bool beyond(Vec3 v, double limit)
{
    return !(std::fabs(v.x) <= limit && std::fabs(v.y) <= limit && std::fabs(v.z) <= limit);
}

/// Lowers *first to the index of the first particle with a component beyond its limit, if *first is larger.
/// NaN is beyond every limit, infinity is beyond every finite one. *first lies in the memory of the backend.
/// The call returns before the result is there.
void find_beyond_limits(Exec exec, const ParticlesView& particles, const ParticleLimits& limits,
                        std::uint64_t* first);

}  // namespace aureole
