// The particles of a disk with its frame, in space and on the sky, and the shape of a line of sight, as loops
// on both backends take them.
#pragma once

#include "sim/core/vec3.hpp"

namespace aureole::run {

/// Pointers to the particles of a disk, in the memory of one backend.
struct DiskView {
    Index n;
    const double* mass;
    const Vec3 *position, *velocity;
    const double* radius = nullptr;  ///< of a disk in its frame: R = sqrt(x^2 + y^2), rising
};

/// A right-handed frame. `axis` is the direction of the angular momentum; `x_axis` is the x axis of the file
/// (its z axis, where `axis` is within 25 degrees of that) less its part along `axis`.
struct DiskFrame {
    Vec3 centre, velocity;
    Vec3 x_axis{1, 0, 0}, y_axis{0, 1, 0}, axis{0, 0, 1};
    double half_mass_radius = 0;  ///< of spheres about the centre
    double scale_radius = 0;      ///< R_d that the axis was measured with
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
