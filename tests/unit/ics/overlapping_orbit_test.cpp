// How near extended bodies come on an orbit of points.
#include <gtest/gtest.h>

#include <cmath>

#include "ics/overlapping_orbit.hpp"

namespace aureole::test::overlapping_orbit_test {
namespace {

ics::Config two(double first_radius, double second_radius)
{
    ics::Config config;
    config.components = {{.model = ics::Model::hernquist,
                          .particles = 1,
                          .mass = 3,
                          .scale_radius = first_radius,
                          .truncation_radius = 1e6},
                         {.model = ics::Model::hernquist,
                          .particles = 1,
                          .mass = 1,
                          .scale_radius = second_radius,
                          .truncation_radius = 1e6}};
    config.orbit = ics::Orbit{.separation = 40, .pericentre = 2, .eccentricity = 1};
    return config;
}

/// Closest approach to a Hernquist sphere of a point, of a parabola of points at the start: 2 (E + M / (r +
/// a)) r^2 = L^2 from inside.
double beside_hernquist(double mass, double a)
{
    const double energy = mass / 40 - mass / (40 + a), momentum2 = 2 * mass * 2;
    double r = 40;
    while (2 * (energy + mass / (r + a)) * r * r > momentum2) r -= 1e-4;
    return r;
}

TEST(RigidPericentre, IsThatOfPointsForPoints) { EXPECT_NEAR(*rigid_pericentre(two(1e-3, 1e-3)), 2, 0.005); }

TEST(RigidPericentre, OfAPointBesideASphereIsThatInItsField)
{
    EXPECT_NEAR(*rigid_pericentre(two(1.5, 1e-3)), beside_hernquist(4, 1.5), 0.005);
    EXPECT_NEAR(*rigid_pericentre(two(1e-3, 1.5)), beside_hernquist(4, 1.5), 0.005);
    EXPECT_GT(*rigid_pericentre(two(1.5, 1.5)), *rigid_pericentre(two(1.5, 1e-3)) + 0.1);
}

TEST(RigidPericentre, IsToldWithThePericentreOfPointsThatGivesIt)
{
    ics::Config config = two(1.5, 1.5);
    const std::string note = pericentre_note(config);
    const auto at = note.find("of points with pericentre ");
    ASSERT_NE(at, std::string::npos) << note;
    config.orbit->pericentre = std::stod(note.substr(at + 26));
    EXPECT_LT(config.orbit->pericentre, 1.9);
    EXPECT_NEAR(*rigid_pericentre(config), 2, 0.005);
    config.orbit.reset();
    EXPECT_FALSE(rigid_pericentre(config));
    EXPECT_EQ(pericentre_note(config), "");
}

TEST(RigidPericentre, IsTheOneAskedForWhereTheKeySaysSpheres)
{
    ics::Config config = two(1.5, 1.5);
    config.orbit->pericentre_of = ics::PericentreOf::spheres;
    EXPECT_NEAR(*rigid_pericentre(with_orbit_of_points(config)), 2, 0.002);
    // an ellipse of semi-major axis 22: -M / (2 E)
    config.orbit->eccentricity.reset();
    config.orbit->energy = -4.0 / 44;
    EXPECT_NEAR(*rigid_pericentre(with_orbit_of_points(config)), 2, 0.002);
}

TEST(RigidPericentre, ThatNoOrbitOfTheSeparationHasIsRefused)
{
    ics::Config config = two(1.5, 1.5);
    config.orbit->pericentre_of = ics::PericentreOf::spheres;
    config.orbit->eccentricity = 0.9;  // comes out to 40 from 40 / 19 on
    EXPECT_THROW(with_orbit_of_points(config), ConfigError);
    config.orbit->pericentre = 5;
    EXPECT_NEAR(*rigid_pericentre(with_orbit_of_points(config)), 5, 0.005);
}

TEST(RigidPericentre, OfBodiesFromFilesIsRefused)
{
    ics::Config config = two(1.5, 1.5);
    config.orbit->pericentre_of = ics::PericentreOf::spheres;
    config.components[1] = {.model = ics::Model::file};
    EXPECT_THROW(with_orbit_of_points(config), ConfigError);
}

}  // namespace
}  // namespace aureole::test::overlapping_orbit_test
