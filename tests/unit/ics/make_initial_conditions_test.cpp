#include "ics/make_initial_conditions.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "ics/sphere.hpp"
#include "sim/core/error.hpp"
#include "tests/unit/ics/sphere_configs.hpp"

namespace aureole::test::make_initial_conditions_test {
namespace {

using ics::Component;
using ics::Config;
using ics::make_initial_conditions;
using ics::Model;
using ics::Orbit;

/// Two Hernquist galaxies and a pair of bodies beside them.
Config mixed_config()
{
    Config config;
    config.seed = 7;
    config.components = {hernquist(3000),
                         {.model = Model::plummer, .particles = 2000, .mass = 0.5},
                         {.model = Model::two_body}};
    config.components[0].position = {5, 0, 0};
    config.components[1].velocity = {0, 1, 0};
    config.components[1].type = 4;
    config.components[2].elements = {.semi_major_axis = 1};
    return config;
}

/// Mass-weighted mean of particles [begin, end).
Vec3 mean(Particles& p, const Vec3Buffer& of, std::size_t begin, std::size_t end)
{
    double m = 0;
    Vec3 sum{};
    for (std::size_t i = begin; i < end; ++i) {
        const double mass = p.mass.host()[i];
        m += mass;
        sum = sum + mass * Vec3{of.x.host()[i], of.y.host()[i], of.z.host()[i]};
    }
    return 1 / m * sum;
}

double norm(Vec3 v) { return std::sqrt(dot(v, v)); }

bool same_bits(const Vec3Buffer& a, const Vec3Buffer& b)
{
    const std::size_t bytes = a.x.size() * sizeof(double);
    return a.x.size() == b.x.size() && std::memcmp(a.x.data(), b.x.data(), bytes) == 0 &&
           std::memcmp(a.y.data(), b.y.data(), bytes) == 0 && std::memcmp(a.z.data(), b.z.data(), bytes) == 0;
}

/// Of every bit of positions and velocities (Fowler, Noll & Vo's FNV-1a over words).
std::uint64_t fingerprint(const Particles& p)
{
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const Vec3Buffer* vectors : {&p.position, &p.velocity})
        for (const Buffer<double>* values : {&vectors->x, &vectors->y, &vectors->z})
            for (double value : values->host())
                hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3;
    return hash;
}

TEST(InitialConditions, CountIdsTypesAndComponentsInOrder)
{
    Particles p = make_initial_conditions(mixed_config());
    ASSERT_EQ(p.size(), 5002u);
    EXPECT_EQ(particle_count(mixed_config()), 5002u);
    for (std::size_t i = 0; i < p.size(); ++i) {
        ASSERT_EQ(p.id.host()[i], i + 1);
        ASSERT_EQ(p.component.host()[i], i < 3000 ? 0 : i < 5000 ? 1 : 2);
        ASSERT_EQ(p.type.host()[i], i < 3000 || i >= 5000 ? 1 : 4);
    }
    EXPECT_DOUBLE_EQ(p.mass.host()[0], std::pow(100 / 101.0, 2) / 3000);
    EXPECT_EQ(p.mass.host()[5000], 1);
}

TEST(InitialConditions, AreTheSameForAnyNumberOfThreads)
{
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const Particles one = make_initial_conditions(mixed_config());
    omp_set_num_threads(2);
    const Particles two = make_initial_conditions(mixed_config());
    omp_set_num_threads(threads);
    EXPECT_TRUE(same_bits(one.position, two.position));
    EXPECT_TRUE(same_bits(one.velocity, two.velocity));
}

TEST(InitialConditions, AreTheSameOnEveryMachine)
{
    // recorded once; a change of any sampler changes it, and then it is recorded again
    Config config = mixed_config();
    config.components.push_back({.model = Model::uniform_sphere, .particles = 3000});
    EXPECT_EQ(fingerprint(make_initial_conditions(config)), 11994114383895764167u);
}

TEST(InitialConditions, OfInvertedSpheresAreTheSameForAnyNumberOfThreads)
{
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const Particles one = make_initial_conditions(inverted_config());
    omp_set_num_threads(3);
    const Particles three = make_initial_conditions(inverted_config());
    omp_set_num_threads(threads);
    EXPECT_TRUE(same_bits(one.position, three.position));
    EXPECT_TRUE(same_bits(one.velocity, three.velocity));
    EXPECT_EQ(particle_count(inverted_config()), 4000u);
}

TEST(InitialConditions, OfInvertedSpheresAreTheSameOnEveryMachine)
{
    EXPECT_EQ(fingerprint(make_initial_conditions(inverted_config())), 2605427773980357236u);
}

TEST(InitialConditions, OnlySpheresOfOneCentreFeelEachOther)
{
    Config config;
    config.components = {hernquist(200), {.model = Model::nfw, .particles = 200, .truncation_radius = 10}};
    config.components[0].potential = ics::Potential::total;
    const auto velocities = [&] { return make_initial_conditions(config).velocity.x.to_vector(); };
    const auto spread = [](const std::vector<double>& values) {
        double sum = 0;
        for (std::size_t i = 0; i < 200; ++i) sum += values[i] * values[i];
        return sum;
    };
    const double together = spread(velocities());
    config.components[0].potential = ics::Potential::own;
    const double alone = spread(velocities());
    EXPECT_GT(together, 1.2 * alone);

    config.components[0].potential = ics::Potential::total;
    config.components[0].position = {1e-9, 0, 0};
    EXPECT_NEAR(spread(velocities()) / alone, 1, 0.05) << "another place is another centre";
    config.components[0].position = {};
    config.components[0].velocity = {0, 0, 1};
    EXPECT_NEAR(spread(velocities()) / alone, 1, 0.05) << "so is another velocity";
    config.components[0].velocity = {};
    config.orbit = Orbit{.separation = 12, .pericentre = 1, .eccentricity = 0.9};
    config.components[0].velocity_factor = 1;
    EXPECT_EQ(ics::companions(config, 0), std::vector<std::size_t>{}) << "and a place on an orbit";
}

TEST(InitialConditions, CompanionsPullWithTheMassTheyCarry)
{
    // a sphere of fifty times the mass, of which the particle holds 5e-5
    Config config;
    config.components = {hernquist(20000)};
    const auto alone = make_initial_conditions(config).velocity.y.to_vector();
    config.components.push_back(
        {.model = Model::hernquist, .particles = 1, .mass = 50, .truncation_radius = 1e-3});
    config.components[0].potential = ics::Potential::total;
    config.components[1].potential = ics::Potential::own;
    const auto beside = make_initial_conditions(config).velocity.y.to_vector();
    double before = 0, after = 0;
    for (std::size_t i = 0; i < 20000; ++i) {
        before += alone[i] * alone[i];
        after += beside[i] * beside[i];
    }
    EXPECT_NEAR(after / before, 1, 0.05);
}

TEST(InitialConditions, TotalIsOwnWhereNothingElseIs)
{
    Config config;
    config.components = {hernquist(300)};
    const Particles own = make_initial_conditions(config);
    config.components[0].potential = ics::Potential::total;
    EXPECT_TRUE(same_bits(make_initial_conditions(config).velocity, own.velocity));
}

TEST(InitialConditions, AnisotropyLeavesPositionsAlone)
{
    Config config;
    config.components = {hernquist(300)};
    const Particles isotropic = make_initial_conditions(config);
    config.components[0].anisotropy_radius = 0.5;
    const Particles radial = make_initial_conditions(config);
    EXPECT_TRUE(same_bits(radial.position, isotropic.position));
    EXPECT_FALSE(same_bits(radial.velocity, isotropic.velocity));
}

TEST(InitialConditions, AnotherSeedIsAnotherSample)
{
    Config config = mixed_config();
    const Particles first = make_initial_conditions(config);
    config.seed = 8;
    EXPECT_FALSE(same_bits(first.position, make_initial_conditions(config).position));
}

TEST(InitialConditions, BarycentreRestsAtTheOrigin)
{
    Particles p = make_initial_conditions(mixed_config());
    EXPECT_LT(norm(mean(p, p.position, 0, p.size())), 1e-12);
    EXPECT_LT(norm(mean(p, p.velocity, 0, p.size())), 1e-12);
}

TEST(InitialConditions, ModelsKeepTheirAnalyticCentres)
{
    // the same particles alone and as one of two: they differ by one shift, not by their own barycentre's
    Config config;
    config.components = {hernquist(500), hernquist(500)};
    config.components[1].position = {12, 0, 0};
    config.components[1].velocity = {0, 0, 3};
    Particles p = make_initial_conditions(config);
    const Vec3 apart = mean(p, p.position, 500, 1000) - mean(p, p.position, 0, 500);
    EXPECT_GT(norm(apart - Vec3{12, 0, 0}), 1e-3) << "the components were recentred";

    config.components[1].position = {0, 0, 0};
    config.components[1].velocity = {0, 0, 0};
    Particles q = make_initial_conditions(config);
    for (std::size_t i : {0, 499, 500, 999}) {
        const bool second = i >= 500;
        EXPECT_NEAR(p.position.x.host()[i] - q.position.x.host()[i], second ? 6 : -6, 1e-12);
        EXPECT_NEAR(p.velocity.z.host()[i] - q.velocity.z.host()[i], second ? 1.5 : -1.5, 1e-12);
    }
}

TEST(InitialConditions, PairOrbitsItsBarycentre)
{
    Config config;
    config.components = {{.model = Model::two_body, .position = {1, 2, 3}, .type = 4}};
    config.components[0].elements = {.masses = {3, 1}, .semi_major_axis = 4};
    Particles p = make_initial_conditions(config);
    EXPECT_NEAR(p.position.x.host()[0], -1, 1e-15);
    EXPECT_NEAR(p.position.x.host()[1], 3, 1e-15);
    EXPECT_NEAR(p.velocity.y.host()[0], -0.25, 1e-15);
    EXPECT_NEAR(p.velocity.y.host()[1], 0.75, 1e-15);
    EXPECT_EQ(p.type.host()[1], 4);
}

TEST(InitialConditions, TheVelocityFactorOfAPairMultipliesTheVelocitiesAboutItsBarycentre)
{
    Config config;
    config.components = {{.model = Model::two_body, .velocity_factor = 2}};
    config.components[0].elements = {.masses = {3, 1}, .semi_major_axis = 4};
    const Particles p = make_initial_conditions(config);
    EXPECT_NEAR(p.position.x.host()[0], -1, 1e-15) << "positions stay";
    EXPECT_NEAR(p.velocity.y.host()[0], 2 * -0.25, 1e-15);
    EXPECT_NEAR(p.velocity.y.host()[1], 2 * 0.75, 1e-15);
}

TEST(InitialConditions, OrbitPlacesTwoComponents)
{
    Config config;
    config.components = {hernquist(1), hernquist(1)};
    config.components[1].mass = 3;
    for (Component& c : config.components) {
        c.scale_radius = 1e-12;  // all mass at the centre
        c.velocities = ics::Velocities::cold;
    }
    config.orbit = Orbit{.components = {1, 0}, .separation = 12, .pericentre = 1, .eccentricity = 0.9};
    Particles p = make_initial_conditions(config);
    const ParticlesView view = p.view();
    const Vec3 x = view.position.load(0) - view.position.load(1);
    const Vec3 v = view.velocity.load(0) - view.velocity.load(1);
    const double total = view.mass[0] + view.mass[1];
    EXPECT_NEAR(norm(x), 12, 1e-9);
    EXPECT_NEAR(dot(v, v) / 2 - total / 12, -total / 20, 1e-9);
    EXPECT_LT(dot(x, v), 0);
    EXPECT_NEAR(norm(view.mass[0] * view.position.load(0) + view.mass[1] * view.position.load(1)), 0, 1e-12);
}

class GivenParticles : public testing::Test {
protected:
    GivenParticles() : given_(Backend::cpu, 3)
    {
        for (Index i = 0; i < 3; ++i) {
            given_.mass.host()[i] = 1.0 + i;
            given_.position.x.host()[i] = 10 + i;
            given_.velocity.y.host()[i] = i - 2.0;
            given_.id.host()[i] = 100 + i;
            given_.type.host()[i] = static_cast<ParticleType>(i);
        }
        config_.components = {{.model = Model::file, .given = &given_}};
    }

    Particles given_;
    Config config_;
};

TEST_F(GivenParticles, StayWhatTheyAre)
{
    const Particles p = make_initial_conditions(config_);
    EXPECT_TRUE(same_bits(p.position, given_.position));
    EXPECT_TRUE(same_bits(p.velocity, given_.velocity));
    EXPECT_EQ(p.id.to_vector(), given_.id.to_vector());
    EXPECT_EQ(p.type.to_vector(), given_.type.to_vector());
    EXPECT_EQ(p.mass.to_vector(), given_.mass.to_vector());
}

TEST_F(GivenParticles, AreRecentredOnRequest)
{
    config_.components[0].recenter = true;
    Particles p = make_initial_conditions(config_);
    EXPECT_NEAR(p.position.x.host()[0], 10 - 68 / 6.0, 1e-14);
    EXPECT_NEAR(p.velocity.y.host()[0], -2 + 4 / 6.0, 1e-15);
}

TEST_F(GivenParticles, AreMovedScaledTypedAndNumberedOnRequest)
{
    config_.components[0].position = {0, 0, 1};
    config_.components[0].velocity = {0, 0.5, 0};
    config_.components[0].velocity_factor = 2;
    config_.components[0].type = 5;
    config_.components.insert(config_.components.begin(), hernquist(2));
    Particles p = make_initial_conditions(config_);
    EXPECT_EQ(p.position.z.host()[4], 1);
    EXPECT_EQ(p.velocity.y.host()[3], 2 * -1 + 0.5);
    EXPECT_EQ(p.type.host()[4], 5);
    EXPECT_EQ(p.id.to_vector(), (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace aureole::test::make_initial_conditions_test
