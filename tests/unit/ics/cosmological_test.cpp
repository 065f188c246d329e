// Particles of a Gaussian field: displacements against a plain sum over waves, both loads, growth, and the
// settings that are refused.
#include "ics/cosmological.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "cosmology/growth.hpp"
#include "ics/linear_modes.hpp"
#include "ics/make_initial_conditions.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/box.hpp"
#include "tests/support/message_of.hpp"
#include "tests/unit/cosmology/universes.hpp"

namespace aureole::test {
namespace {

using namespace ics;
using std::numbers::pi;

constexpr double side = 5, mpc_h = 40, start = 0.04;

Config config_of(const CosmologicalField& field)
{
    Config config;
    config.seed = 9;
    config.universe = Universe{.parameters = flat_lambda,
                               .spectrum = cosmology::LinearSpectrum::power_law(-2).with_sigma_8(0.8),
                               .scale_factor = start,
                               .hubble_rate = 3,
                               .side = side,
                               .side_mpc_h = mpc_h};
    ics::Component component;
    component.model = Model::cosmological;
    component.mass = 8;
    component.own.get<CosmologicalField>() = field;
    config.components.push_back(component);
    return config;
}

/// -D nabla phi at q, in units in which the box has this side, by a sum over all waves.
Vec3 displaced_by_waves(const ModeGrid& grid, const Modes& modes, Vec3 q)
{
    const int half = (grid.n - 1) / 2;
    const double unit = 2 * pi / side, d = cosmology::Growth(cosmology::Background(flat_lambda)).at(start).d;
    Vec3 sum{};
    for (int x = -half; x <= half; ++x)
        for (int y = -half; y <= half; ++y)
            for (int z = -half; z <= half; ++z) {
                if (x == 0 && y == 0 && z == 0) continue;
                const std::complex<double> mode =
                    z >= 0 ? modes[grid.index(x, y, z)] : std::conj(modes[grid.index(-x, -y, -z)]);
                const Vec3 k = unit * Vec3{double(x), double(y), double(z)};
                const std::complex<double> wave = mode * std::polar(1.0, dot(k, q));
                sum = sum -
                      wave.imag() / dot(k, k) * k;  // the gradient of phi = -delta / k^2 is -i k delta / k^2
            }
    return d * sum;
}

TEST(CosmologicalField, DisplacesBothLatticesAsASumOfWavesDoes)
{
    const Config config = config_of({.grid = 8, .load = Load::bcc, .order = 1});
    const Particles p = make_initial_conditions(config);
    ASSERT_EQ(p.size(), 1024u);
    const ModeGrid grid{8, mpc_h};
    const Modes modes = gaussian_modes(grid, config.universe->spectrum, {.seed = 9});
    const Box box{side};
    double largest = 0;
    for (std::size_t i = 0; i < p.size(); i += 7) {
        const std::size_t site = i % 512;
        const double offset = i < 512 ? 0 : 0.5;
        const Vec3 q =
            side / 8 *
            Vec3{double(site / 64) + offset, double(site / 8 % 8) + offset, double(site % 8) + offset};
        const Vec3 expected = displaced_by_waves(grid, modes, q), found = box.nearest(p.position.load(i) - q);
        const Vec3 off = found - expected;
        EXPECT_LT(std::sqrt(dot(off, off)), 1e-12 * side) << i;
        largest = std::max(largest, std::sqrt(dot(expected, expected)));
        EXPECT_EQ(p.mass.host()[i], 8.0 / 1024);
        EXPECT_EQ(p.id.host()[i], i + 1);
        for (const double x : {p.position.load(i).x, p.position.load(i).y, p.position.load(i).z})
            EXPECT_TRUE(x >= 0 && x < side);
    }
    EXPECT_GT(largest, 1e-3 * side);
}

TEST(CosmologicalField, MovesWithItsGrowth)
{
    const Config first = config_of({.grid = 8, .order = 1});
    const Particles p = make_initial_conditions(first);
    const cosmology::Background background(flat_lambda);
    const double rate = start * 3 * background.expansion(start) * cosmology::Growth(background).at(start).f;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Vec3 q = side / 8 * Vec3{double(i / 64), double(i / 8 % 8), double(i % 8)};
        const Vec3 s = Box{side}.nearest(p.position.load(i) - q), v = p.velocity.load(i);
        EXPECT_NEAR(v.x, rate * s.x, 1e-12);
        EXPECT_NEAR(v.y, rate * s.y, 1e-12);
    }
}

TEST(CosmologicalField, SecondOrderIsSmallAndChangesWithTheRuleOfGrowth)
{
    const auto positions = [](const CosmologicalField& field) {
        return make_initial_conditions(config_of(field)).position.x.to_vector();
    };
    const auto first = positions({.grid = 8, .order = 1}), second = positions({.grid = 8}),
               eds = positions({.grid = 8, .growth = GrowthRule::einstein_de_sitter});
    EXPECT_NE(first, second);
    EXPECT_NE(second, eds);
    for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_NEAR(Box{side}.nearest(first[i] - second[i]), 0, 0.02 * side);
        EXPECT_NEAR(Box{side}.nearest(eds[i] - second[i]), 0, 1e-6 * side);
    }
}

TEST(CosmologicalField, IsTheSameForAnyNumberOfThreads)
{
    const int threads = omp_get_max_threads();
    const auto bits = [](int count) {
        omp_set_num_threads(count);
        const Particles p = make_initial_conditions(config_of({.grid = 20, .load = Load::bcc}));
        return std::pair{p.position.z.to_vector(), p.velocity.y.to_vector()};
    };
    const auto one = bits(1);
    EXPECT_EQ(bits(3), one);
    omp_set_num_threads(threads);
}

TEST(CosmologicalField, RefusesWhatCannotBe)
{
    const auto refusal = [](const CosmologicalField& field) {
        return message_of<ConfigError>([&] { particle_count(config_of(field)); });
    };
    EXPECT_NE(refusal({.grid = 1}).find("field.grid is 1"), std::string::npos);
    EXPECT_NE(refusal({.grid = 1601}).find("field.grid"), std::string::npos);
    EXPECT_NE(refusal({.order = 3}).find("field.order is 3"), std::string::npos);
    EXPECT_NE(refusal({.grid = 9, .phases = Phases::ngenic}).find("even"), std::string::npos);
    EXPECT_NE(refusal({.phases = Phases::ngenic, .fixed = true}).find("field.fixed"), std::string::npos);
    EXPECT_EQ(particle_count(config_of({.grid = 9, .load = Load::bcc})), 1458u);
}

TEST(CosmologicalField, RefusesATableThatEndsBeforeItsWaves)
{
    const std::vector<double> k{0.1, 0.2, 0.4, 1}, power{9, 8, 7, 1};
    Universe universe = *config_of({}).universe;  // from 0.157 h/Mpc on
    universe.spectrum = cosmology::LinearSpectrum::table(k, power);
    EXPECT_NO_THROW(expect_covered(universe, 7));
    EXPECT_THROW(expect_covered(universe, 9), ConfigError);
    universe.side_mpc_h = 80;
    EXPECT_THROW(expect_covered(universe, 7), ConfigError);
}

}  // namespace
}  // namespace aureole::test
