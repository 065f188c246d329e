// The space particles live in: open, or a periodic cube [0, side)^3.
#pragma once

#include <cmath>

#include "sim/core/vec3.hpp"

namespace aureole {

struct Box {
    double side = 0;  ///< length of an edge; 0 means open space

    AUREOLE_HD constexpr bool periodic() const { return side > 0; }

    /// `x` moved into [0, side); unchanged in open space. Never returns `side` itself.
    AUREOLE_HD double wrap(double x) const
    {
        if (!periodic() || (x >= 0 && x < side)) return x;
        const double wrapped =
            std::fma(-side, std::floor(x / side), x);  // explicit: the same on every backend
        return wrapped < side && wrapped >= 0 ? wrapped : 0.0;
    }
    AUREOLE_HD Vec3 wrap(Vec3 x) const { return {wrap(x.x), wrap(x.y), wrap(x.z)}; }

    /// The separation of the nearest images, for a difference of any two coordinates.
    AUREOLE_HD double nearest(double dx) const
    {
        if (!periodic() || (2 * dx <= side && 2 * dx >= -side)) return dx;
        return std::fma(-side, std::rint(dx / side), dx);
    }
    AUREOLE_HD Vec3 nearest(Vec3 d) const { return {nearest(d.x), nearest(d.y), nearest(d.z)}; }
};

}  // namespace aureole
