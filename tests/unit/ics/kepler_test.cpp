#include "ics/model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ics/make_initial_conditions.hpp"

namespace aureole::test::kepler_test {
namespace {

using ics::KeplerElements;
using ics::Orbit;

void expect_near(Vec3 found, Vec3 expected, double tolerance = 1e-14)
{
    EXPECT_NEAR(found.x, expected.x, tolerance);
    EXPECT_NEAR(found.y, expected.y, tolerance);
    EXPECT_NEAR(found.z, expected.z, tolerance);
}

TEST(KeplerElements, CircleByHand)
{
    // total mass 4, radius 1: speed 2; a quarter turn on
    const PhaseSpacePoint p =
        relative_motion(KeplerElements{.masses = {1, 3}, .semi_major_axis = 1, .true_anomaly = 90});
    expect_near(p.position, {0, 1, 0});
    expect_near(p.velocity, {-2, 0, 0});
}

TEST(KeplerElements, ApocentreByHand)
{
    // a = 1, e = 1/2, M = 1: at 3/2, speed sqrt(M (2 / r - 1 / a)) = sqrt(1/3)
    for (auto anomaly : {&KeplerElements::true_anomaly, &KeplerElements::mean_anomaly}) {
        KeplerElements elements{.masses = {0.25, 0.75}, .pericentre = 0.5, .eccentricity = 0.5};
        elements.*anomaly = 180;
        const PhaseSpacePoint p = relative_motion(elements);
        expect_near(p.position, {-1.5, 0, 0});
        expect_near(p.velocity, {0, -std::sqrt(1 / 3.0), 0});
    }
}

TEST(KeplerElements, ParabolaByHand)
{
    // q = 1, M = 2, f = 90 degrees: r = 2 q, v^2 = 2 M / r, both components sqrt(M / p) = 1
    const PhaseSpacePoint p =
        relative_motion(KeplerElements{.pericentre = 1, .eccentricity = 1, .true_anomaly = 90});
    expect_near(p.position, {0, 2, 0});
    expect_near(p.velocity, {-1, 1, 0});
}

TEST(KeplerElements, AnglesTurnTheOrbitByHand)
{
    // at pericentre, moving along +y before turning; each angle a quarter turn
    KeplerElements elements{.masses = {1, 0}, .semi_major_axis = 1};
    elements.inclination = 90;
    expect_near(relative_motion(elements).position, {1, 0, 0});
    expect_near(relative_motion(elements).velocity, {0, 0, 1});
    elements.argument_of_pericentre = 90;
    expect_near(relative_motion(elements).position, {0, 0, 1});
    expect_near(relative_motion(elements).velocity, {-1, 0, 0});
    elements.ascending_node = 90;
    expect_near(relative_motion(elements).position, {0, 0, 1});
    expect_near(relative_motion(elements).velocity, {0, -1, 0});
}

TEST(KeplerElements, EnergyAndAngularMomentumAreThoseOfTheElements)
{
    const double a = 2.5, e = 0.97, m = 1.7;
    for (double anomaly : {0.0, 1e-3, 40.0, 179.0, 200.0, 359.9}) {
        const PhaseSpacePoint p = relative_motion(KeplerElements{.masses = {m, 0},
                                                                 .semi_major_axis = a,
                                                                 .eccentricity = e,
                                                                 .mean_anomaly = anomaly,
                                                                 .inclination = 33,
                                                                 .ascending_node = 210,
                                                                 .argument_of_pericentre = 71});
        const double r = std::sqrt(dot(p.position, p.position));
        EXPECT_NEAR(dot(p.velocity, p.velocity) / 2 - m / r, -m / (2 * a), 1e-12 * m / r) << anomaly;
        const Vec3 l = cross(p.position, p.velocity);
        EXPECT_NEAR(dot(l, l), m * a * (1 - e * e), 1e-12) << anomaly;
        EXPECT_NEAR(l.z, std::sqrt(dot(l, l)) * std::cos(33 * std::numbers::pi / 180), 1e-12) << anomaly;
    }
}

TEST(Orbits, StartInboundAtTheirSeparation)
{
    const double m = 1.96;
    for (double e : {0.0, 0.5, 0.9, 1.0, 1.6}) {
        Orbit orbit{.separation = e == 0 ? 1.0 : 2.5, .pericentre = 1, .eccentricity = e};
        const PhaseSpacePoint p = relative_motion(orbit, m);
        const double r = std::sqrt(dot(p.position, p.position));
        EXPECT_NEAR(r, orbit.separation, 1e-14) << e;
        EXPECT_NEAR(dot(p.velocity, p.velocity) / 2 - m / r, -m * (1 - e) / 2, 1e-14) << e;
        EXPECT_NEAR(cross(p.position, p.velocity).z, std::sqrt(m * (1 + e)), 1e-14) << e;
        EXPECT_LE(dot(p.position, p.velocity), e > 0 ? -0.1 : 1e-15) << e;
    }
}

TEST(Orbits, EnergyStandsForEccentricity)
{
    const Orbit by_shape{.separation = 12, .pericentre = 1, .eccentricity = 0.9};
    const Orbit by_energy{.separation = 12, .pericentre = 1, .energy = -2 / 20.0};  // -M / (2 a), a = 10
    expect_near(relative_motion(by_energy, 2).position, relative_motion(by_shape, 2).position, 1e-12);
    expect_near(relative_motion(by_energy, 2).velocity, relative_motion(by_shape, 2).velocity, 1e-12);
}

TEST(Orbits, ReachTheirApsides)
{
    const Orbit at_apocentre{.separation = 19, .pericentre = 1, .eccentricity = 0.9};
    expect_near(relative_motion(at_apocentre, 1).position, {-19, 0, 0}, 1e-6);
    const Orbit at_pericentre{.separation = 1, .pericentre = 1, .eccentricity = 0.9};
    expect_near(relative_motion(at_pericentre, 1).position, {1, 0, 0}, 1e-14);
}

}  // namespace
}  // namespace aureole::test::kepler_test
