// Maps of a disk on the sky: shapes of lines, pixels, views and ellipses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/analysis/sky_map.hpp"
#include "sim/core/error.hpp"
#include "sim/core/random.hpp"

namespace aureole::test::sky_map_test {
namespace {

std::vector<double> sky_numbers(const Table& table, const char* name)
{
    return std::get<std::vector<double>>(table.find(name)->values);
}

TEST(GaussHermite, FindsTheCoefficientsOfALineThatHasThem)
{
    // the line itself on a fine grid of velocities, as masses
    constexpr double v = 30, sigma = 12, h3 = 0.06, h4 = -0.04;
    std::vector<double> masses, velocities;
    for (double y = -8; y <= 8; y += 1.0 / 64) {
        const double shape = 1 + h3 * (2 * y * y * y - 3 * y) / std::sqrt(3.0) +
                             h4 * (4 * y * y * y * y - 12 * y * y + 3) / std::sqrt(24.0);
        masses.push_back(2 * std::exp(-y * y / 2) * shape);
        velocities.push_back(v + sigma * y);
    }
    const run::LineOfSight line = run::gauss_hermite(masses, velocities);
    EXPECT_NEAR(line.velocity, v, 1e-6);
    EXPECT_NEAR(line.dispersion, sigma, 1e-6);
    EXPECT_NEAR(line.h3, h3, 1e-8);
    EXPECT_NEAR(line.h4, h4, 1e-8);
}

TEST(GaussHermite, OfGaussianNoiseIsBelowTwoOverTheRootOfItsNumber)
{
    Random random(3, 1, 7);
    std::vector<double> velocities;
    for (int k = 0; k < 20000; ++k) velocities.push_back(5 + 3 * random.normal());
    const run::LineOfSight line = run::gauss_hermite(std::vector<double>(velocities.size(), 1), velocities);
    EXPECT_NEAR(line.velocity, 5, 0.1);
    EXPECT_NEAR(line.dispersion, 3, 0.1);
    EXPECT_LT(std::abs(line.h3), 2 / std::sqrt(20000.0));
    EXPECT_LT(std::abs(line.h4), 2 / std::sqrt(20000.0));
    EXPECT_TRUE(std::isnan(run::gauss_hermite({1, 1}, {4, 4}).h3)) << "without a width there is no shape";
}

TEST(SkyMap, ShowsAStarWhereAViewPutsIt)
{
    run::DiskParticles disk;
    disk.mass = {2};
    disk.position = {{1, 0.2, 0.3}};
    disk.velocity = {{10, 20, 30}};
    disk.id = {1};
    const run::SkyParticles above = on_sky(disk, {});
    EXPECT_NEAR(above.x[0], 1, 1e-15);
    EXPECT_NEAR(above.y[0], 0.2, 1e-15);
    EXPECT_NEAR(above.velocity[0], -30, 1e-13) << "towards the observer";
    const run::SkyParticles edge = on_sky(disk, {.inclination = 90, .azimuth = -90});
    EXPECT_NEAR(edge.x[0], 1, 1e-15);
    EXPECT_NEAR(edge.y[0], 0.3, 1e-15);
    EXPECT_NEAR(edge.velocity[0], 20, 1e-13) << "away from an observer at -y";
    const run::SkyParticles end = on_sky(disk, {.inclination = 90, .azimuth = 0});
    EXPECT_NEAR(end.x[0], 0.2, 1e-15);
    EXPECT_NEAR(end.velocity[0], -10, 1e-13);
}

TEST(SkyMap, HasMomentsOfItsPixels)
{
    const run::SkyParticles sky{{1, 3, 1, 5}, {-0.5, -0.6, 0.5, 9}, {0.5, 0.4, -0.5, 0}, {1, 5, 7, 0}};
    const Table map = sky_map(sky, {.width = 2, .pixels = 2});
    ASSERT_EQ(map.rows, 4u);
    EXPECT_EQ(std::get<std::vector<std::int64_t>>(map.find("Count")->values),
              (std::vector<std::int64_t>{0, 1, 2, 0}));
    EXPECT_EQ(sky_numbers(map, "X")[2], -0.5);
    EXPECT_EQ(sky_numbers(map, "Y")[2], 0.5);
    EXPECT_EQ(sky_numbers(map, "SurfaceDensity")[2], 4);
    EXPECT_EQ(sky_numbers(map, "MeanVelocity")[2], 4);
    EXPECT_NEAR(sky_numbers(map, "Dispersion")[2], std::sqrt(3.0), 1e-15);
    EXPECT_EQ(sky_numbers(map, "MeanVelocity")[1], 7);
    EXPECT_TRUE(std::isnan(sky_numbers(map, "Dispersion")[1]));
    EXPECT_TRUE(std::isnan(sky_numbers(map, "MeanVelocity")[0]));
    EXPECT_TRUE(std::isnan(sky_numbers(map, "H3")[2])) << "of two particles";
    EXPECT_THROW(sky_map(sky, {.width = 0}), ArgumentError);
    EXPECT_THROW(sky_map(sky, {.width = 1, .pixels = 0}), ArgumentError);
}

TEST(Ellipses, HaveTheShapeOfTheirParticles)
{
    // an exponential of ellipses of axis ratio 0.6 that lie at 0.4 radians, with even azimuths: where the
    // density falls slowly, the noise of the moments of a ring counts several times in its shape
    run::SkyParticles sky;
    constexpr int n = 60000;
    std::vector<double> axes;
    for (int k = 0; k < n; ++k) {
        Random random(1, static_cast<std::uint64_t>(k), 9);
        const double first = random.uniform();
        axes.push_back(-std::log(first * random.uniform()));
    }
    std::sort(axes.begin(), axes.end());
    for (int k = 0; k < n; ++k) {
        const double phi = 2 * std::numbers::pi * std::fmod(k * 0.6180339887498949, 1.0);
        const double x = axes[k] * std::cos(phi), y = 0.6 * axes[k] * std::sin(phi);
        sky.mass.push_back(1.0 / n);
        sky.x.push_back(std::cos(0.4) * x - std::sin(0.4) * y);
        sky.y.push_back(std::sin(0.4) * x + std::cos(0.4) * y);
        sky.velocity.push_back(0);
    }
    const Table table = ellipse_table(sky, 0.5, 4, 3);
    for (std::size_t k = 0; k < 3; ++k) {
        const double a0 = 0.5 * std::pow(2.0, static_cast<double>(k)), a1 = 2 * a0;
        EXPECT_NEAR(sky_numbers(table, "AxisRatio")[k], 0.6, 0.015);
        EXPECT_NEAR(sky_numbers(table, "PositionAngle")[k], 0.4, 0.02);
        EXPECT_NEAR(sky_numbers(table, "A4")[k], 0, 0.02);
        const double mass = (1 + a0) * std::exp(-a0) - (1 + a1) * std::exp(-a1);
        EXPECT_NEAR(sky_numbers(table, "SurfaceDensity")[k] * std::numbers::pi * 0.6 * (a1 * a1 - a0 * a0),
                    mass, 0.02 * mass);
        EXPECT_EQ(std::get<std::vector<std::int64_t>>(table.find("Converged")->values)[k], 1);
    }
    EXPECT_TRUE(std::isnan(sky_numbers(ellipse_table(sky, 50, 60, 1), "AxisRatio")[0]));
    EXPECT_THROW(ellipse_table(sky, 2, 1, 3), ArgumentError);
}

}  // namespace
}  // namespace aureole::test::sky_map_test
