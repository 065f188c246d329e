#include "density/speed_unit.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"

namespace aureole::density {

double speed_unit(const ParticlesView& p)
{
    double fastest = 0;
    for (Index i = 0; i < p.n; ++i) {
        const Vec3 v = p.velocity.load(i);
        const double speed = std::sqrt(dot(v, v));
        if (!std::isfinite(speed))
            throw Error(
                fmt::format("density: particle {} (id {}) has the velocity ({}, {}, {}), expected finite "
                            "numbers",
                            i, p.id[i], v.x, v.y, v.z));
        fastest = std::max(fastest, speed);
    }
    return fastest > 0 ? std::ldexp(1.0, std::ilogb(fastest) + 1) : 1;
}

}  // namespace aureole::density
