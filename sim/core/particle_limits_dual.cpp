#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/particle_limits.hpp"

namespace aureole {
namespace {

AUREOLE_HD bool beyond(const ParticlesView& p, Index i, const ParticleLimits& limits)
{
    return beyond(p.position.load(i), limits.position) || beyond(p.velocity.load(i), limits.velocity) ||
           beyond(p.acceleration.load(i), limits.acceleration);
}

}  // namespace

void find_beyond_limits(Exec exec, const ParticlesView& p, const ParticleLimits& limits, std::uint64_t* first)
{
    for_each(exec, p.n, [=] AUREOLE_HD(Index i) {
        if (beyond(p, i, limits)) atomic_min(first, std::uint64_t{i});
    });
}

}  // namespace aureole
