// The particles of a disk, in space and on the sky, and the shape of a line of sight, as loops on both
// backends take them.
#pragma once

#include "sim/core/vec3.hpp"

namespace aureole::run {

/// Pointers to the particles of a disk, in the memory of one backend.
struct DiskView {
    Index n;
    const double* mass;
    const Vec3 *position, *velocity;
};

/// Pointers to particles on the sky, in the memory of one backend.
struct SkyPoints {
    Index n;
    const double *mass, *x, *y;
    const double* velocity;  ///< along the line of sight, away from the observer positive
};

/// V, sigma, h3 and h4 of L(v) = g exp(-y^2 / 2) / (sigma sqrt(2 pi)) [1 + h3 (2 y^3 - 3 y) / sqrt 3 + h4 (4
/// y^4 - 12 y^2 + 3) / sqrt 24], y = (v - V) / sigma, by the projections of van der Marel & Franx (1993) with
/// V and sigma such that h1 = h2 = 0. NaN where these do not converge.
struct LineOfSight {
    double velocity, dispersion, h3, h4;
};

}  // namespace aureole::run
