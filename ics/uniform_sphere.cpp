#include <cmath>

#include "ics/check_config.hpp"
#include "ics/closed_spheres.hpp"
#include "ics/density.hpp"
#include "ics/model.hpp"
#include "sim/core/portable_math.hpp"

namespace aureole::ics {
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
