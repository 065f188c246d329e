// Spheres whose masses and velocities are formulas.
#pragma once

#include "ics/sphere.hpp"

namespace aureole::ics {

/// Plummer's (1911) sphere: rho ~ (r^2 + a^2)^(-5/2), with the isotropic velocities f ~ (-E)^(7/2), drawn as
/// by Aarseth, Henon & Wielen (1974).
class Plummer final : public Sphere {
public:
    Plummer(double mass, double scale_radius) : mass_(mass), a_(scale_radius) {}

    double enclosed_mass(double radius) const override;
    double radius_enclosing(double mass) const override;
    Vec3 equilibrium_velocity(Vec3 position, Random& random) const override;

private:
    double mass_, a_;
};

/// Hernquist's (1990) model of bulges and halos: rho = M a / (2 pi r (r + a)^3), phi = -G M / (r + a), with
/// isotropic velocities from its distribution function, eq. 17 there.
class Hernquist final : public Sphere {
public:
    Hernquist(double mass, double scale_radius) : mass_(mass), a_(scale_radius) {}

    double enclosed_mass(double radius) const override;
    double radius_enclosing(double mass) const override;
    Vec3 equilibrium_velocity(Vec3 position, Random& random) const override;

private:
    double mass_, a_;
};

/// A sphere of constant density inside its radius. It has no isotropic distribution function; the equilibrium
/// is that of Polyachenko & Shukhman (1973; Binney & Tremaine 2008, problem 4.11),
///     f(E, L) ~ (W^2 R^2 - 2 E + L^2 / R^2)^(-1/2),   W^2 = G M / R^3, E = v^2 / 2 + W^2 r^2 / 2.
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
