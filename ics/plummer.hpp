// Plummer's (1911) sphere: rho ~ (r^2 + a^2)^(-5/2), with the isotropic velocities f ~ (-E)^(7/2), drawn as
// by Aarseth, Henon & Wielen (1974).
#pragma once

#include "ics/sphere.hpp"

namespace aureole::ics {

class Plummer final : public Sphere {
public:
    Plummer(double mass, double scale_radius) : mass_(mass), a_(scale_radius) {}

    double enclosed_mass(double radius) const override;
    double radius_enclosing(double mass) const override;
    Vec3 equilibrium_velocity(Vec3 position, Random& random) const override;

private:
    double mass_, a_;
};

}  // namespace aureole::ics
