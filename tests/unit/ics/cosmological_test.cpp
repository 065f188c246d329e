// Particles of a Gaussian field: displacements against a plain sum over waves, both loads, growth, and the
// settings that are refused.
#include "ics/cosmological.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "cosmology/growth.hpp"
#include "ics/lattice_growth.hpp"
#include "ics/linear_modes.hpp"
#include "ics/make_initial_conditions.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/box.hpp"
#include "tests/support/message_of.hpp"
#include "tests/unit/cosmology/universes.hpp"

namespace aureole::test::cosmological_test {
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

TEST(CosmologicalField, DisplacesEachLatticeAsASumOfWavesDoes)
{
    const ModeGrid grid{8, mpc_h};
    const Modes modes = gaussian_modes(grid, config_of({}).universe->spectrum, {.seed = 9});
    const Box box{side};
    const Vec3 fcc[] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    for (const Load load : {Load::bcc, Load::fcc}) {
        const Particles p = make_initial_conditions(config_of({.grid = 8, .load = load, .order = 1}));
        ASSERT_EQ(p.size(), load == Load::bcc ? 1024u : 2048u);
        double largest = 0;
        for (std::size_t i = 0; i < p.size(); i += 7) {
            const std::size_t site = i % 512, lattice = i / 512;
            const Vec3 offset = load == Load::fcc ? fcc[lattice] : 0.5 * double(lattice) * Vec3{1, 1, 1};
            const Vec3 q =
                side / 8 * (Vec3{double(site / 64), double(site / 8 % 8), double(site % 8)} + offset);
            const Vec3 expected = displaced_by_waves(grid, modes, q),
                       off = box.nearest(p.position.load(i) - q) - expected;
            EXPECT_LT(std::sqrt(dot(off, off)), 1e-12 * side) << i;
            largest = std::max(largest, std::sqrt(dot(expected, expected)));
            EXPECT_EQ(p.mass.host()[i], 8.0 / static_cast<double>(p.size()));
            EXPECT_EQ(p.id.host()[i], i + 1);
            for (const double x : {p.position.load(i).x, p.position.load(i).y, p.position.load(i).z})
                EXPECT_TRUE(x >= 0 && x < side);
        }
        EXPECT_GT(largest, 1e-3 * side);
    }
}

TEST(LatticeGrowth, HasTheFactorsOfTheTable)
{
    // forces over those of a continuum by Ewald's sums, six digits
    const std::tuple<int, std::array<int, 3>, double> table[] = {
        {8, {1, 0, 0}, 1.015354},  {8, {0, 2, 0}, 1.052295},  {8, {1, 0, -1}, 0.946330},
        {8, {-1, 1, 1}, 0.882900}, {16, {0, 0, 1}, 1.003993}, {16, {4, 0, 0}, 1.052295},
        {16, {1, 1, 0}, 0.986419}, {16, {1, 1, 1}, 0.969209}, {32, {0, 8, 0}, 1.052295},
        {32, {1, 1, 0}, 0.996596}, {32, {1, 1, 1}, 0.992206}};
    for (const auto& [n, wave, factor] : table) {
        const LatticeWave found = LatticeGrowth(n)(wave);
        const Vec3 k{double(wave[0]), double(wave[1]), double(wave[2])};
        EXPECT_NEAR(found.factor, factor, 1e-6) << n;
        EXPECT_NEAR(dot(found.direction, k), std::sqrt(dot(k, k)), 1e-12)
            << "axes and diagonals are eigenvectors";
    }
}

TEST(CosmologicalField, StartsWavesOfALatticeAlongItsEigenvectors)
{
    const double until = 3 * start;
    const Particles p = make_initial_conditions(config_of({.grid = 8, .order = 1, .lattice_until = until})),
                    plain = make_initial_conditions(config_of({.grid = 8, .order = 1}));
    const ModeGrid grid{8, mpc_h};
    const Modes modes = gaussian_modes(grid, config_of({}).universe->spectrum, {.seed = 9});
    const cosmology::Background background(flat_lambda);
    const cosmology::Growth growth(background);
    const double more = growth.at(until).d / growth.at(start).d;
    const double rate = start * 3 * background.expansion(start) * growth.at(start).f;
    const LatticeGrowth lattice(8);
    double largest = 0;
    for (std::size_t i = 0; i < p.size(); i += 37) {
        const Vec3 q = side / 8 * Vec3{double(i / 64), double(i / 8 % 8), double(i % 8)};
        Vec3 moved{}, speed{};
        for (int x = -3; x <= 3; ++x)
            for (int y = -3; y <= 3; ++y)
                for (int z = -3; z <= 3; ++z) {
                    if (x == 0 && y == 0 && z == 0) continue;
                    const std::complex<double> mode =
                        z >= 0 ? modes[grid.index(x, y, z)] : std::conj(modes[grid.index(-x, -y, -z)]);
                    const LatticeWave wave = lattice({x, y, z});
                    const Vec3 k = 2 * pi / side * Vec3{double(x), double(y), double(z)};
                    const double n = wave.exponent();
                    const Vec3 one = -growth.at(start).d * std::pow(more, 1 - n) / dot(wave.direction, k) *
                                     (mode * std::polar(1.0, dot(k, q))).imag() * wave.direction;
                    moved = moved + one;
                    speed = speed + n * rate * one;
                }
        const Vec3 off = Box{side}.nearest(p.position.load(i) - q) - moved, slow = p.velocity.load(i) - speed,
                   change = p.position.load(i) - plain.position.load(i);
        EXPECT_LT(std::sqrt(dot(off, off)), 1e-12 * side) << i;
        EXPECT_LT(std::sqrt(dot(slow, slow)), 1e-11) << i;
        largest = std::max(largest, std::sqrt(dot(change, change)));
    }
    EXPECT_GT(largest, 1e-4 * side);
}

/// Seventeen sites without order, repeated twice along each axis.
Config tiled(int order)
{
    Config config =
        config_of({.grid = 8, .load = Load::glass, .load_file = "glass", .order = order, .sites = 136});
    Tile& tile = config.universe->tile;
    for (int k = 0; k < 17; ++k)
        tile.sites.push_back(
            {std::fmod(0.31 * k, 1.0), std::fmod(0.57 * k * k, 1.0), std::fmod(0.93 * k, 1.0)});
    tile.count = 2;
    return config;
}

TEST(CosmologicalField, DisplacesATileThatIsRepeated)
{
    const Config config = tiled(1);
    const Particles p = make_initial_conditions(config), load = make_initial_conditions(tiled(0));
    ASSERT_EQ(p.size(), 136u);
    const ModeGrid grid{8, mpc_h};
    const Modes modes = gaussian_modes(grid, config.universe->spectrum, {.seed = 9});
    double square = 0, error = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const std::size_t t = i / 17;
        const Vec3 tile{double(t / 4), double(t / 2 % 2), double(t % 2)};
        const Vec3 q = side / 2 * (tile + config.universe->tile.sites[i % 17]);
        const Vec3 at_rest = load.position.load(i) - q, v = load.velocity.load(i);
        EXPECT_LT(dot(at_rest, at_rest), 1e-28);
        EXPECT_EQ(dot(v, v), 0);
        const Vec3 expected = displaced_by_waves(grid, modes, q),
                   off = Box{side}.nearest(p.position.load(i) - q) - expected;
        square += dot(expected, expected);
        error += dot(off, off);
        EXPECT_EQ(p.mass.host()[i], 8.0 / 136);
    }
    EXPECT_GT(square / 136, 1e-6 * side * side);
    EXPECT_LT(std::sqrt(error / square), 3e-3);  // images of the shortest waves, 1 % of which they are
}

TEST(CosmologicalField, TakesTheWavesOfWhiteNoise)
{
    Config config = config_of({.grid = 4, .order = 1, .phases = Phases::file, .phases_file = "noise"});
    WhiteNoise& noise = config.universe->white_noise;
    noise = {4, std::vector<double>(64)};
    for (std::size_t i = 0; i < 64; ++i) noise.values[i] = std::sin(2.3 * static_cast<double>(i * i));
    const Particles p = make_initial_conditions(config);
    const ModeGrid grid{4, mpc_h};
    const Modes modes = white_noise_modes(grid, config.universe->spectrum, noise, {});
    const Vec3 q = side / 4 * Vec3{1, 2, 3},
               off = Box{side}.nearest(p.position.load(27) - q) - displaced_by_waves(grid, modes, q);
    EXPECT_LT(std::sqrt(dot(off, off)), 1e-12 * side);
    noise = {3, std::vector<double>(27)};
    EXPECT_THROW(make_initial_conditions(config), ConfigError);
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
        const Particles p = make_initial_conditions(config_of({.grid = 20, .load = Load::bcc})),
                        t = make_initial_conditions(tiled(2)),
                        lattice = make_initial_conditions(config_of({.grid = 12, .lattice_until = 0.5}));
        return std::tuple{p.position.z.to_vector(), p.velocity.y.to_vector(), t.position.x.to_vector(),
                          lattice.velocity.x.to_vector()};
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
    EXPECT_NE(refusal({.load = Load::file}).find("load_file"), std::string::npos);
    EXPECT_NE(refusal({.load_file = "a"}).find("field.load_file is given"), std::string::npos);
    EXPECT_NE(refusal({.tiles = 2}).find("field.tiles is given"), std::string::npos);
    EXPECT_NE(refusal({.load = Load::file, .load_file = "a", .tiles = 2}).find("field.tiles"),
              std::string::npos);
    EXPECT_NE(refusal({.grid = 37, .load = Load::glass}).find("tiles"), std::string::npos);
    EXPECT_NE(refusal({.grid = 32, .load = Load::glass, .tiles = 5}).find("tiles"), std::string::npos);
    EXPECT_NE(refusal({.grid = 1025, .load = Load::file, .load_file = "a"}).find("1024"), std::string::npos);
    EXPECT_NE(refusal({.phases = Phases::file}).find("phases_file"), std::string::npos);
    EXPECT_NE(refusal({.load = Load::bcc, .lattice_until = 1.0}).find("field.load: grid"), std::string::npos);
    EXPECT_NE(refusal({.order = 0, .lattice_until = 1.0}).find("field.order"), std::string::npos);
    EXPECT_NE(message_of<ConfigError>([] {
                  expect_possible(*config_of({}).universe, {.lattice_until = 0.03}, 1);
              }).find("lattice_until is 0.03, expected a scale factor from the start, 0.04, on"),
              std::string::npos);
    EXPECT_NE(refusal({.phases_file = "a"}).find("field.phases_file is given"), std::string::npos);
    EXPECT_EQ(particle_count(config_of({.grid = 96, .load = Load::glass})), 96u * 96 * 96);
    EXPECT_EQ(glass_tiles({.grid = 96}), 3);
    EXPECT_EQ(glass_tiles({.grid = 33}), 3);
    EXPECT_EQ(particle_count(config_of({.grid = 9, .load = Load::fcc})), 2916u);
    EXPECT_EQ(particle_count(config_of({.grid = 9, .load = Load::bcc})), 1458u);
}

TEST(CosmologicalField, RefusesATableThatEndsBeforeItsWaves)
{
    const std::vector<double> k{0.1, 0.2, 0.4, 1}, power{9, 8, 7, 1};
    Universe universe = *config_of({}).universe;  // from 0.157 h/Mpc on
    universe.spectrum = cosmology::LinearSpectrum::table(k, power);
    EXPECT_NO_THROW(expect_possible(universe, {.grid = 7}, 1));
    EXPECT_THROW(expect_possible(universe, {.grid = 9}, 1), ConfigError);
    EXPECT_NO_THROW(expect_possible(universe, {.grid = 9, .order = 0}, 1));
    universe.side_mpc_h = 80;
    EXPECT_THROW(expect_possible(universe, {.grid = 7}, 1), ConfigError);
}

TEST(CosmologicalField, RefusesSeedsThatPhasesOfOthersCannotHave)
{
    const Universe universe = *config_of({}).universe;
    for (const Phases phases : {Phases::ngenic, Phases::gadget4}) {
        EXPECT_NO_THROW(expect_possible(universe, {.phases = phases}, 0x7fffffff));
        EXPECT_THROW(expect_possible(universe, {.phases = phases}, 0x80000000), ConfigError);
    }
    EXPECT_NO_THROW(expect_possible(universe, {}, 0x80000000));
}

}  // namespace
}  // namespace aureole::test::cosmological_test
