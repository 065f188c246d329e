#include <cmath>

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/particle_limits.hpp"

namespace aureole {
namespace {

/// On the CPU one body looks at this many neighbours: their tests need no branches.
constexpr Index cpu_run = 64;

/// 1 when a number is beyond the limit, 0 when not; NaN fails every comparison.
AUREOLE_HD std::uint64_t beyond(double x, double limit) { return std::fabs(x) <= limit ? 0 : 1; }

AUREOLE_HD std::uint64_t beyond(const Vec3View& vectors, std::size_t i, double limit)
{
    return beyond(vectors.x[i], limit) | beyond(vectors.y[i], limit) | beyond(vectors.z[i], limit);
}

AUREOLE_HD std::uint64_t beyond(const ParticlesView& p, std::size_t i, const ParticleLimits& limits)
{
    return beyond(p.position, i, limits.position) | beyond(p.velocity, i, limits.velocity) |
           beyond(p.acceleration, i, limits.acceleration);
}

}  // namespace

void find_beyond_limits(Exec exec, const ParticlesView& p, const ParticleLimits& limits, std::uint64_t* first)
{
    if (p.n == 0) return;
    const Index run = exec.backend == Backend::cpu ? cpu_run : 1;
    for_each(exec, (p.n - 1) / run + 1, [=] AUREOLE_HD(Index k) {
        const std::size_t begin = std::size_t{k} * run;
        const std::size_t end = begin + run < p.n ? begin + run : p.n;
        std::uint64_t any = 0;
        for (std::size_t i = begin; i < end; ++i) any |= beyond(p, i, limits);
        if (any == 0) return;
        std::size_t i = begin;
        while (beyond(p, i, limits) == 0) ++i;
        atomic_min(first, i);
    });
}

}  // namespace aureole
