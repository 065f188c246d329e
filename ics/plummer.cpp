#include <cmath>

#include "ics/closed_spheres.hpp"
#include "ics/density.hpp"
#include "ics/model.hpp"
#include "sim/core/portable_math.hpp"

namespace aureole::ics {

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

}  // namespace aureole::ics
