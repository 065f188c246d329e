#include "density/deposit/velocity_moments.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"

namespace aureole::density {

double speed_unit(const ConstParticlesView& p)
{
    if (p.n > 0 && p.velocity.absent())
        throw Error("density: velocities are asked for, but the particles have none");
    double fastest = 0;
    Index wrong = p.n;
#pragma omp parallel for reduction(max : fastest) reduction(min : wrong) if (p.n > parallel_threshold)
    for (Index i = 0; i < p.n; ++i) {
        const Vec3 v = p.velocity.load(i);
        const double speed = std::sqrt(dot(v, v));
        if (!std::isfinite(speed)) wrong = std::min(wrong, i);
        fastest = std::max(fastest, speed);
    }
    if (wrong < p.n) {
        const Vec3 v = p.velocity.load(wrong);
        throw Error(
            fmt::format("density: particle {} (id {}) has the velocity ({}, {}, {}), expected finite numbers",
                        wrong, p.id_of(wrong), v.x, v.y, v.z));
    }
    return fastest > 0 ? std::ldexp(1.0, std::ilogb(fastest) + 1) : 1;
}

}  // namespace aureole::density
