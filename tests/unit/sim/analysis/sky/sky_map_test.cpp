// Maps of a disk on the sky: shapes of lines, pixels, views and ellipses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "sim/analysis/sky/sky_map.hpp"
#include "sim/core/error.hpp"
#include "sim/core/random.hpp"

namespace aureole::test::sky_map_test {
namespace {

std::vector<double> sky_numbers(const Table& table, const char* name)
{
    return std::get<std::vector<double>>(table.find(name)->values);
}

/// Particles on the sky from the numbers of each, in the memory of a backend.
run::SkyParticles sky_of(Backend where, const std::vector<double>& mass, const std::vector<double>& x,
                         const std::vector<double>& y, const std::vector<double>& velocity)
{
    return {{where, mass}, {where, x}, {where, y}, {where, velocity}};
}

/// A disk of stars with a bar that turns, seen at an angle: an exponential with one in four of its stars in
/// an ellipse, and another mass for every third.
run::SkyParticles seen_disk(Backend where, int n)
{
    std::vector<double> mass, x, y, velocity;
    for (int k = 0; k < n; ++k) {
        Random random(5, static_cast<std::uint64_t>(k), 4);
        const double first = random.uniform(), r = -std::log(first * random.uniform());
        const double phi = 2 * std::numbers::pi * random.uniform(), narrow = k % 4 == 0 ? 0.3 : 0.7;
        mass.push_back((k % 3 == 0 ? 2.0 : 1.0) / n);
        x.push_back(r * std::cos(phi) - 0.2 * r * std::sin(phi));
        y.push_back(narrow * r * std::sin(phi) + 0.2 * r * std::cos(phi));
        velocity.push_back(0.7 * std::tanh(2 * r) * std::cos(phi) + 0.2 * std::exp(-r / 4) * random.normal());
    }
    return sky_of(where, mass, x, y, velocity);
}

/// The largest difference of the numbers of a column relative to `scale`; NaN beside a number counts as 1.
double largest_difference(const Table& a, const Table& b, const char* name, double scale)
{
    const auto first = sky_numbers(a, name), second = sky_numbers(b, name);
    double most = first.size() == second.size() ? 0 : 1;
    for (std::size_t k = 0; k < std::min(first.size(), second.size()); ++k) {
        if (std::isnan(first[k]) && std::isnan(second[k])) continue;
        const double d = std::abs(first[k] - second[k]) / scale;
        most = std::isnan(d) ? 1 : std::max(most, d);
    }
    return most;
}

void expect_equal_bits(const Table& a, const Table& b)
{
    ASSERT_EQ(a.columns.size(), b.columns.size());
    for (std::size_t k = 0; k < a.columns.size(); ++k) {
        const auto* const first = std::get_if<std::vector<double>>(&a.columns[k].values);
        if (!first) {
            EXPECT_EQ(a.columns[k].values, b.columns[k].values) << a.columns[k].name;
            continue;
        }
        const auto& second = std::get<std::vector<double>>(b.columns[k].values);
        ASSERT_EQ(first->size(), second.size());
        EXPECT_EQ(std::memcmp(first->data(), second.data(), first->size() * sizeof(double)), 0)
            << a.columns[k].name;
    }
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
    const run::SkyParticles above = on_sky({}, view_of(disk), {}, {});
    EXPECT_NEAR(above.x.host()[0], 1, 1e-15);
    EXPECT_NEAR(above.y.host()[0], 0.2, 1e-15);
    EXPECT_NEAR(above.velocity.host()[0], -30, 1e-13) << "towards the observer";
    const run::SkyParticles edge = on_sky({}, view_of(disk), {}, {.inclination = 90, .azimuth = -90});
    EXPECT_NEAR(edge.x.host()[0], 1, 1e-15);
    EXPECT_NEAR(edge.y.host()[0], 0.3, 1e-15);
    EXPECT_NEAR(edge.velocity.host()[0], 20, 1e-13) << "away from an observer at -y";
    const run::SkyParticles end = on_sky({}, view_of(disk), {}, {.inclination = 90, .azimuth = 0});
    EXPECT_NEAR(end.x.host()[0], 0.2, 1e-15);
    EXPECT_NEAR(end.velocity.host()[0], -10, 1e-13);
}

TEST(SkyMap, HasMomentsOfItsPixels)
{
    for (const Backend where : available_backends()) {
        const run::SkyParticles sky =
            sky_of(where, {1, 3, 1, 5}, {-0.5, -0.6, 0.5, 9}, {0.5, 0.4, -0.5, 0}, {1, 5, 7, 0});
        const Table map = sky_map({where}, sky.view(), {.width = 2, .pixels = 2});
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
        EXPECT_EQ(sky_numbers(map, "SurfaceDensity")[0], 0);
        EXPECT_TRUE(std::isnan(sky_numbers(map, "H3")[2])) << "of two particles";
        EXPECT_THROW(sky_map({where}, sky.view(), {.width = 0}), ArgumentError);
        EXPECT_THROW(sky_map({where}, sky.view(), {.width = 1, .pixels = 0}), ArgumentError);
    }
}

TEST(SkyMap, PixelsOfManyPiecesAreThoseOfTheirParticlesAlone)
{
    // pixels from a few to some thousand particles; each of them again by itself, in one piece after the
    // other
    const run::SkyParticles sky = seen_disk(Backend::cpu, 30000);
    const Table map = sky_map({}, sky.view(), {.width = 6, .pixels = 12});
    std::size_t shapes = 0;
    for (std::size_t k = 0; k < map.rows; ++k) {
        std::vector<double> masses, velocities;
        for (std::size_t i = 0; i < sky.x.size(); ++i) {
            const double dx = sky.x.host()[i] - sky_numbers(map, "X")[k],
                         dy = sky.y.host()[i] - sky_numbers(map, "Y")[k];
            if (!(dx >= -0.25 && dx < 0.25 && dy >= -0.25 && dy < 0.25)) continue;
            masses.push_back(sky.mass.host()[i]);
            velocities.push_back(sky.velocity.host()[i]);
        }
        double mass = 0, mean = 0, square = 0;
        for (std::size_t i = 0; i < masses.size(); ++i) {
            mass += masses[i];
            mean += masses[i] * velocities[i];
            square += masses[i] * velocities[i] * velocities[i];
        }
        EXPECT_EQ(std::get<std::vector<std::int64_t>>(map.find("Count")->values)[k],
                  static_cast<std::int64_t>(masses.size()));
        EXPECT_NEAR(sky_numbers(map, "SurfaceDensity")[k], mass / 0.25, 1e-13);
        if (masses.size() < 2) continue;
        mean /= mass;
        EXPECT_NEAR(sky_numbers(map, "MeanVelocity")[k], mean, 1e-13);
        EXPECT_NEAR(sky_numbers(map, "Dispersion")[k], std::sqrt(square / mass - mean * mean), 1e-9);
        const double h3 = sky_numbers(map, "H3")[k];
        EXPECT_EQ(std::isnan(h3), masses.size() < run::least_for_shape);
        if (std::isnan(h3)) continue;
        ++shapes;
        const run::LineOfSight line = run::gauss_hermite(masses, velocities);
        EXPECT_EQ(h3, line.h3);
        EXPECT_EQ(sky_numbers(map, "H4")[k], line.h4);
        EXPECT_EQ(sky_numbers(map, "LineVelocity")[k], line.velocity);
    }
    EXPECT_GT(shapes, 30u);
}

TEST(SkyMap, OfAGpuIsThatOfTheCpuAndItsBitsRepeat)
{
    const Table cpu = sky_map({}, seen_disk(Backend::cpu, 200000).view(), {.width = 6, .pixels = 48});
    for (const Backend where : available_backends()) {
        const run::SkyParticles sky = seen_disk(where, 200000);
        const Table map = sky_map({where}, sky.view(), {.width = 6, .pixels = 48});
        expect_equal_bits(map, sky_map({where}, sky.view(), {.width = 6, .pixels = 48}));
        EXPECT_EQ(map.find("Count")->values, cpu.find("Count")->values);
        for (const char* name : {"X", "Y", "SurfaceDensity", "MeanVelocity", "Dispersion"})
            EXPECT_LT(largest_difference(map, cpu, name, 1), 1e-13) << name;
        // h1 and h2 are left at 1e-8, which a step more or less makes smaller
        for (const char* name : {"LineVelocity", "LineDispersion", "H3", "H4"})
            EXPECT_LT(largest_difference(map, cpu, name, 1), 1e-7) << name;
    }
}

TEST(Ellipses, HaveTheShapeOfTheirParticles)
{
    // an exponential of ellipses of axis ratio 0.6 that lie at 0.4 radians, with even azimuths: where the
    // density falls slowly, the noise of the moments of a ring counts several times in its shape
    constexpr int n = 60000;
    std::vector<double> axes, mass(n, 1.0 / n), xs, ys;
    for (int k = 0; k < n; ++k) {
        Random random(1, static_cast<std::uint64_t>(k), 9);
        const double first = random.uniform();
        axes.push_back(-std::log(first * random.uniform()));
    }
    std::sort(axes.begin(), axes.end());
    for (int k = 0; k < n; ++k) {
        const double phi = 2 * std::numbers::pi * std::fmod(k * 0.6180339887498949, 1.0);
        const double x = axes[k] * std::cos(phi), y = 0.6 * axes[k] * std::sin(phi);
        xs.push_back(std::cos(0.4) * x - std::sin(0.4) * y);
        ys.push_back(std::sin(0.4) * x + std::cos(0.4) * y);
    }
    for (const Backend where : available_backends()) {
        const run::SkyParticles sky = sky_of(where, mass, xs, ys, std::vector<double>(n, 0.0));
        const Table table = ellipse_table({where}, sky.view(), 0.5, 4, 3);
        for (std::size_t k = 0; k < 3; ++k) {
            const double a0 = 0.5 * std::pow(2.0, static_cast<double>(k)), a1 = 2 * a0;
            EXPECT_NEAR(sky_numbers(table, "AxisRatio")[k], 0.6, 0.015);
            EXPECT_NEAR(sky_numbers(table, "PositionAngle")[k], 0.4, 0.02);
            EXPECT_NEAR(sky_numbers(table, "A4")[k], 0, 0.02);
            const double inside = (1 + a0) * std::exp(-a0) - (1 + a1) * std::exp(-a1);
            EXPECT_NEAR(
                sky_numbers(table, "SurfaceDensity")[k] * std::numbers::pi * 0.6 * (a1 * a1 - a0 * a0),
                inside, 0.02 * inside);
            EXPECT_EQ(std::get<std::vector<std::int64_t>>(table.find("Converged")->values)[k], 1);
        }
        EXPECT_TRUE(std::isnan(sky_numbers(ellipse_table({where}, sky.view(), 50, 60, 1), "AxisRatio")[0]));
        EXPECT_THROW(ellipse_table({where}, sky.view(), 2, 1, 3), ArgumentError);
    }
}

/// Mass, count and moments between the ellipses of a row, of all particles.
TEST(Ellipses, HoldWhatLiesBetweenThem)
{
    const run::SkyParticles sky = seen_disk(Backend::cpu, 20000);
    const Table table = ellipse_table({}, sky.view(), 0.2, 4, 6);
    const double step = std::log(20.0) / 6;
    int converged = 0;
    for (std::size_t k = 0; k < table.rows; ++k) {
        const double a0 = 0.2 * std::exp(static_cast<double>(k) * step), a1 = a0 * std::exp(step);
        const double q = sky_numbers(table, "AxisRatio")[k], angle = sky_numbers(table, "PositionAngle")[k];
        std::int64_t count = 0;
        double mass = 0, xx = 0, xy = 0, yy = 0;
        for (std::size_t i = 0; i < sky.x.size(); ++i) {
            const double x = sky.x.host()[i], y = sky.y.host()[i], m = sky.mass.host()[i];
            const double along = std::cos(angle) * x + std::sin(angle) * y,
                         across = (std::cos(angle) * y - std::sin(angle) * x) / q;
            const double a = std::sqrt(along * along + across * across);
            if (a < a0 || a >= a1) continue;
            ++count;
            mass += m;
            xx += m * along * along / (a * a);
            xy += m * along * across / (a * a);
            yy += m * across * across / (a * a);
        }
        EXPECT_EQ(std::get<std::vector<std::int64_t>>(table.find("Count")->values)[k], count);
        EXPECT_NEAR(sky_numbers(table, "SurfaceDensity")[k],
                    mass / (std::numbers::pi * q * (a1 * a1 - a0 * a0)), 1e-12);
        if (std::get<std::vector<std::int64_t>>(table.find("Converged")->values)[k] == 0) continue;
        ++converged;
        // along its axes the ring has moments of its own shape, to 1e-4 or 1 / count
        const double trace = xx + yy * q * q;
        const double off =
            std::hypot((xx - yy * q * q) / trace - (1 - q * q) / (1 + q * q), 2 * xy * q / trace);
        EXPECT_LT(off, std::max(1e-4, 1.0 / static_cast<double>(count)) + 1e-9) << k;
    }
    EXPECT_GE(converged, 4);
}

TEST(Ellipses, OfAGpuAreThoseOfTheCpuAndTheirBitsRepeat)
{
    const Table cpu = ellipse_table({}, seen_disk(Backend::cpu, 200000).view(), 0.1, 5, 24);
    for (const Backend where : available_backends()) {
        const run::SkyParticles sky = seen_disk(where, 200000);
        const Table table = ellipse_table({where}, sky.view(), 0.1, 5, 24);
        expect_equal_bits(table, ellipse_table({where}, sky.view(), 0.1, 5, 24));
        EXPECT_EQ(table.find("Converged")->values, cpu.find("Converged")->values);
        // a particle at an edge may be in or out by the last bit, and changes the shape by 1 / count
        for (const char* name : {"SemiMajorAxis", "SurfaceDensity", "AxisRatio", "PositionAngle", "A4"})
            EXPECT_LT(largest_difference(table, cpu, name, 1), 1e-3) << name;
    }
}

}  // namespace
}  // namespace aureole::test::sky_map_test
