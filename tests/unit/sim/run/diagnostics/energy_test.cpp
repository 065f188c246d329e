#include "sim/run/diagnostics/energy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/core/particles.hpp"
#include "sim/run/diagnostics/lagrangian_radii.hpp"
#include "sim/run/diagnostics/orbit.hpp"

namespace aureole::test {
namespace {

/// Two bodies of masses 3 and 1 on a circular orbit of separation 2 about the origin, moving along y.
Particles circular_pair()
{
    Particles p(Backend::cpu, 2);
    const double m[2] = {3, 1}, x[2] = {-0.5, 1.5};
    const double omega = std::sqrt(4.0 / 8.0);
    for (std::size_t i = 0; i < 2; ++i) {
        p.mass.host()[i] = m[i];
        p.position.x.host()[i] = x[i];
        p.velocity.y.host()[i] = omega * x[i];
        p.acceleration.x.host()[i] = -omega * omega * x[i];
        p.potential.host()[i] = -m[1 - i] / 2;
    }
    return p;
}

TEST(Energy, OfACircularPairByHand)
{
    const run::Energy energy = run::measure_energy(circular_pair().view());
    EXPECT_DOUBLE_EQ(energy.potential, -1.5);
    EXPECT_DOUBLE_EQ(energy.kinetic, 0.75);
    EXPECT_DOUBLE_EQ(energy.virial_ratio, 1.0);
    EXPECT_NEAR(energy.momentum.y, 0, 1e-15);
    EXPECT_NEAR(energy.angular_momentum.z, std::sqrt(0.5) * 3, 1e-15);
    EXPECT_NEAR(energy.centre_of_mass.x, 0, 1e-15);
    EXPECT_DOUBLE_EQ(energy.lagrangian_radii[2], 0.5);
    EXPECT_DOUBLE_EQ(energy.lagrangian_radii[3], 1.5);
}

TEST(Energy, LagrangianRadiiOfAUniformRod)
{
    Particles p(Backend::cpu, 1000);
    for (std::size_t i = 0; i < 1000; ++i) {
        p.mass.host()[i] = 0.001;
        p.position.x.host()[i] = static_cast<double>(i + 1);
    }
    const auto radii = run::lagrangian_radii(p.view(), {0, 1000}, {}, std::array{0.1, 0.5});
    EXPECT_NEAR(radii[0], 100, 1.01);
    EXPECT_NEAR(radii[1], 500, 1.01);
}

TEST(Energy, OfNothingIsZeroWithoutRadii)
{
    const run::Energy energy = run::measure_energy(Particles(Backend::cpu, 0).view());
    EXPECT_EQ(energy.total(), 0);
    EXPECT_TRUE(std::isnan(energy.lagrangian_radii[0]));
}

TEST(EnergyConservation, CountsNeitherWorkNorJumpsAsErrors)
{
    run::EnergyConservation conservation;
    run::EnergyBalance balance;
    conservation.record(-4, balance);
    EXPECT_EQ(conservation.error(), 0);
    balance.external_work = 1.5;
    balance.terms.recentring_jumps = -0.5;
    conservation.record(-3, balance);
    EXPECT_EQ(conservation.error(), 0);
    conservation.record(-3.5, balance);
    EXPECT_DOUBLE_EQ(conservation.error(), -0.125);
    conservation.record(-2.8, balance);
    EXPECT_NEAR(conservation.error(), 0.05, 1e-15);
    EXPECT_DOUBLE_EQ(conservation.largest_error(), 0.125);
}

TEST(EnergyConservation, EndsForGoodWhereNothingIsConserved)
{
    run::EnergyConservation conservation;
    conservation.record(-1, {});
    conservation.record(-1.25, {});
    conservation.record(-1, {.terms = {.not_conserved = "coefficients are played back"}});
    EXPECT_TRUE(std::isnan(conservation.error()));
    EXPECT_EQ(conservation.largest_error(), 0.25) << "of the time before";
    conservation.record(-1, {});
    EXPECT_TRUE(std::isnan(conservation.error()));
    EXPECT_EQ(conservation.not_conserved(), "coefficients are played back");
}

TEST(Orbit, ShrinkingSphereFindsTheDensePartNotTheMean)
{
    // a dense clump of 300 at x = 5 and 100 strays far away on one side
    Particles p(Backend::cpu, 400);
    std::vector<double> potential(400, -1.0);
    for (std::size_t i = 0; i < 400; ++i) {
        const double angle = 2.4 * static_cast<double>(i), r = 0.1 * std::sqrt(static_cast<double>(i) / 300);
        const bool stray = i >= 300;
        p.mass.host()[i] = 1;
        p.position.x.host()[i] = stray ? -20 - static_cast<double>(i) / 10 : 5 + r * std::cos(angle);
        p.position.y.host()[i] = stray ? 0 : r * std::sin(angle);
        p.velocity.x.host()[i] = stray ? 30 : 1;
    }
    const run::ComponentOrbit orbit = run::measure_orbit(p.view(), {0, 400}, potential.data());
    EXPECT_NEAR(orbit.centre.x, 5, 0.1);
    EXPECT_NEAR(orbit.velocity.x, 1, 1e-12);
    EXPECT_EQ(orbit.bound_mass, 300) << "strays at 29 against a potential of -1 are free";
}

TEST(Orbit, ComponentsAreRuns)
{
    Particles p(Backend::cpu, 5);
    p.component.host()[3] = p.component.host()[4] = 1;
    const auto ranges = run::component_ranges(p.component.host());
    ASSERT_EQ(ranges.size(), 2u);
    EXPECT_EQ(ranges[1].begin, 3u);
    EXPECT_EQ(ranges[1].end, 5u);
}

}  // namespace
}  // namespace aureole::test
