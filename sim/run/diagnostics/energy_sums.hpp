// The sums over particles that a row of energy.csv is made of.
#pragma once

#include "sim/core/particles_view.hpp"

namespace aureole::run {

/// What some particles contribute. Doubles only.
struct EnergySums {
    double mass = 0, kinetic = 0, potential = 0;
    double virial = 0;  ///< sum m x.a
    Vec3 mass_position, momentum, angular_momentum;

    AUREOLE_HD void add(const EnergySums& other)
    {
        mass += other.mass;
        kinetic += other.kinetic;
        potential += other.potential;
        virial += other.virial;
        mass_position = mass_position + other.mass_position;
        momentum = momentum + other.momentum;
        angular_momentum = angular_momentum + other.angular_momentum;
    }
    AUREOLE_HD void add(const ConstParticlesView& p, Index i)
    {
        const double m = p.mass[i];
        const Vec3 x = p.position.load(i), v = p.velocity.load(i), a = p.acceleration.load(i);
        mass += m;
        kinetic += 0.5 * m * dot(v, v);
        potential += 0.5 * m * p.potential[i];
        virial += m * dot(x, a);
        mass_position = mass_position + m * x;
        momentum = momentum + m * v;
        angular_momentum = angular_momentum + m * cross(x, v);
    }
    AUREOLE_HD Vec3 centre_of_mass() const { return mass > 0 ? (1 / mass) * mass_position : Vec3{}; }
};

}  // namespace aureole::run
