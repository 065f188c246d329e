// Velocities by rejection, at every radius with the same efficiency. With q^2 = -a E / (G M) the distribution
// function is f ~ (1 - q^2)^(-5/2) B(q), where
//     B(q) = 3 asin q + q sqrt(1 - q^2) (1 - 2 q^2) (8 q^4 - 8 q^2 - 3) = 128 int_0^q t^4 (1 - t^2)^(3/2) dt
// grows with q. For a speed of w times the escape speed at r, 1 - q^2 = (r / a + w^2) / (1 + r / a), so
//     p(w) ~ w^2 (r / a + w^2)^(-5/2) B(q).
// The algebraic factor, which diverges towards the centre, is drawn exactly: s = w / sqrt(r / a + w^2) has a
// cumulative distribution ~ s^3. What is left, B(q) / B(q at rest), is accepted with a probability between
// 0.18 (r -> infinity) and 1 (r -> 0).
#include <cmath>

#include "ics/closed_spheres.hpp"
#include "ics/density.hpp"
#include "ics/model.hpp"
#include "sim/core/portable_math.hpp"

namespace aureole::ics {
namespace {

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

}  // namespace aureole::ics
