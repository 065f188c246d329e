// What one particle adds to the pattern of a disk: Dehnen, Semczuk & Schoenrich 2023. On either backend.
#pragma once

#include <cmath>
#include <cstddef>

#include "sim/core/vec3.hpp"

namespace aureole::run {

/// The part of a disk in which a pattern is measured: radii r0 < r_max < r1 between which the window falls
/// smoothly from 2 at r_max to 0 at both ends, and the particles of the sorted disk between r0 and r1.
struct PatternRegion {
    double r0 = 0, r_max = 0, r1 = 0;
    std::size_t begin = 0, end = 0;
};

/// What one particle adds: mass W, mass W cos(m phi), mass W sin(m phi), and the exact time derivatives of
/// the latter two along its orbit, with W = 2 (1 - q)^2 (1 + 2 q), q = (R^2 - r_max^2) / (r_e^2 - r_max^2),
/// where r_e is r0 inside r_max and r1 outside. All zero at R = 0 and outside the region.
struct PatternTerms {
    double weight = 0, cosine = 0, sine = 0, cosine_rate = 0, sine_rate = 0;
};

AUREOLE_HD inline PatternTerms pattern_terms(const PatternRegion& region, int m, double mass, Vec3 position,
                                             Vec3 velocity)
{
    const double squared = position.x * position.x + position.y * position.y;
    const double middle = region.r_max * region.r_max;
    const double end = squared < middle ? region.r0 * region.r0 : region.r1 * region.r1;
    const double q = (squared - middle) / (end - middle);
    if (!(squared > 0) || !(q <= 1)) return {};
    const double window = 2 * (1 - q) * (1 - q) * (1 + 2 * q), slope = -12 * q * (1 - q);
    const double q_rate = 2 * (position.x * velocity.x + position.y * velocity.y) / (end - middle);
    const double turning = (position.x * velocity.y - position.y * velocity.x) / squared;
    const double radius = std::sqrt(squared), x = position.x / radius, y = position.y / radius;
    double cosine = x, sine = y;  // of m phi
    for (int k = 1; k < m; ++k) {
        const double next = cosine * x - sine * y;
        sine = cosine * y + sine * x;
        cosine = next;
    }
    const double weight = mass * window, weight_rate = mass * slope * q_rate;
    return {weight, weight * cosine, weight * sine, weight_rate * cosine - m * weight * turning * sine,
            weight_rate * sine + m * weight * turning * cosine};
}

/// The sums of weight, cosine and sine, with amplitude and slopes of the speed: what the errors of amplitude,
/// phase and speed take of the terms of each particle.
struct PatternSlopes {
    double weight, cosine, sine, amplitude, by_cosine, by_sine;
};

}  // namespace aureole::run
