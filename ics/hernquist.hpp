// Hernquist's (1990) model of bulges and halos: rho = M a / (2 pi r (r + a)^3), phi = -G M / (r + a), with
// isotropic velocities from its distribution function, eq. 17 there.
#pragma once

#include "ics/sphere.hpp"

namespace aureole::ics {

class Hernquist final : public Sphere {
public:
    Hernquist(double mass, double scale_radius) : mass_(mass), a_(scale_radius) {}

    double enclosed_mass(double radius) const override;
    double radius_enclosing(double mass) const override;
    Vec3 equilibrium_velocity(Vec3 position, Random& random) const override;

private:
    double mass_, a_;
};

}  // namespace aureole::ics
