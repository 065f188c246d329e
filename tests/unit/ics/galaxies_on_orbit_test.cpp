// Bodies of several components on an orbit, and how their disks lie on it.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ics/check_config.hpp"
#include "ics/disk/disk_tilt.hpp"
#include "ics/model.hpp"
#include "ics/sphere.hpp"
#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::galaxies_on_orbit_test {
namespace {

using ics::Component;
using ics::Config;
using ics::DiskTilt;
using ics::Orbit;

constexpr double degree = std::numbers::pi / 180;

Component part(int group, double mass, double scale_radius)
{
    Component c{.model = ics::Model::hernquist,
                .particles = 400,
                .mass = mass,
                .scale_radius = scale_radius,
                .potential = ics::Potential::total};
    c.group = group;
    return c;
}

/// Two bodies of two spheres, whose parts do not stand side by side.
Config two_bodies()
{
    Config config;
    config.components = {part(7, 1, 0.2), part(3, 4, 1), part(7, 9, 2), part(3, 0.5, 0.1)};
    config.orbit =
        Orbit{.components = {2, 1}, .separation = 50, .pericentre = 4, .eccentricity = 1, .inclination = 30};
    return config;
}

/// Mass-weighted means of one component.
PhaseSpacePoint mean_of(const Particles& p, aureole::Component number)
{
    PhaseSpacePoint sum{};
    double mass = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        if (p.component.host()[i] != number) continue;
        const double m = p.mass.host()[i];
        mass += m;
        sum.position =
            sum.position + m * Vec3{p.position.x.host()[i], p.position.y.host()[i], p.position.z.host()[i]};
        sum.velocity =
            sum.velocity + m * Vec3{p.velocity.x.host()[i], p.velocity.y.host()[i], p.velocity.z.host()[i]};
    }
    return {1 / mass * sum.position, 1 / mass * sum.velocity};
}

TEST(BodiesOnAnOrbit, MoveAsPointsOfTheMassOfAllTheirComponents)
{
    Config config = two_bodies();
    const auto [m1, m2] = ics::masses_on_orbit(config);
    const auto carried = [&](std::size_t k) { return ics::carried_mass(config.components[k]); };
    EXPECT_DOUBLE_EQ(m1, carried(0) + carried(2));
    EXPECT_DOUBLE_EQ(m2, carried(1) + carried(3));
    EXPECT_EQ(ics::companions(config, 0), std::vector<std::size_t>{2});
    EXPECT_EQ(ics::companions(config, 1), std::vector<std::size_t>{3});

    const PhaseSpacePoint relative = relative_motion(*config.orbit, m1 + m2);
    EXPECT_NEAR(dot(relative.velocity, relative.velocity), 2 * (m1 + m2) / 50, 1e-12) << "a parabola";
    for (Component& c : config.components) {
        c.velocities = ics::Velocities::cold;
        c.truncation_radius = 1e-3;  // points: their means are the centres
    }
    const auto [near1, near2] = ics::masses_on_orbit(config);
    const PhaseSpacePoint motion = relative_motion(*config.orbit, near1 + near2);
    const Particles p = make_initial_conditions(config);
    for (const auto& [k, share] : {std::pair{0, -near2}, {2, -near2}, {1, near1}, {3, near1}}) {
        const PhaseSpacePoint found = mean_of(p, static_cast<aureole::Component>(k));
        const double factor = share / (near1 + near2);
        EXPECT_NEAR(found.position.x, factor * motion.position.x, 2e-3) << k;
        EXPECT_NEAR(found.position.z, factor * motion.position.z, 2e-3) << k;
        EXPECT_NEAR(found.velocity.x, factor * motion.velocity.x, 1e-13) << k;
        EXPECT_NEAR(found.velocity.y, factor * motion.velocity.y, 1e-13) << k;
    }
}

TEST(BodiesOnAnOrbit, AreTwoAndHaveNoPlaceOfTheirOwn)
{
    const auto message = [](void (*spoil)(Config&)) {
        Config config = two_bodies();
        spoil(config);
        return message_of<ConfigError>([&] { check_config(config); });
    };
    EXPECT_TRUE(contains(message([](Config& c) {
                             c.orbit->components = {0, 2};
                         }),
                         "components is [0, 2], both of group 7: expected components of two bodies"));
    EXPECT_TRUE(contains(message([](Config& c) { c.components[3].position.x = 1; }),
                         "component 3 is placed by the orbit"));
    EXPECT_TRUE(contains(message([](Config& c) { c.components[3].group = -1; }), "group is -1"));
    EXPECT_TRUE(contains(message([](Config& c) { c.components[3].name = "bulge", c.components[3].mass = 0; }),
                         "component 3 (bulge, hernquist): mass is 0"));
}

struct SeenFromDisk {
    double inclination, argument;
};

/// What Toomre & Toomre's angles are of a disk with this tilt about the axes of the configuration: from the
/// spin, the orbit's angular momentum and where the other body is at pericentre.
SeenFromDisk seen_from(const DiskTilt& tilt, Orbit orbit, bool second)
{
    orbit.separation = orbit.pericentre;
    const PhaseSpacePoint other = relative_motion(orbit, 1);
    const Vec3 towards =
        (second ? -1.0 : 1.0) / std::sqrt(dot(other.position, other.position)) * other.position;
    Vec3 normal = cross(other.position, other.velocity);
    normal = 1 / std::sqrt(dot(normal, normal)) * normal;
    const Vec3 spin = ics::Turn(tilt)({0, 0, 1});
    Vec3 node = cross(spin, normal);  // where the orbit rises above the disk
    node = 1 / std::sqrt(dot(node, node)) * node;
    return {std::acos(dot(spin, normal)) / degree,
            std::atan2(dot(towards, cross(normal, node)), dot(towards, node)) / degree};
}

TEST(DisksOnAnOrbit, AreInclinedAsTheOrbitIsSeenFromEach)
{
    for (const double inclination : {0.0, 50.0, 90.0, 170.0})
        for (const double node : {0.0, 200.0})
            for (const double argument : {0.0, -75.0}) {
                const Orbit orbit{.pericentre = 2,
                                  .eccentricity = 1,
                                  .inclination = inclination,
                                  .ascending_node = node,
                                  .argument_of_pericentre = argument};
                for (const DiskTilt tilt : {DiskTilt{60, -30}, DiskTilt{120, 100}, DiskTilt{15, 179}})
                    for (const bool second : {false, true}) {
                        const SeenFromDisk seen = seen_from(on_orbit(tilt, orbit, second), orbit, second);
                        EXPECT_NEAR(seen.inclination, tilt.inclination, 1e-10);
                        EXPECT_NEAR(seen.argument, tilt.argument_of_pericentre, 1e-10);
                    }
            }
}

TEST(DisksOnAnOrbit, KeepTheirAnglesOnAnOrbitAlongTheAxes)
{
    const Orbit orbit{.pericentre = 2, .eccentricity = 1};
    EXPECT_EQ(on_orbit({60, -30}, orbit, false), (DiskTilt{60, -30}));
    EXPECT_EQ(on_orbit({60, -30}, orbit, true), (DiskTilt{60, 150})) << "the other side";
}

}  // namespace
}  // namespace aureole::test::galaxies_on_orbit_test
