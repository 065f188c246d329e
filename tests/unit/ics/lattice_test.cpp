// Displaced lattices by hand, their seeds, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ics/make_initial_conditions.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/box.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::lattice_test {
namespace {

using ics::Config;

constexpr double side = 20;

Config lattice(Index n, std::vector<int> waves = {})
{
    Config config;
    ics::Component component;
    component.model = ics::Model::lattice;
    component.particles = std::uint64_t{n} * n * n;
    component.mass = 8;
    component.lattice.box_side = side;
    component.lattice.wave_vectors = std::move(waves);
    config.components = {component};
    return config;
}

double separation(double a, double b) { return std::abs(Box{side}.nearest(a - b)); }

TEST(LatticeConditions, WithoutWavesSitesHoldEqualMassesAtRestWithZFastest)
{
    const Particles host = make_initial_conditions(lattice(4));
    ASSERT_EQ(host.size(), 64u);
    for (Index i = 0; i < 64; ++i) {
        EXPECT_EQ(host.id.data()[i], i + 1);
        EXPECT_EQ(host.mass.data()[i], 8.0 / 64);
        const Vec3 x = host.position.load(i), v = host.velocity.load(i);
        EXPECT_EQ(x.x, 5.0 * (i / 16));
        EXPECT_EQ(x.y, 5.0 * (i / 4 % 4));
        EXPECT_EQ(x.z, 5.0 * (i % 4));
        EXPECT_EQ(dot(v, v), 0);
    }
}

TEST(LatticeConditions, AWaveIsZeldovichsPancake)
{
    Config config = lattice(16, {0, 2, 0});
    config.components[0].lattice.growth_factor = 0.7;
    config.components[0].lattice.wave_velocity = 3;
    config.components[0].velocity = {1, 0, 0};
    const Particles host = make_initial_conditions(config);
    for (Index i = 0; i < host.size(); ++i) {
        const double q = side / 16 * (i / 16 % 16), s = -side / (4 * M_PI) * std::sin(4 * M_PI * q / side);
        EXPECT_LT(separation(host.position.load(i).y, q + 0.7 * s), 1e-13);
        EXPECT_LT(separation(host.position.load(i).x, side / 16 * (i / 256)), 1e-13);
        EXPECT_NEAR(host.velocity.load(i).y, 3 * s / (side / (2 * M_PI)), 1e-13);
        EXPECT_EQ(host.velocity.load(i).x, 1);
        EXPECT_GE(host.position.load(i).y, 0);
        EXPECT_LT(host.position.load(i).y, side);
    }
}

TEST(LatticeConditions, WavesAddUpAndPhasesFollowTheSeed)
{
    Config both = lattice(6, {1, 0, 0, 1, -2, 1}), first = lattice(6, {1, 0, 0}),
           second = lattice(6, {1, -2, 1});
    for (Config* c : {&both, &first, &second}) c->components[0].lattice.growth_factor = 0.1;
    const Particles sum = make_initial_conditions(both), a = make_initial_conditions(first),
                    b = make_initial_conditions(second), q = make_initial_conditions(lattice(6));
    for (Index i = 0; i < sum.size(); ++i) {
        const Vec3 expected = a.position.load(i) + b.position.load(i) - q.position.load(i);
        EXPECT_LT(separation(sum.position.load(i).x, expected.x), 1e-13);
        EXPECT_LT(separation(sum.position.load(i).y, expected.y), 1e-13);
    }
    both.components[0].lattice.random_phases = true;
    const Particles one = make_initial_conditions(both), same = make_initial_conditions(both);
    both.seed = 2;
    const Particles other = make_initial_conditions(both);
    EXPECT_TRUE(std::ranges::equal(one.position.x.host(), same.position.x.host()));
    EXPECT_FALSE(std::ranges::equal(one.position.x.host(), other.position.x.host()));
}

TEST(LatticeConditions, RandomOffsetsFillUpToTheirReach)
{
    Config config = lattice(12);
    config.components[0].lattice.random_offset = 0.5;
    const Particles host = make_initial_conditions(config), q = make_initial_conditions(lattice(12));
    double largest = 0, mean = 0;
    std::set<double> different;
    for (Index i = 0; i < host.size(); ++i) {
        const double d = Box{side}.nearest(host.position.load(i).z - q.position.load(i).z);
        largest = std::max(largest, std::abs(d));
        mean += d / static_cast<double>(host.size());
        different.insert(d);
    }
    const double reach = 0.5 * side / 12;
    EXPECT_LE(largest, reach * (1 + 1e-12));
    EXPECT_GT(largest, 0.99 * reach);
    EXPECT_LT(std::abs(mean), 5 * reach / std::sqrt(3.0 * 1728));
    EXPECT_GT(different.size(), 1700u);
}

TEST(LatticeConditions, WhatIsNoneIsRefusedByName)
{
    const auto said = [](const Config& config) {
        return message_of<ConfigError>([&] { make_initial_conditions(config); });
    };
    Config config = lattice(3);
    config.components[0].particles = 28;
    EXPECT_TRUE(contains(said(config), "component 0 (lattice): particles is 28, expected a cube number"));
    config = lattice(3);
    config.components[0].lattice.box_side = 0;
    EXPECT_TRUE(contains(said(config), "lattice.box_side is 0"));
    EXPECT_TRUE(contains(said(lattice(3, {1, 2})), "holds 2 integers, expected three for each wave"));
    EXPECT_TRUE(contains(said(lattice(3, {1, 2, 0, 0, 0, 0})), "wave 1: is [0, 0, 0]"));
    config = lattice(3);
    config.components[0].lattice.random_offset = 1.5;
    EXPECT_TRUE(contains(said(config), "lattice.random_offset is 1.5"));
    config = lattice(3);
    config.components.push_back(config.components[0]);
    EXPECT_TRUE(contains(said(config), "expected no other component"));
}

}  // namespace
}  // namespace aureole::test::lattice_test
