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

namespace aureole::test {
namespace {

using namespace ics;
using std::numbers::pi;

double some_power(double k) { return 5 / (1 + k * k); }

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
    for (const bool ngenic : {false, true}) {
        const Modes modes =
            ngenic ? ngenic_modes(grid, some_power, 7) : gaussian_modes(grid, some_power, {.seed = 7});
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
        EXPECT_NEAR(sum / n, 1, 5 / std::sqrt(n)) << ngenic;
        EXPECT_NEAR(square / n, 2, 5 * std::sqrt(20.0 / n)) << ngenic;
    }
}

TEST(LinearModes, AreThoseOfARealField)
{
    const ModeGrid grid{16, 3};
    for (const Modes& modes :
         {gaussian_modes(grid, some_power, {.seed = 3}), ngenic_modes(grid, some_power, 3)}) {
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
    for (const bool ngenic : {false, true}) {
        const auto of = [&](const ModeGrid& grid) {
            return ngenic ? ngenic_modes(grid, some_power, 11)
                          : gaussian_modes(grid, some_power, {.seed = 11});
        };
        const Modes few = of(coarse), many = of(fine);
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
    const Modes one = gaussian_modes(grid, some_power, {.seed = 5, .fixed = true});
    const Modes other = gaussian_modes(grid, some_power, {.seed = 5, .fixed = true, .paired = true});
    const Modes random = gaussian_modes(grid, some_power, {.seed = 5});
    for (int x = -4; x <= 4; ++x)
        for (int z = 1; z <= 4; ++z) {
            const std::size_t at = grid.index(x, 2, z);
            const double k = grid.fundamental() * std::sqrt(x * x + 4 + z * z),
                         size = std::sqrt(some_power(k) / 8);
            EXPECT_NEAR(std::abs(one[at]), size, 1e-14 * size);
            EXPECT_EQ(other[at], -one[at]);
            EXPECT_NEAR(std::arg(random[at]), std::arg(one[at]), 1e-13);  // the same phases
        }
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
    EXPECT_THROW(ngenic_modes({9, 1}, some_power, 1), ConfigError);
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
    const LagrangianFields fields = lagrangian_fields(grid, ngenic_modes(grid, spectrum, 12345), 2);
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
}  // namespace aureole::test
