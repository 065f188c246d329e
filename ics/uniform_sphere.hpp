// A sphere of constant density inside its radius. No isotropic distribution function makes one; the
// equilibrium is that of Polyachenko & Shukhman (1973; Binney & Tremaine 2008, problem 4.11),
//     f(E, L) ~ (W^2 R^2 - 2 E + L^2 / R^2)^(-1/2),   W^2 = G M / R^3, E = v^2 / 2 + W^2 r^2 / 2.
#pragma once

#include "ics/sphere.hpp"

namespace aureole::ics {

class UniformSphere final : public Sphere {
public:
    UniformSphere(double mass, double radius) : mass_(mass), radius_(radius) {}

    double enclosed_mass(double radius) const override;
    double radius_enclosing(double mass) const override;
    Vec3 equilibrium_velocity(Vec3 position, Random& random) const override;

private:
    double mass_, radius_;
};

}  // namespace aureole::ics
