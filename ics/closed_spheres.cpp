// Velocities by rejection, at every radius with the same efficiency. With q^2 = -a E / (G M) the distribution
// function is f ~ (1 - q^2)^(-5/2) B(q), where
//     B(q) = 3 asin q + q sqrt(1 - q^2) (1 - 2 q^2) (8 q^4 - 8 q^2 - 3) = 128 int_0^q t^4 (1 - t^2)^(3/2) dt
// grows with q. For a speed of w times the escape speed at r, 1 - q^2 = (r / a + w^2) / (1 + r / a), so
//     p(w) ~ w^2 (r / a + w^2)^(-5/2) B(q).
// The algebraic factor, which diverges towards the centre, is drawn exactly: s = w / sqrt(r / a + w^2) has a
// cumulative distribution ~ s^3. What is left, B(q) / B(q at rest), is accepted with a probability between
// 0.18 (r -> infinity) and 1 (r -> 0).
#include <cmath>

#include "ics/check_config.hpp"
#include "ics/density.hpp"
#include "ics/model.hpp"
#include "ics/sphere.hpp"
#include "sim/core/numerics/portable_math.hpp"

namespace aureole::ics {
namespace {

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

/// B(q); by its power series where the closed form would cancel.
double bracket(double q2)
{
    const double q = std::sqrt(q2);
    if (q2 < 0.01) {
        const double tail = 3.0 / 8 / 9 + q2 * (1.0 / 16 / 11 + q2 * (3.0 / 128 / 13 + q2 * 3.0 / 256 / 15));
        return 128 * q2 * q2 * q * (1.0 / 5 + q2 * (-3.0 / 2 / 7 + q2 * tail));
    }
    return 3 * std::asin(q) + q * std::sqrt(1 - q2) * (1 - 2 * q2) * (8 * q2 * q2 - 8 * q2 - 3);
}

}  // namespace

double Hernquist::enclosed_mass(double radius) const
{
    const double x = radius / (radius + a_);
    return mass_ * x * x;
}

double Hernquist::radius_enclosing(double mass) const
{
    const double x = std::sqrt(mass / mass_);
    return a_ * x / (1 - x);
}

Vec3 Hernquist::equilibrium_velocity(Vec3 position, Random& random) const
{
    const double r = std::sqrt(dot(position, position)), delta = r / a_;
    const double escape_speed = std::sqrt(2 * mass_ / (r + a_));
    const double q2_at_rest = 1 / (1 + delta);
    const double bracket_at_rest = bracket(q2_at_rest);
    const double largest_s = std::sqrt(q2_at_rest);  // where w = 1
    for (;;) {
        const double s = largest_s * portable::cbrt(random.uniform());
        const double w2 = std::fmin(1.0, delta * s * s / ((1 - s) * (1 + s)));
        if (random.uniform() * bracket_at_rest <= bracket(q2_at_rest * (1 - w2)))
            return escape_speed * std::sqrt(w2) * random.direction();
    }
}

namespace {

class HernquistModel final : public SphereModel {
public:
    std::unique_ptr<Sphere> closed_form(const Component& c) const override
    {
        return std::make_unique<Hernquist>(c.mass, c.scale_radius);
    }
    std::unique_ptr<Density> density(const Component& c) const override
    {
        return hernquist_density(c.mass, c.scale_radius);
    }
};

}  // namespace

std::unique_ptr<ComponentModel> make_hernquist_model() { return std::make_unique<HernquistModel>(); }

double Plummer::enclosed_mass(double radius) const
{
    const double x = radius / std::sqrt(radius * radius + a_ * a_);
    return mass_ * x * x * x;
}

double Plummer::radius_enclosing(double mass) const
{
    const double x = portable::cbrt(mass / mass_);
    return a_ * x / std::sqrt((1 - x) * (1 + x));
}

Vec3 Plummer::equilibrium_velocity(Vec3 position, Random& random) const
{
    const double escape_speed = std::sqrt(2 * mass_ / std::sqrt(dot(position, position) + a_ * a_));
    for (;;) {
        // p(w) ~ w^2 (1 - w^2)^(7/2) for a speed of w escape speeds: 0.0922 at most, 43 % accepted
        const double w = random.uniform(), y = (1 - w) * (1 + w);
        if (0.1 * random.uniform() <= w * w * y * y * y * std::sqrt(y))
            return escape_speed * w * random.direction();
    }
}

namespace {

class PlummerModel final : public SphereModel {
public:
    std::unique_ptr<Sphere> closed_form(const Component& c) const override
    {
        return std::make_unique<Plummer>(c.mass, c.scale_radius);
    }
    std::unique_ptr<Density> density(const Component& c) const override
    {
        return plummer_density(c.mass, c.scale_radius);
    }
};

}  // namespace

std::unique_ptr<ComponentModel> make_plummer_model() { return std::make_unique<PlummerModel>(); }

namespace {
/// A unit vector at right angles to the unit vector n.
Vec3 perpendicular(Vec3 n)
{
    const Vec3 axis = std::abs(n.z) < 0.5 ? Vec3{0, 0, 1} : Vec3{1, 0, 0};
    const Vec3 e = cross(axis, n);
    return 1 / std::sqrt(dot(e, e)) * e;
}

}  // namespace

double UniformSphere::enclosed_mass(double radius) const
{
    const double x = radius < radius_ ? radius / radius_ : 1;
    return mass_ * x * x * x;
}

double UniformSphere::radius_enclosing(double mass) const { return radius_ * portable::cbrt(mass / mass_); }

Vec3 UniformSphere::equilibrium_velocity(Vec3 position, Random& random) const
{
    // f ~ (K^2 - v_r^2)^(-1/2) with K^2 = (W^2 R^2 - v_t^2) (1 - r^2 / R^2): the tangential velocity fills a
    // disc of radius W R evenly at every r, and the radial one is K times the sine of an even phase
    const double r = std::sqrt(dot(position, position)), x = r / radius_;
    const double v2 = mass_ / radius_;  // (W R)^2
    const double vt2 = v2 * random.uniform();
    const portable::SinCos turn = portable::sin_cos_of_turns(random.uniform());
    const double phase_sine = portable::sin_cos_of_turns(random.uniform()).sin;
    const double vr = std::sqrt((v2 - vt2) * std::fmax(0.0, (1 - x) * (1 + x))) * phase_sine;

    const Vec3 radial = 1 / r * position, e1 = perpendicular(radial), e2 = cross(radial, e1);
    return vr * radial + std::sqrt(vt2) * (turn.cos * e1 + turn.sin * e2);
}

namespace {

class UniformSphereModel final : public SphereModel {
public:
    std::unique_ptr<Sphere> closed_form(const Component& c) const override
    {
        return std::make_unique<UniformSphere>(c.mass, c.scale_radius);
    }
    std::unique_ptr<Density> density(const Component&) const override { return nullptr; }
    double outer_radius(const Component& c) const override { return c.scale_radius; }

private:
    void check_shape(const std::string& where, const Component& c) const override
    {
        if (c.anisotropy_radius)
            refuse(where,
                   "anisotropy_radius is set, but a uniform sphere has its own velocities; "
                   "remove it");
        if (c.potential == Potential::total)
            refuse(where,
                   "potential is total, but a uniform sphere has velocities for its own only; remove it");
        if (c.truncation_radius)
            refuse(where,
                   "truncation_radius is set, but a uniform sphere ends at its scale_radius; remove it");
    }
};

}  // namespace

std::unique_ptr<ComponentModel> make_uniform_sphere_model() { return std::make_unique<UniformSphereModel>(); }

}  // namespace aureole::ics
