// The field of one body in a frame that may be accelerated. O(N), bound by memory.
#pragma once

#include "gravity/force_request.hpp"
#include "gravity/pair.hpp"

namespace aureole::gravity {

struct PointMass {
    double mass;
    double softening2;  ///< eps^2 of the Plummer kernel
    Vec3 position;
    Vec3 frame_acceleration;  ///< of the coordinates in inertial space

    /// Zero from the body itself at its own position, whatever the softening.
    AUREOLE_HD Vec3 acceleration(Vec3 x) const
    {
        const Vec3 d = position - x;
        const double r2 = dot(d, d);
        const double strength = r2 > 0 ? mass * plummer_pair(r2, softening2).force : 0.0;
        return strength * d - frame_acceleration;
    }
};

/// a += the body's field, of the targets, which are clipped (72 B a particle).
void add_acceleration(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                      const PointMass& body, const Vec3View& acceleration);

/// partial[0] = sum m v.a of the body's field (56 B a particle); see SumScratch. Needs particles.n > 0.
void power(Exec exec, const ConstParticlesView& particles, const PointMass& body, double* partial);

}  // namespace aureole::gravity
