#include "ics/sphere.hpp"

#include <cmath>

#include "ics/check_config.hpp"
#include "sim/core/error.hpp"

namespace aureole::ics {
namespace {

/// Streams apart, so that a cold sphere has the positions of the warm one.
enum Purpose : std::uint32_t { draw_position, draw_velocity };

}  // namespace

double SphereModel::outer_radius(const Component& c) const
{
    return c.truncation_radius.value_or(100 * c.scale_radius);
}

double outer_radius(const Component& component)
{
    const auto model = make_model(component);
    AUREOLE_EXPECT(model->sphere(), "model {} is no sphere, expected one", component.model.name);
    return model->sphere()->outer_radius(component);
}

void SphereModel::check(const std::string& where, const Component& c) const
{
    if (c.particles == 0) refuse(where, "particles is 0, expected at least 1");
    expect_positive(where, "mass", c.mass);
    expect_positive(where, "scale_radius", c.scale_radius);
    if (c.truncation_width) {
        expect_positive(where, "truncation_width", *c.truncation_width);
        if (!has_tail())
            refuse(where, "truncation_width is set, but only nfw and table have a tail; remove it");
    }
    if (c.anisotropy_radius) expect_positive(where, "anisotropy_radius", *c.anisotropy_radius);
    check_shape(where, c);
    if (c.truncation_radius) expect_positive(where, "truncation_radius", *c.truncation_radius);
}

double SphereModel::carried_mass(const Component& c) const
{
    return make_mass_model(c)->enclosed_mass(outer_radius(c));
}

void SphereModel::fill(const ParticlesView& p, const Slot& slot, const Config& config,
                       std::size_t number) const
{
    const Component& component = config.components[number];
    const auto sphere = make_sphere(config, number);
    const double mass = carried_mass(component) / slot.n, outer = outer_radius(component);
#pragma omp parallel for if (slot.n > parallel_threshold)
    for (Index k = 0; k < slot.n; ++k) {
        const Index i = slot.first + k;
        const PhaseSpacePoint point = sample(*sphere, component, outer, config.seed, p.id[i]);
        p.mass[i] = mass;
        p.position.store(i, slot.centre.position + point.position);
        p.velocity.store(i, slot.centre.velocity + point.velocity);
    }
}

PhaseSpacePoint sample(const Sphere& sphere, const Component& component, double outer, std::uint64_t seed,
                       std::uint64_t id)
{
    Random random(seed, id, draw_position);
    const double mass = random.uniform() * sphere.enclosed_mass(outer);
    const double r = std::fmin(sphere.radius_enclosing(mass), outer);
    PhaseSpacePoint point{r * random.direction(), {}};
    if (component.velocities == Velocities::cold) return point;

    Random velocity_random(seed, id, draw_velocity);
    point.velocity = component.velocity_factor * sphere.equilibrium_velocity(point.position, velocity_random);
    return point;
}

}  // namespace aureole::ics
