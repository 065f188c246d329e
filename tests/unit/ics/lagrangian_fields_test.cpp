// Modes of Gaussian fields and what they displace: known numbers, closed forms, and a box of another code.
#include "ics/lagrangian_fields.hpp"

#include <omp.h>

#include <cmath>
#include <numbers>

#include "cosmology/growth.hpp"
#include "cosmology/linear_spectrum.hpp"
#include "sim/core/error.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test::lagrangian_fields_test {
namespace {

using namespace ics;
using std::numbers::pi;

double some_power(double k) { return 5 / (1 + k * k); }

enum class Kind { own, monofonic, gadget4 };
constexpr Kind all_kinds[] = {Kind::own, Kind::monofonic, Kind::gadget4};

Modes modes_of(Kind kind, const ModeGrid& grid, const ModeConfig& config)
{
    if (kind == Kind::own) return gaussian_modes(grid, some_power, config);
    return ngenic_modes(grid, some_power, config,
                        kind == Kind::monofonic ? NgenicDialect::monofonic : NgenicDialect::gadget4);
}

TEST(Ranlux, GivesTheNumbersThatArePublished)
{
    Ranlux of_12345(12345), of_1(1), of_0(0);
    EXPECT_EQ(of_12345.uniform(), 0.396353460803585);
    EXPECT_EQ(of_12345.uniform(), 0.9427232033619397);
    EXPECT_EQ(of_12345.uniform(), 0.7519194506068949);
    double last = 0, last_of_0 = 0;
    for (int k = 0; k < 10000; ++k) {
        last = of_1.uniform();
        last_of_0 = of_0.uniform();
    }
    EXPECT_EQ(static_cast<std::uint32_t>(last * 0x1p32), 1998227290u);  // GSL's own test of ranlxd1
    EXPECT_EQ(last_of_0, last);
}

TEST(LinearModes, HaveTheVarianceOfTheSpectrum)
{
    const ModeGrid grid{32, 10};
    for (const Kind kind : all_kinds) {
        const Modes modes = modes_of(kind, grid, {.seed = 7});
        double sum = 0, square = 0;
        int n = 0;
        for (int x = -15; x <= 15; ++x)
            for (int y = -15; y <= 15; ++y)
                for (int z = 1; z <= 15; ++z) {
                    const double k = grid.fundamental() * std::sqrt(x * x + y * y + z * z);
                    const double ratio = std::norm(modes[grid.index(x, y, z)]) * 1000 / some_power(k);
                    sum += ratio;
                    square += ratio * ratio;
                    ++n;
                }
        // exponential: mean 1, mean square 2, five standard errors
        EXPECT_NEAR(sum / n, 1, 5 / std::sqrt(n)) << static_cast<int>(kind);
        EXPECT_NEAR(square / n, 2, 5 * std::sqrt(20.0 / n)) << static_cast<int>(kind);
    }
}

TEST(LinearModes, AreThoseOfARealField)
{
    const ModeGrid grid{16, 3};
    for (const Kind kind : all_kinds) {
        const Modes modes = modes_of(kind, grid, {.seed = 3});
        EXPECT_EQ(modes[grid.index(0, 0, 0)], 0.0);
        for (int x = -7; x <= 7; ++x)
            for (int y = -7; y <= 7; ++y) {
                EXPECT_EQ(modes[grid.index(x, y, 0)], std::conj(modes[grid.index(-x, -y, 0)]))
                    << x << " " << y;
                EXPECT_EQ(modes[grid.index(x, y, 8)], 0.0);
            }
        for (int y = -8; y <= 7; ++y)
            for (int z = 0; z <= 8; ++z) EXPECT_EQ(modes[grid.index(-8, y, z)], 0.0);
        EXPECT_NE(modes[grid.index(7, -7, 7)], 0.0);
        EXPECT_NE(modes[grid.index(0, -3, 0)], 0.0);
    }
}

TEST(LinearModes, FinerGridsAddModes)
{
    const ModeGrid coarse{12, 5}, fine{20, 5}, odd{13, 5};
    for (const Kind kind : all_kinds) {
        const Modes few = modes_of(kind, coarse, {.seed = 11}), many = modes_of(kind, fine, {.seed = 11});
        for (int x = -5; x <= 5; ++x)
            for (int y = -5; y <= 5; ++y)
                for (int z = 0; z <= 5; ++z)
                    ASSERT_EQ(few[coarse.index(x, y, z)], many[fine.index(x, y, z)])
                        << x << " " << y << " " << z;
    }
    const Modes of_odd = gaussian_modes(odd, some_power, {.seed = 11}),
                few = gaussian_modes(coarse, some_power, {.seed = 11});
    EXPECT_EQ(of_odd[odd.index(-5, 3, 2)], few[coarse.index(-5, 3, 2)]);
    EXPECT_NE(of_odd[odd.index(-6, 3, 2)], 0.0);
}

TEST(LinearModes, MayHaveFixedAmplitudesAndAPair)
{
    const ModeGrid grid{10, 2};
    for (const Kind kind : all_kinds) {
        const Modes one = modes_of(kind, grid, {.seed = 5, .fixed = true}),
                    other = modes_of(kind, grid, {.seed = 5, .fixed = true, .paired = true}),
                    random = modes_of(kind, grid, {.seed = 5});
        for (int k = 0; k < 36; ++k) {
            const int x = k / 4 - 4, z = k % 4 + 1;
            const std::size_t at = grid.index(x, 2, z);
            const double size = std::sqrt(some_power(grid.fundamental() * std::sqrt(x * x + 4 + z * z)) / 8);
            EXPECT_NEAR(std::abs(one[at]), size, 1e-14 * size);
            EXPECT_EQ(other[at], -one[at]);
            EXPECT_NEAR(std::arg(random[at]), std::arg(one[at]), 1e-13);  // the same phases
        }
    }
}

/// Element [x][y][z] of n^3 as GADGET-4 fills it, in the words of its rule: columns (y, z) draw along x; in
/// the planes z = 0 and n / 2 one half is the conjugate of the other.
std::complex<double> as_gadget4_draws(int n, const std::vector<std::uint32_t>& seeds, int x, int y, int z)
{
    const bool plane = z == 0 || z == n / 2, x_is_own = x == 0 || x == n / 2;
    if (plane && x_is_own && (y == 0 || y == n / 2)) return 0;
    if (plane && (x > n / 2 || (x_is_own && y > n / 2)))
        return std::conj(as_gadget4_draws(n, seeds, (n - x) % n, (n - y) % n, (n - z) % n));
    Ranlux random(seeds[static_cast<std::size_t>(y * n + z)]);
    for (int draw = 0;; ++draw) {
        const double phase = 2 * pi * random.uniform(), amplitude = random.uniform();
        const int here = draw % 2 == 0 ? draw / 2 : n - (draw + 1) / 2;
        if (here == x) return std::polar(std::sqrt(-std::log(amplitude)), phase);
    }
}

/// The table of seeds for n = 4, written down by hand from the rule: for i = 0 and 1, eight runs.
std::vector<std::uint32_t> seeds_of_four(std::uint32_t seed)
{
    constexpr int cells[][2] = {// i = 0: S[j][i], S[n-1-j][i], S[j][n-1-i], S[n-1-j][n-1-i] with j = 0
                                {0, 0},
                                {3, 0},
                                {0, 3},
                                {3, 3},
                                // i = 1: S[i][j], S[j][i], S[n-1-i][j], S[n-1-j][i], ...
                                {1, 0},
                                {0, 1},
                                {1, 1},
                                {2, 0},
                                {3, 1},
                                {2, 1},
                                {1, 3},
                                {0, 2},
                                {1, 2},
                                {2, 3},
                                {3, 2},
                                {2, 2}};
    Ranlux random(seed);
    std::vector<std::uint32_t> seeds(16);
    for (const auto& [a, b] : cells)
        seeds[static_cast<std::size_t>(4 * a + b)] =
            static_cast<std::uint32_t>(0x7fffffff * random.uniform());
    return seeds;
}

TEST(LinearModes, FollowTheRuleOfGadget4)
{
    const ModeGrid grid{4, 2 * pi};
    const auto white = [](double) { return 8 * pi * pi * pi; };  // P / V = 1
    const Modes modes = ngenic_modes(grid, white, {.seed = 77}, NgenicDialect::gadget4);
    const std::vector<std::uint32_t> seeds = seeds_of_four(77);
    int compared = 0;
    for (const int x : {0, 1, 3})
        for (const int y : {0, 1, 3})
            for (const int z : {0, 1}) {
                const std::complex<double> expected = as_gadget4_draws(4, seeds, x, y, z);
                EXPECT_LT(std::abs(modes[grid.index(x, y, z)] - expected), 1e-13) << x << y << z;
                compared += expected != 0.0;
            }
    EXPECT_EQ(compared, 17);
}

TEST(LinearModes, OfWhiteNoiseAreItsTransform)
{
    const ModeGrid grid{5, 3};
    WhiteNoise noise{6, {}};
    for (int i = 0; i < 216; ++i) noise.values.push_back(std::sin(1.7 * i * i));
    const Modes modes = white_noise_modes(grid, some_power, noise, {}),
                fixed = white_noise_modes(grid, some_power, noise, {.fixed = true, .paired = true});
    for (const auto& [x, y, z] : {std::array{1, 0, 0}, {-2, 1, 0}, {2, 2, 2}, {0, -1, 1}}) {
        std::complex<double> sum;
        for (int i = 0; i < 216; ++i)
            sum += noise.values[static_cast<std::size_t>(i)] *
                   std::polar(1.0, -2 * pi / 6 * (x * (i / 36) + y * (i / 6 % 6) + z * (i % 6)));
        const double size = std::sqrt(some_power(grid.fundamental() * std::sqrt(x * x + y * y + z * z)) / 27);
        const std::size_t at = grid.index(x, y, z);
        EXPECT_LT(std::abs(modes[at] - size / std::sqrt(216.0) * sum), 1e-13);
        EXPECT_LT(std::abs(fixed[at] + size / std::abs(sum) * sum), 1e-13);
    }
    EXPECT_EQ(modes[0], 0.0);
    EXPECT_THROW(white_noise_modes({7, 3}, some_power, noise, {}), ConfigError);
    noise.values.pop_back();
    EXPECT_THROW(white_noise_modes(grid, some_power, noise, {}), ArgumentError);
}

TEST(LinearModes, DoNotDependOnThreads)
{
    const int before = omp_get_max_threads();
    const ModeGrid grid{24, 1};
    const auto fields_with = [&](int threads) {
        omp_set_num_threads(threads);
        return lagrangian_fields(grid, gaussian_modes(grid, some_power, {.seed = 2}), 2);
    };
    const LagrangianFields one = fields_with(1);
    for (const int threads : {2, 5}) {
        const LagrangianFields other = fields_with(threads);
        EXPECT_EQ(other.first, one.first);
        EXPECT_EQ(other.second, one.second);
    }
    omp_set_num_threads(before);
}

TEST(LinearModes, RefuseImpossibleBoxes)
{
    EXPECT_THROW(gaussian_modes({1, 1}, some_power, {}), ConfigError);
    EXPECT_THROW(gaussian_modes({8, 0}, some_power, {}), ConfigError);
    EXPECT_THROW(ngenic_modes({9, 1}, some_power, {.seed = 1}), ConfigError);
    EXPECT_THROW(ngenic_modes({8, 1}, some_power, {.seed = 0x80000000}), ConfigError);
    EXPECT_THROW(lagrangian_fields({8, 1}, Modes(7), 2), ArgumentError);
}

/// delta = a cos(p x) + b cos(q y) of waves p and q.
Modes two_waves(const ModeGrid& grid, double a, int p, double b, int q)
{
    Modes modes(grid.n_modes());
    for (const int sign : {1, -1}) {
        modes[grid.index(sign * p, 0, 0)] += a / 2;
        modes[grid.index(0, sign * q, 0)] += b / 2;
    }
    return modes;
}

/// Waves p along x and q along y displace by (a / p) sin(p x) and (b / q) sin(q y); to second order by the
/// gradient of -a b / (p^2 + q^2) cos(p x) cos(q y).
void expect_two_waves(int n, int p, int q)
{
    const ModeGrid grid{n, 2 * pi};
    const double a = 0.3, b = -0.7;
    const LagrangianFields fields = lagrangian_fields(grid, two_waves(grid, a, p, b, q), 2);
    const bool resolved = 2 * p < n && 2 * q < n;
    ASSERT_TRUE(resolved);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const std::size_t at = (static_cast<std::size_t>(i) * n + j) * n + 1;
            const double x = 2 * pi * i / n, y = 2 * pi * j / n, c = a * b / (p * p + q * q);
            EXPECT_NEAR(fields.first[0][at], a / p * std::sin(p * x), 1e-14);
            EXPECT_NEAR(fields.first[1][at], b / q * std::sin(q * y), 1e-14);
            EXPECT_NEAR(fields.first[2][at], 0, 1e-14);
            EXPECT_NEAR(fields.second[0][at], p * c * std::sin(p * x) * std::cos(q * y), 1e-14);
            EXPECT_NEAR(fields.second[1][at], q * c * std::cos(p * x) * std::sin(q * y), 1e-14);
            EXPECT_NEAR(fields.second[2][at], 0, 1e-14);
        }
}

TEST(LagrangianFields, CrossingWavesHaveAClosedForm)
{
    expect_two_waves(12, 1, 2);
    expect_two_waves(12, 5, 4);
    expect_two_waves(15, 7, 1);
}

TEST(LagrangianFields, AreInterpolatedBetweenSites)
{
    // the closed form of two waves; on either side the spline leaves images of (k / (2 n - k))^4 of a wave
    for (const auto& [n, p, q, tolerance] : {std::tuple{16, 1, 2, 5e-5}, {16, 7, 5, 2e-2}, {9, 4, 2, 2e-2}}) {
        const ModeGrid grid{n, 2 * pi};
        const double a = 0.3, b = -0.7, c = a * b / (p * p + q * q);
        std::vector<double> x(3 * 200);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::fmod(0.37 * static_cast<double>(i * i), 5.0);
        const SitesView sites{{x.data(), x.data() + 200, x.data() + 400}, 200, 5};
        const LagrangianFields fields = lagrangian_fields_at(sites, grid, two_waves(grid, a, p, b, q), 2);
        for (std::size_t i = 0; i < 200; ++i) {
            const double px = p * 2 * pi / 5 * x[i], qy = q * 2 * pi / 5 * x[200 + i];
            EXPECT_NEAR(fields.first[0][i], a / p * std::sin(px), tolerance * a / p);
            EXPECT_NEAR(fields.first[1][i], b / q * std::sin(qy), -tolerance * b / q);
            EXPECT_NEAR(fields.second[0][i], p * c * std::sin(px) * std::cos(qy), -2 * tolerance * p * c);
            EXPECT_NEAR(fields.second[2][i], 0, 1e-14);
        }
    }
}

TEST(LagrangianFields, ProductsBeyondTheGridAreNotMistakenForOtherWaves)
{
    // diagonal waves (5, 5, 0) and (5, -4, 0) of 12^3: their sum (10, 1, 0) would appear as (-2, 1, 0)
    const ModeGrid grid{12, 2 * pi};
    Modes modes(grid.n_modes());
    for (const int sign : {1, -1}) {
        modes[grid.index(sign * 5, sign * 5, 0)] = 0.5;
        modes[grid.index(sign * 5, -sign * 4, 0)] = 0.5;
    }
    const LagrangianFields fields = lagrangian_fields(grid, modes, 2);
    double wrong = 0, right = 0;
    for (int i = 0; i < 12; ++i)
        for (int j = 0; j < 12; ++j) {
            const double x = 2 * pi * i / 12, y = 2 * pi * j / 12;
            const double second = fields.second[0][(static_cast<std::size_t>(i) * 12 + j) * 12];
            wrong += second * std::sin(-2 * x + y);
            right += second * std::sin(0 * x + 9 * y);
        }
    EXPECT_NEAR(wrong, 0, 1e-12);
    EXPECT_NEAR(right, 0, 1e-12);  // (0, 9, 0) is beyond the grid as well
}

TEST(LagrangianFields, MakeTheBoxOfAnotherCode)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "cosmology/2lpt_32_z50.hdf5");
    // monofonIC: 32^3 in 100 Mpc/h at z = 50, seed 12345, sigma_8 = 1; D2 = -3/7 D^2, f2 = 2 f
    constexpr double omega_m = 0.3099, omega_r = 7.8930e-5, h = 0.67742, side = 100, a = 1.0 / 51;
    constexpr double d = 0.02519077, f = 0.99140576, d2 = -3.0 / 7 * d * d, f2 = 2 * f;
    const cosmology::LinearSpectrum spectrum =
        cosmology::LinearSpectrum::eisenstein_hu({.h = h, .omega_m = omega_m, .omega_b = 0.048891054},
                                                 0.96822)
            .with_sigma_8(1);
    const ModeGrid grid{32, side};
    const LagrangianFields fields = lagrangian_fields(grid, ngenic_modes(grid, spectrum, {.seed = 12345}), 2);
    const cosmology::Background background(
        {.omega_m = omega_m, .omega_de = 1 - omega_m - omega_r, .omega_r = omega_r});
    const double velocity_of =
        100 * background.expansion(a) * a / std::sqrt(a);  // of dx/dlna, in Gadget's numbers

    const io::Snapshot snapshot = io::read_snapshot(file);
    const ConstParticlesView particles = snapshot.particles.reading_view();
    ASSERT_EQ(particles.n, 32 * 32 * 32);
    double worst_position = 0, worst_velocity = 0, rms = 0;
    for (Index i = 0; i < particles.n; ++i) {
        const auto site = static_cast<std::size_t>(particles.id_of(i));
        const double q[3] = {side / 32 * static_cast<double>(site / 1024),
                             side / 32 * static_cast<double>(site / 32 % 32),
                             side / 32 * static_cast<double>(site % 32)};
        const Vec3 x = particles.position.load(i), v = particles.velocity.load(i);
        const double found[3] = {x.x, x.y, x.z}, moves[3] = {v.x, v.y, v.z};
        for (int axis = 0; axis < 3; ++axis) {
            const double first = fields.first[axis][site], second = fields.second[axis][site];
            const double away = found[axis] - (q[axis] - d * first + d2 * second);
            worst_position = std::max(worst_position, std::abs(std::remainder(away, side)));
            const double velocity = velocity_of * (-f * d * first + f2 * d2 * second);
            worst_velocity = std::max(worst_velocity, std::abs(moves[axis] - velocity));
            rms += velocity * velocity / (3.0 * particles.n);
        }
    }
    EXPECT_LE(worst_position, 1e-5);                   // floats near 100 are 7.6e-6 apart
    EXPECT_LE(worst_velocity, 1e-6 * std::sqrt(rms));  // floats, and the digits of E in that code
}

}  // namespace
}  // namespace aureole::test::lagrangian_fields_test
