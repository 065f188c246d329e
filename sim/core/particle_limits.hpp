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

/// What `first` of find_beyond_limits() holds before anything is found.
inline constexpr std::uint64_t nothing_beyond = ~std::uint64_t{0};

/// For loops that read all particles anyway: where they report those beyond the limits.
struct LimitWatch {
    ParticleLimits limits;
    std::uint64_t* first = nullptr;  ///< as in find_beyond_limits(); null: nothing is reported
    /// Of the step before, or null. Where something was reported to it, loops leave the particles as they
    /// are.
    const std::uint64_t* before = nullptr;
    std::uint64_t* told = nullptr;  ///< pinned host memory that becomes 1 where `first` does change; or null

    AUREOLE_HD bool stands_still() const { return before && *before != nothing_beyond; }
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
