#include "ics/check_config.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "ics/density_spline.hpp"
#include "ics/displaced_lattice.hpp"
#include "ics/kepler.hpp"
#include "ics/make_sphere.hpp"
#include "sim/core/error.hpp"

namespace aureole::ics {
namespace {

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

/// Tilt, node and argument, which elements and orbits spell alike.
template <class T>
void check_angles(const std::string& where, const T& t)
{
    expect_finite_value(where, "inclination", t.inclination);
    expect_finite_value(where, "ascending_node", t.ascending_node);
    expect_finite_value(where, "argument_of_pericentre", t.argument_of_pericentre);
}

void check_eccentricity(const std::string& where, double e)
{
    if (!(e >= 0 && std::isfinite(e)))
        refuse(where, fmt::format("eccentricity is {}, expected a number of at least 0", e));
}

/// On an unbound orbit the anomaly ends where the asymptote is.
void check_true_anomaly(const std::string& where, const KeplerElements& k)
{
    expect_finite_value(where, "true_anomaly", *k.true_anomaly);
    const double cosine = std::cos(*k.true_anomaly * (std::acos(-1.0) / 180));
    if (k.eccentricity >= 1 && !(1 + k.eccentricity * cosine > 1e-12))
        refuse(where,
               fmt::format("true_anomaly is {} degrees, which an orbit of eccentricity {} never reaches",
                           *k.true_anomaly, k.eccentricity));
}

void check_elements(const std::string& where, const KeplerElements& k)
{
    for (double mass : k.masses)
        if (!(mass >= 0 && std::isfinite(mass)))
            refuse(where, fmt::format("masses holds {}, expected numbers of at least 0", mass));
    expect_positive(where, "the sum of masses", k.masses[0] + k.masses[1]);
    check_eccentricity(where, k.eccentricity);
    if (k.semi_major_axis.has_value() == k.pericentre.has_value())
        refuse(where, "expected exactly one of semi_major_axis and pericentre");
    if (k.semi_major_axis) expect_positive(where, "semi_major_axis", *k.semi_major_axis);
    if (k.pericentre) expect_positive(where, "pericentre", *k.pericentre);
    if (k.true_anomaly && k.mean_anomaly)
        refuse(where, "expected at most one of true_anomaly and mean_anomaly");
    if (k.eccentricity >= 1 && (k.semi_major_axis || k.mean_anomaly))
        refuse(where, fmt::format("an orbit of eccentricity {} is not bound: describe it by pericentre and "
                                  "true_anomaly, not by semi_major_axis or mean_anomaly",
                                  k.eccentricity));
    if (k.mean_anomaly) expect_finite_value(where, "mean_anomaly", *k.mean_anomaly);
    if (k.true_anomaly) check_true_anomaly(where, k);
    check_angles(where, k);
}

void check_table(const std::string& where, const Component& c)
{
    const auto& [radius, density] = c.table;
    if (radius.size() != density.size() || radius.size() < 4)
        refuse(where,
               fmt::format("table holds {} radii and {} densities, expected as many of both, at least 4",
                           radius.size(), density.size()));
    for (std::size_t k = 0; k < radius.size(); ++k) {
        const std::string row = fmt::format("table, row {}: ", k + 1);
        expect_positive(where, (row + "radius").c_str(), radius[k]);
        expect_positive(where, (row + "density").c_str(), density[k]);
        if (k > 0 && !(radius[k] > radius[k - 1]))
            refuse(where, fmt::format("{}radius is {} after {}, expected growing radii", row, radius[k],
                                      radius[k - 1]));
    }
    if (c.truncation_radius && *c.truncation_radius > radius.back() * c.scale_radius)
        refuse(where, fmt::format("truncation_radius is {}, beyond the table's last radius {}",
                                  *c.truncation_radius, radius.back() * c.scale_radius));
    const double slope = DensitySpline(c.table, 1).inner_slope();
    if (slope <= -2.5)
        refuse(where, fmt::format("the table's density falls as r^{:.3g} at the centre, expected at most as "
                                  "r^-2.5",
                                  slope));
}

/// Keys that only some models know.
void check_dynamics(const std::string& where, const Component& c)
{
    const bool uniform = c.model == Model::uniform_sphere;
    if (c.truncation_width) {
        expect_positive(where, "truncation_width", *c.truncation_width);
        if (c.model != Model::nfw && c.model != Model::table)
            refuse(where, "truncation_width is set, but only nfw and table have a tail; remove it");
    }
    if (c.anisotropy_radius) {
        expect_positive(where, "anisotropy_radius", *c.anisotropy_radius);
        if (uniform)
            refuse(where,
                   "anisotropy_radius is set, but a uniform sphere has its own velocities; "
                   "remove it");
    }
    if (uniform && c.potential == Potential::total)
        refuse(where, "potential is total, but a uniform sphere has velocities for its own only; remove it");
}

void check_sphere(const std::string& where, const Component& c)
{
    if (c.particles == 0) refuse(where, "particles is 0, expected at least 1");
    expect_positive(where, "mass", c.mass);
    expect_positive(where, "scale_radius", c.scale_radius);
    check_dynamics(where, c);
    if (c.model == Model::table) check_table(where, c);
    if (c.model == Model::nfw && !c.truncation_radius)
        refuse(where, "has no truncation_radius: mass is what lies inside it, a smooth tail follows");
    if (!c.truncation_radius) return;
    expect_positive(where, "truncation_radius", *c.truncation_radius);
    if (c.model == Model::uniform_sphere)
        refuse(where, "truncation_radius is set, but a uniform sphere ends at its scale_radius; remove it");
}

void check_waves(const std::string& where, const std::vector<int>& m)
{
    if (m.size() % 3 != 0)
        refuse(where,
               fmt::format("lattice.wave_vectors holds {} integers, expected three for each wave", m.size()));
    for (std::size_t k = 0; k < m.size(); k += 3) {
        if (m[k] == 0 && m[k + 1] == 0 && m[k + 2] == 0)
            refuse(where, fmt::format("lattice.wave_vectors, wave {}: is [0, 0, 0], which displaces nothing",
                                      k / 3));
        for (const int component : {m[k], m[k + 1], m[k + 2]})
            if (component > 1000000 || component < -1000000)
                refuse(where,
                       fmt::format("lattice.wave_vectors holds {}, expected at most 1000000", component));
    }
}

void check_lattice(const std::string& where, const Component& c)
{
    const LatticeWaves& lattice = c.lattice;
    if (lattice_side(c.particles) < 2)
        refuse(where, fmt::format("particles is {}, expected a cube number of at least 8", c.particles));
    expect_positive(where, "mass", c.mass);
    expect_positive(where, "lattice.box_side", lattice.box_side);
    expect_finite_value(where, "lattice.growth_factor", lattice.growth_factor);
    expect_finite_value(where, "lattice.wave_velocity", lattice.wave_velocity);
    if (!(lattice.random_offset >= 0 && lattice.random_offset <= 1))
        refuse(where, fmt::format("lattice.random_offset is {}, expected 0 to 1 lattice spacings",
                                  lattice.random_offset));
    check_waves(where, lattice.wave_vectors);
}

void check_given(const std::string& where, const Component& c)
{
    AUREOLE_EXPECT(c.given != nullptr, "{}: no particles given", where);
    AUREOLE_EXPECT(c.given->where() == Backend::cpu, "{}: the particles given are not in host memory", where);
    if (c.given->size() == 0) refuse(where, "the file holds no particles, expected at least 1");
}

void check_component(const std::string& where, const Component& c)
{
    if (c.model == Model::two_body)
        check_elements(where, c.elements);
    else if (c.model == Model::file)
        check_given(where, c);
    else if (c.model == Model::lattice)
        check_lattice(where, c);
    else
        check_sphere(where, c);
    expect_finite_value(where, "position", c.position);
    expect_finite_value(where, "velocity", c.velocity);
    if (!(c.velocity_factor >= 0 && std::isfinite(c.velocity_factor)))
        refuse(where,
               fmt::format("velocity_factor is {}, expected a number of at least 0", c.velocity_factor));
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
    for (std::size_t k : orbit.components)
        if (!is_zero(config.components[k].position) || !is_zero(config.components[k].velocity))
            refuse("orbit",
                   fmt::format("component {} is placed by the orbit: remove its position and velocity "
                               "or the orbit",
                               k));
    expect_positive("orbit", "separation", orbit.separation);
    expect_positive("orbit", "pericentre", orbit.pericentre);
    if (orbit.eccentricity.has_value() == orbit.energy.has_value())
        refuse("orbit", "expected exactly one of eccentricity and energy");
    if (orbit.eccentricity) check_eccentricity("orbit", *orbit.eccentricity);
    if (orbit.energy) expect_finite_value("orbit", "energy", *orbit.energy);
    check_angles("orbit", orbit);

    const double total = carried_mass(config.components[first]) + carried_mass(config.components[second]);
    expect_positive("orbit", "the mass of its two components", total);
    const double e = eccentricity_of(orbit, total);
    if (e < -1e-12)
        refuse("orbit", fmt::format("energy is {}, below that of the circular orbit at pericentre {}, {}",
                                    *orbit.energy, orbit.pericentre, -total / (2 * orbit.pericentre)));
    check_reached(orbit, std::fmax(0.0, e));
}

}  // namespace

const char* name_of(Model model)
{
    switch (model) {
        case Model::two_body:
            return "two_body";
        case Model::plummer:
            return "plummer";
        case Model::hernquist:
            return "hernquist";
        case Model::nfw:
            return "nfw";
        case Model::table:
            return "table";
        case Model::uniform_sphere:
            return "uniform_sphere";
        case Model::lattice:
            return "lattice";
        case Model::file:
            return "file";
    }
    return "?";
}

double carried_mass(const Component& c)
{
    if (c.model == Model::two_body) return c.elements.masses[0] + c.elements.masses[1];
    if (c.model == Model::lattice) return c.mass;
    if (const auto model = make_mass_model(c)) return model->enclosed_mass(outer_radius(c));
    double sum = 0;
    for (double mass : c.given->mass.host()) sum += mass;
    return sum;
}

namespace {

std::string place_of(const Config& config, std::size_t k)
{
    return fmt::format("component {} ({})", k, name_of(config.components[k].model));
}

/// A sphere that moves in its own field beside one that knows of both is in no equilibrium: it must be meant.
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
        if (component.model == Model::lattice && config.components.size() > 1)
            refuse(place_of(config, k), "fills its periodic box: expected no other component");
    }
    if (config.orbit) check_orbit(config);
    for (std::size_t k = 0; k < config.components.size(); ++k) check_potential(config, k);
}

}  // namespace aureole::ics
