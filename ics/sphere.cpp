#include "ics/sphere.hpp"

#include <cmath>
#include <limits>

namespace aureole::ics {
namespace {

/// Streams apart, so that a cold sphere has the positions of the warm one.
enum Purpose : std::uint32_t { draw_position, draw_velocity };

}  // namespace

double outer_radius(const Component& c)
{
    if (c.model == Model::uniform_sphere) return c.scale_radius;
    if (c.model == Model::nfw || c.model == Model::table) return std::numeric_limits<double>::infinity();
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
