// A potential at its place and time, one body in a frame that may be accelerated, and the passes over the
// particles. O(N), bound by memory. Plain data: the kernels take it as it is.
#pragma once

#include "gravity/external/potentials.hpp"
#include "gravity/force_request.hpp"
#include "gravity/pair.hpp"

namespace aureole::gravity {

/// Where a field is at one time: its centre, the direction of its x axis in the xy plane, what its potential
/// is multiplied by, and how fast these change.
struct FieldState {
    Vec3 centre{};
    double cosine = 1, sine = 0;
    double amplitude = 1;

    Vec3 velocity{};
    double pattern_speed = 0;   ///< radians per time
    double amplitude_rate = 0;  ///< per time

    bool changes() const
    {
        return velocity.x != 0 || velocity.y != 0 || velocity.z != 0 || pattern_speed != 0 ||
               amplitude_rate != 0;
    }
};

template <class P>
struct PlacedField {
    P potential;
    FieldState at;

    /// Potential with the amplitude 1 and its gradient, both in the coordinates of the particles.
    AUREOLE_HD Gradient unit_gradient(Vec3 x) const
    {
        const Vec3 d = x - at.centre;
        const Gradient g =
            gradient_of(potential, {at.cosine * d.x + at.sine * d.y, at.cosine * d.y - at.sine * d.x, d.z});
        return {g.value,
                {at.cosine * g.slope.x - at.sine * g.slope.y, at.sine * g.slope.x + at.cosine * g.slope.y,
                 g.slope.z}};
    }
    AUREOLE_HD Vec3 acceleration(Vec3 x) const { return -at.amplitude * unit_gradient(x).slope; }
    AUREOLE_HD double value(Vec3 x) const { return at.amplitude * unit_gradient(x).value; }

    /// The change of the potential with time at a fixed place.
    AUREOLE_HD double rate(Vec3 x) const
    {
        const Gradient g = unit_gradient(x);
        const Vec3 d = x - at.centre;
        const double turning = at.pattern_speed * (d.x * g.slope.y - d.y * g.slope.x);
        return at.amplitude_rate * g.value - at.amplitude * (dot(at.velocity, g.slope) + turning);
    }
};

/// acceleration += the field's (72 B a particle) of the targets, which are clipped.
void add_acceleration(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                      const FieldPotential& potential, const FieldState& at, const Vec3View& acceleration);

/// values[i] += the field's potential per unit mass (40 B a particle) of the targets, which are clipped.
void add_potential(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                   const FieldPotential& potential, const FieldState& at, double* values);

/// Partial sums of the sums below: enough threads to fill a GPU. They need memory for this many numbers, or
/// for one a particle where there are fewer particles.
inline constexpr Index n_sum_partials = 65536;

/// partial[0] = sum m Phi over all particles (32 B each). Needs particles.n > 0.
void sum_energy(Exec exec, const ConstParticlesView& particles, const FieldPotential& potential,
                const FieldState& at, double* partial);

/// partial[0] = sum m dPhi/dt, as sum_energy().
void sum_energy_rate(Exec exec, const ConstParticlesView& particles, const FieldPotential& potential,
                     const FieldState& at, double* partial);

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
