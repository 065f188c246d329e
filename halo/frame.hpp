// Where points are compared in float: relative to the middle of them all.
#pragma once

#include "sim/core/vec3.hpp"

namespace aureole::halo {

/// Coordinates relative to the middle, in units that make the half extent at most 1: float keeps 2^-25 there.
struct Frame {
    Vec3 centre;
    double scale;               ///< a power of two, so that scaling is exact
    Vec3 mean_velocity{};       ///< middle of the velocities
    double velocity_scale = 0;  ///< scale * l / psi

    AUREOLE_HD Vec3f to_frame(Vec3 x) const
    {
        const Vec3 d = scale * (x - centre);
        return {static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z)};
    }
    AUREOLE_HD Vec3f velocity_to_frame(Vec3 v) const
    {
        const Vec3 d = velocity_scale * (v - mean_velocity);
        return {static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z)};
    }
};

}  // namespace aureole::halo
