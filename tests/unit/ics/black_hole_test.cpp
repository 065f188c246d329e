// The model `black_hole`: one particle in the field of all that lies about it. That a bulge about it solves
// the Jeans equation stands in inverted_spheres_test.cpp.
#include "ics/black_hole.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ics/check_config.hpp"
#include "ics/disk/galactic_field.hpp"
#include "ics/sphere.hpp"
#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/models/model_s.hpp"

namespace aureole::test::black_hole_test {
namespace {

using ics::Component;
using ics::Config;

Component black_hole(double mass, double softening)
{
    Component c{.model = ics::Model{"black_hole"}, .mass = mass};
    c.own.get<ics::BlackHoleConfig>().softening = softening;
    return c;
}

TEST(BlackHole, IsOneParticleAtTheCentre)
{
    Config config;
    const Component sphere{.particles = 3,
                           .truncation_radius = 1e-9,
                           .velocities = ics::Velocities::cold,
                           .position = {5, 6, 7}};
    config.components = {sphere, black_hole(0.25, 0.1)};
    config.components[1].position = {1, 2, 3};
    config.components[1].velocity = {0, 4, 0};
    const Particles p = make_initial_conditions(config);
    ASSERT_EQ(p.size(), 4u);
    EXPECT_EQ(p.component.host()[3], 1);
    EXPECT_EQ(p.mass.host()[3], 0.25);
    EXPECT_EQ(ics::carried_mass(config.components[1]), 0.25);
    EXPECT_NEAR(p.position.x.host()[0] - p.position.x.host()[3], 4, 1e-8);
    EXPECT_NEAR(p.position.z.host()[0] - p.position.z.host()[3], 4, 1e-8);
    EXPECT_NEAR(p.velocity.y.host()[3] - p.velocity.y.host()[0], 4, 1e-14);
}

TEST(BlackHole, AttractsADiskAsASoftenedPoint)
{
    const double mass = 0.05, eps = 0.02;
    Config config = model_s(10);
    const ics::GalacticField without(config, 0, 1);
    config.components.push_back(black_hole(mass, eps));
    const ics::GalacticField with(config, 0, 1);
    for (const double radius : {0.001, 0.01, 0.05, 0.3, 2.0, 10.0}) {
        const ics::PlaneSample a = without.in_plane(radius), b = with.in_plane(radius);
        const double r2 = radius * radius, d2 = r2 + eps * eps, d = std::sqrt(d2);
        EXPECT_NEAR((b.potential - a.potential) * d / mass, -1, 1e-7) << radius;
        EXPECT_NEAR((b.speed2 - a.speed2) * d2 * d / (mass * r2), 1, 1e-7) << radius;
        // d2Phi/dr2 + 3/r dPhi/dr, by hand
        EXPECT_NEAR((b.kappa2 - a.kappa2) * d2 * d2 * d / (mass * (4 * d2 - 3 * r2)), 1, 1e-6) << radius;
    }
}

TEST(BlackHole, InACoreHasNoIsotropicSphereAboutIt)
{
    Config config;
    config.components = {black_hole(0.1, 0.01), {.particles = 10, .potential = ics::Potential::total}};
    EXPECT_TRUE(contains(message_of<ConfigError>([&] { make_initial_conditions(config); }),
                         "component 1 (plummer): as an isotropic sphere there is no equilibrium in the total "
                         "potential: the distribution function is negative"));
    config.components[1].potential.reset();
    EXPECT_TRUE(contains(message_of<ConfigError>([&] { make_initial_conditions(config); }),
                         "component 1 (plummer): shares its centre with component 0 (black_hole)"));
}

TEST(BlackHole, HasAMassASofteningAndNoExtent)
{
    const auto message = [](void (*spoil)(Component&)) {
        Config config;
        config.components = {black_hole(1, 1)};
        spoil(config.components[0]);
        return message_of<ConfigError>([&] { make_initial_conditions(config); });
    };
    EXPECT_TRUE(contains(message([](Component& c) { c.mass = 0; }), "component 0 (black_hole): mass is 0"));
    EXPECT_TRUE(contains(message([](Component& c) { c.own.get<ics::BlackHoleConfig>().softening.reset(); }),
                         "has no black_hole.softening"));
    EXPECT_TRUE(contains(message([](Component& c) { c.own.get<ics::BlackHoleConfig>().softening = 0; }),
                         "black_hole.softening is 0"));
    EXPECT_TRUE(contains(message([](Component& c) { c.particles = 2; }), "particles is set"));
    EXPECT_TRUE(contains(message([](Component& c) { c.scale_radius = 2; }), "scale_radius is set"));
    EXPECT_TRUE(contains(message([](Component& c) { c.truncation_radius = 2; }), "truncation_radius is set"));
}

}  // namespace
}  // namespace aureole::test::black_hole_test
