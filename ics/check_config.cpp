#include "ics/check_config.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "ics/model.hpp"
#include "ics/sphere.hpp"
#include "sim/core/error.hpp"

namespace aureole::ics {

[[noreturn]] void refuse(const std::string& where, const std::string& what)
{
    throw ConfigError(fmt::format("initial_conditions, {}: {}", where, what));
}

void expect_finite_value(const std::string& where, const char* key, double value)
{
    if (!std::isfinite(value)) refuse(where, fmt::format("{} is {}, expected a finite number", key, value));
}

void expect_finite_value(const std::string& where, const char* key, Vec3 v)
{
    for (double value : {v.x, v.y, v.z}) expect_finite_value(where, key, value);
}

void expect_positive(const std::string& where, const char* key, double value)
{
    if (!(value > 0 && std::isfinite(value)))
        refuse(where, fmt::format("{} is {}, expected a positive number", key, value));
}

void expect_eccentricity(const std::string& where, double e)
{
    if (!(e >= 0 && std::isfinite(e)))
        refuse(where, fmt::format("eccentricity is {}, expected a number of at least 0", e));
}

namespace {

void check_component(const std::string& where, const Component& c)
{
    make_model(c)->check(where, c);
    expect_finite_value(where, "position", c.position);
    expect_finite_value(where, "velocity", c.velocity);
    if (!(c.velocity_factor >= 0 && std::isfinite(c.velocity_factor)))
        refuse(where,
               fmt::format("velocity_factor is {}, expected a number of at least 0", c.velocity_factor));
    if (c.group && *c.group < 0)
        refuse(where, fmt::format("group is {}, expected a number of at least 0", *c.group));
    if (c.type && !(*c.type >= 0 && *c.type < n_particle_types))
        refuse(where, fmt::format("type is {}, expected 0 to {}", *c.type, n_particle_types - 1));
}

bool is_zero(Vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

void check_reached(const Orbit& orbit, double e)
{
    const double farthest =
        e < 1 ? orbit.pericentre * (1 + e) / (1 - e) : std::numeric_limits<double>::infinity();
    const double rounding = 1e-12 * farthest;
    if (orbit.separation < orbit.pericentre * (1 - 1e-12) || orbit.separation > farthest + rounding)
        refuse("orbit", fmt::format("separation is {}, which the orbit never reaches: with pericentre {} and "
                                    "eccentricity {} the separation stays between {} and {}",
                                    orbit.separation, orbit.pericentre, e, orbit.pericentre, farthest));
}

void check_orbit(const Config& config)
{
    const Orbit& orbit = *config.orbit;
    const auto [first, second] = orbit.components;
    const std::size_t n = config.components.size();
    if (first >= n || second >= n || first == second)
        refuse("orbit",
               fmt::format("components is [{}, {}], expected two different ones of the {} there are, "
                           "counted from 0",
                           first, second, n));
    const auto& group = config.components[first].group;
    if (group && group == config.components[second].group)
        refuse("orbit",
               fmt::format("components is [{}, {}], both of group {}: expected components of two bodies",
                           first, second, *group));
    for (std::size_t k = 0; k < n; ++k)
        if (body_on_orbit(config, k) &&
            !(is_zero(config.components[k].position) && is_zero(config.components[k].velocity)))
            refuse("orbit",
                   fmt::format("component {} is placed by the orbit: remove its position and velocity "
                               "or the orbit",
                               k));
    expect_positive("orbit", "separation", orbit.separation);
    expect_positive("orbit", "pericentre", orbit.pericentre);
    if (orbit.eccentricity.has_value() == orbit.energy.has_value())
        refuse("orbit", "expected exactly one of eccentricity and energy");
    if (orbit.eccentricity) expect_eccentricity("orbit", *orbit.eccentricity);
    if (orbit.energy) expect_finite_value("orbit", "energy", *orbit.energy);
    expect_angles("orbit", orbit);

    const auto [m1, m2] = masses_on_orbit(config);
    const double total = m1 + m2;
    expect_positive("orbit", "the mass of its two bodies", total);
    const double e = eccentricity_of(orbit, total);
    if (e < -1e-12)
        refuse("orbit", fmt::format("energy is {}, below that of the circular orbit at pericentre {}, {}",
                                    *orbit.energy, orbit.pericentre, -total / (2 * orbit.pericentre)));
    check_reached(orbit, std::fmax(0.0, e));
}

/// A sphere that moves in its own field beside one that knows of both is in no equilibrium: it must be asked
/// for.
void check_potential(const Config& config, std::size_t k)
{
    const Component& c = config.components[k];
    if (c.potential || potential_of(c) == Potential::total || c.velocities == Velocities::cold) return;
    for (std::size_t other : companions(config, k))
        if (potential_of(config.components[other]) == Potential::total)
            refuse(
                place_of(config, k),
                fmt::format("shares its centre with {}, which takes its velocities from the total "
                            "potential: expected the key potential, total for an equilibrium of all, or own",
                            place_of(config, other)));
}

}  // namespace

double carried_mass(const Component& component) { return make_model(component)->carried_mass(component); }

std::string place_of(const Config& config, std::size_t k)
{
    const Component& c = config.components[k];
    const bool named = !c.name.empty() && c.name != c.model.name;
    return fmt::format("component {} ({}{})", k, named ? c.name + ", " : "", c.model.name);
}

std::optional<std::size_t> body_on_orbit(const Config& config, std::size_t k)
{
    if (!config.orbit) return {};
    const auto& group = config.components[k].group;
    for (std::size_t body : {0, 1}) {
        const std::size_t named = config.orbit->components[body];
        if (k == named || (group && group == config.components[named].group)) return body;
    }
    return {};
}

std::array<double, 2> masses_on_orbit(const Config& config)
{
    std::array<double, 2> masses{};
    for (std::size_t k = 0; k < config.components.size(); ++k)
        if (const auto body = body_on_orbit(config, k)) masses[*body] += carried_mass(config.components[k]);
    return masses;
}

void check_config(const Config& config)
{
    const std::size_t most = std::size_t{std::numeric_limits<aureole::Component>::max()} + 1;
    if (config.components.empty()) refuse("components", "none given, expected at least one");
    if (config.components.size() > most)
        refuse("components",
               fmt::format("{} given, at most {} can be told apart", config.components.size(), most));
    for (std::size_t k = 0; k < config.components.size(); ++k) {
        const Component& component = config.components[k];
        check_component(place_of(config, k), component);
        if (make_model(component)->stands_alone() && config.components.size() > 1)
            refuse(place_of(config, k), "fills its periodic box: expected no other component");
    }
    if (config.orbit) check_orbit(config);
    for (std::size_t k = 0; k < config.components.size(); ++k) check_potential(config, k);
}

}  // namespace aureole::ics
