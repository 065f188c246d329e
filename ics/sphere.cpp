#include "ics/sphere.hpp"

#include <cmath>

#include "ics/hernquist.hpp"
#include "ics/plummer.hpp"
#include "ics/uniform_sphere.hpp"

namespace aureole::ics {
namespace {

/// Streams apart, so that a cold sphere has the positions of the warm one.
enum Purpose : std::uint32_t { draw_position, draw_velocity };

}  // namespace

std::unique_ptr<Sphere> make_sphere(const Component& c)
{
    switch (c.model) {
        case Model::plummer:
            return std::make_unique<Plummer>(c.mass, c.scale_radius);
        case Model::hernquist:
            return std::make_unique<Hernquist>(c.mass, c.scale_radius);
        case Model::uniform_sphere:
            return std::make_unique<UniformSphere>(c.mass, c.scale_radius);
        case Model::two_body:
        case Model::file:
            break;
    }
    return nullptr;
}

double outer_radius(const Component& c)
{
    if (c.model == Model::uniform_sphere) return c.scale_radius;
    return c.truncation_radius.value_or(100 * c.scale_radius);
}

PhaseSpacePoint sample(const Sphere& sphere, const Component& component, std::uint64_t seed, std::uint64_t id)
{
    const double outer = outer_radius(component);
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
