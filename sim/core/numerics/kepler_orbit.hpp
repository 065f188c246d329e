// The two-body problem: states on a conic (Murray & Dermott 1999, ch. 2). Results are equal bit for bit on
// every machine, because they are built from + - * / and sqrt alone.
#pragma once

#include "sim/core/numerics/portable_math.hpp"
#include "sim/core/vec3.hpp"

namespace aureole {

struct PhaseSpacePoint {
    Vec3 position, velocity;
};

/// A place on a conic section around a focus: where, how shaped, how turned.
struct Conic {
    double total_mass;
    double pericentre;
    double eccentricity;
    double cos_true_anomaly, sin_true_anomaly;
    double inclination, ascending_node, argument_of_pericentre;  ///< degrees
};

/// A root of Kepler's equation and how many of Newton's steps it took.
struct EccentricAnomaly {
    double radians;
    int steps;
};

/// E of E - e sin E = M, 0 <= e < 1, with a residual below 1e-15; M in radians, |M| <= pi.
EccentricAnomaly eccentric_anomaly(double mean_anomaly, double eccentricity);

/// Of 0 <= e < 1 over the whole orbit; the mean anomaly in turns, any number of them.
portable::SinCos true_anomaly(double mean_anomaly_turns, double eccentricity);

portable::SinCos sin_cos_of_degrees(double degrees);

/// Position and velocity of the second body relative to the first.
PhaseSpacePoint relative_motion(const Conic& conic);

}  // namespace aureole
