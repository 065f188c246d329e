// Profiles of disks: a layer of known heights and dispersions, a slow reference, spherical masses by hand,
// order and threads, edges.
#include "sim/analysis/disk_profile.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "tests/support/models/mock_disks.hpp"

namespace aureole::test {
namespace {

using run::DiskParticles;
using std::numbers::pi;

const std::vector<double>& numbers(const Table& table, const char* name)
{
    return std::get<std::vector<double>>(table.find(name)->values);
}

/// The profile of all particles in the axes of the file about the origin.
Table profile_of(const Particles& host, std::size_t ring, double g = 1)
{
    const DiskParticles disk = run::disk_in_frame(run::disk_particles(host.view(), {}), {});
    const auto rings = run::disk_rings(disk, ring);
    return run::disk_profile({}, run::view_of(disk), rings, run::ring_moments(disk, rings), host.view(), {},
                             g);
}

/// An exponential disk, sech^2(z / 0.1), rotation 0.8, dispersions 0.2, 0.15, 0.1.
Particles warm_disk(std::size_t n, unsigned seed)
{
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    std::normal_distribution<double> random(0, 1);
    std::vector<DiskPoint> points;
    for (std::size_t k = 0; k < n; ++k) {
        const double r = -std::log((1 - unit(engine)) * (1 - unit(engine))), phi = 2 * pi * unit(engine);
        const double z = 0.1 * std::atanh(2 * unit(engine) - 1);
        const double radial = 0.2 * random(engine) + 0.05, around = 0.8 + 0.15 * random(engine);
        points.push_back({{r * std::cos(phi), r * std::sin(phi), z + 0.02},
                          {radial * std::cos(phi) - around * std::sin(phi),
                           radial * std::sin(phi) + around * std::cos(phi), 0.1 * random(engine)}});
    }
    return disk_of(points);
}

TEST(DiskProfile, AWarmExponentialDiskHasItsDensityRotationDispersionsAndHeights)
{
    const Table t = profile_of(warm_disk(100000, 3), 10000);
    ASSERT_EQ(t.rows, 10u);
    for (std::size_t k = 0; k < t.rows; ++k) {
        const double low = numbers(t, "RadiusInner")[k], high = numbers(t, "RadiusOuter")[k];
        const auto inside = [](double r) { return 1 - (1 + r) * std::exp(-r); };
        EXPECT_NEAR(numbers(t, "SurfaceDensity")[k] * pi * (high * high - low * low), 0.1, 1e-9);
        EXPECT_NEAR(inside(high) - inside(low), 0.1, 0.015) << "of the mass, 5 sigma of the counts";
        // deviations from 1e4 normal numbers: 0.7 % of the dispersion, 1 % for means; five of them
        EXPECT_NEAR(numbers(t, "RotationVelocity")[k], 0.8, 5 * 0.0015);
        EXPECT_NEAR(numbers(t, "MeanRadialVelocity")[k], 0.05, 5 * 0.002);
        EXPECT_NEAR(numbers(t, "RadialDispersion")[k], 0.2, 5 * 0.0015);
        EXPECT_NEAR(numbers(t, "AzimuthalDispersion")[k], 0.15, 5 * 0.0011);
        EXPECT_NEAR(numbers(t, "VerticalDispersion")[k], 0.1, 5 * 0.0008);
        EXPECT_NEAR(numbers(t, "RadialAzimuthal")[k], 0, 5 * 0.0003);
        EXPECT_NEAR(numbers(t, "MeanHeight")[k], 0.02, 5 * 0.001);
        EXPECT_NEAR(numbers(t, "RmsHeight")[k], 0.0906900, 5 * 0.001);
        EXPECT_NEAR(numbers(t, "SechHeight")[k], 0.1, 5 * 0.0012);
        EXPECT_NEAR(numbers(t, "HalfMassHeight")[k], 0.0549306, 5 * 0.0007);
    }
}

TEST(DiskProfile, ARingOfFourDoneByHand)
{
    // R = 1, 2, 3, 4; masses 1, 1, 2, 4; one ring of all
    Particles host = disk_of({{{1, 0, 0.5}, {1, 2, 0}},
                              {{0, 2, -1}, {1, 0, 2}},
                              {{-3, 0, 0}, {0, -4, 0}},
                              {{0, -4, 1}, {0, 1, -1}}});
    const double masses[] = {1, 1, 2, 4};
    for (Index i = 0; i < 4; ++i) host.mass.host()[i] = masses[i];
    const Table t = profile_of(host, 4, 2);
    ASSERT_EQ(t.rows, 1u);
    const auto value = [&](const char* name) { return numbers(t, name)[0]; };
    EXPECT_EQ(value("RadiusInner"), 1);
    EXPECT_EQ(value("Radius"), 2.5);
    EXPECT_EQ(value("RadiusOuter"), 4);
    EXPECT_NEAR(value("SurfaceDensity"), 8 / (pi * 15), 1e-15);
    // v_R = 1, 0, 0, -1; v_phi = 2, -1, 4, 0; v_z = 0, 2, 0, -1
    EXPECT_NEAR(value("MeanRadialVelocity"), -3.0 / 8, 1e-15);
    EXPECT_NEAR(value("RotationVelocity"), 9.0 / 8, 1e-15);
    EXPECT_NEAR(value("RadialDispersion"), std::sqrt(5.0 / 8 - 9.0 / 64), 1e-15);
    EXPECT_NEAR(value("AzimuthalDispersion"), std::sqrt(37.0 / 8 - 81.0 / 64), 1e-15);
    EXPECT_NEAR(value("RadialAzimuthal"), 2.0 / 8 + 27.0 / 64, 1e-15);
    EXPECT_NEAR(value("MeanHeight"), 3.5 / 8, 1e-15);
    EXPECT_EQ(value("HalfMassHeight"), 0.5625) << "of heights .0625, .4375, .5625, 1.4375: masses 1, 2, 4, 1";
    // spheres of 2.5 about the origin hold the first two: r = 1.118, 2.236
    EXPECT_EQ(value("MassInside"), 2);
    EXPECT_NEAR(value("SphericalCircularVelocity"), std::sqrt(2 * 2 / 2.5), 1e-15);
    // dM/dR: all within 4 but the last, at 4.123; none within 1
    const double kappa = std::sqrt(2 / (2.5 * 2.5 * 2.5) * (2 + 2.5 * 4.0 / 3));
    EXPECT_NEAR(value("SphericalEpicyclicFrequency"), kappa, 1e-14);
    EXPECT_NEAR(value("SphericalToomreQ"),
                value("RadialDispersion") * kappa / (3.36 * 2 * value("SurfaceDensity")), 1e-14);
}

TEST(DiskProfile, MassesWithinSpheresAreCountedWithTheirSurface)
{
    Particles host = disk_of({{{1, 0, 0}, {}}, {{0, 2, 0}, {}}, {{0, 0, 3}, {}}, {{5, 0, 0}, {}}});
    for (Index i = 0; i < 4; ++i) host.mass.host()[i] = 1 << i;
    const std::vector<double> radii{0.5, 1, 2.5, 3, 4};
    EXPECT_EQ(run::masses_within({}, host.view(), {}, radii), (std::vector<double>{0, 1, 3, 7, 7}));
    EXPECT_EQ(run::masses_within({}, Particles().view(), {}, radii), std::vector<double>(5, 0));
    EXPECT_TRUE(run::masses_within({}, host.view(), {}, {}).empty());
}

TEST(DiskProfile, TheEpicyclicFrequencyOfAHomogeneousSphereIsTwiceThatOfTheOrbit)
{
    // radii r^3 = (k + 1/2) / n in the plane: M(<r) ~ r^3
    std::vector<DiskPoint> points;
    constexpr int n = 40000;
    for (int k = 0; k < n; ++k) {
        const double r = std::cbrt((k + 0.5) / n), phi = 2.4 * k;
        points.push_back({{r * std::cos(phi), r * std::sin(phi), 0}, {}});
    }
    const Table t = profile_of(disk_of(points), 1000);
    for (std::size_t k = 5; k < t.rows; ++k) {
        const double orbit = numbers(t, "SphericalCircularVelocity")[k] / numbers(t, "Radius")[k];
        EXPECT_NEAR(orbit, 1, 1e-3);
        EXPECT_NEAR(numbers(t, "SphericalEpicyclicFrequency")[k], 2, 4e-3);
    }
}

TEST(DiskProfile, NeitherTheOrderOfTheParticlesNorThreadsChangeABit)
{
    const Particles host = warm_disk(30000, 1);
    std::vector<Index> order(host.size());
    for (Index i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const Table one = profile_of(host, 3000);
    omp_set_num_threads(3);
    const Table three = profile_of(host.gathered(order), 3000);
    omp_set_num_threads(threads);
    for (std::size_t c = 0; c < one.columns.size(); ++c)
        EXPECT_EQ(one.columns[c].values, three.columns[c].values) << one.columns[c].name;
}

TEST(DiskProfile, RingsWithoutExtentOrMassAreNotNumbers)
{
    EXPECT_EQ(profile_of(Particles(), 10).rows, 0u);
    const Table one = profile_of(disk_of({{{1, 0, 0}, {0, 1, 0}}}), 1);
    EXPECT_TRUE(std::isnan(numbers(one, "SurfaceDensity")[0]));
    EXPECT_TRUE(std::isnan(numbers(one, "RadialDispersion")[0]));
    EXPECT_TRUE(std::isnan(numbers(one, "SphericalToomreQ")[0]));
    EXPECT_EQ(numbers(one, "RotationVelocity")[0], 1);
    const Table place = profile_of(disk_of(std::vector<DiskPoint>(50, {{0, 0, 0}, {1, 1, 1}})), 50);
    EXPECT_TRUE(std::isnan(numbers(place, "SphericalCircularVelocity")[0]));
    EXPECT_TRUE(std::isnan(numbers(place, "SurfaceDensity")[0]));
    Particles massless = disk_of({{{1, 0, 0}, {0, 1, 0}}, {{2, 0, 0}, {0, 1, 0}}});
    for (double& m : massless.mass.host()) m = 0;
    const Table none = profile_of(massless, 2);
    EXPECT_TRUE(std::isnan(numbers(none, "RotationVelocity")[0]));
    EXPECT_TRUE(std::isnan(numbers(none, "A2")[0]));
    EXPECT_EQ(numbers(none, "SurfaceDensity")[0], 0);
}

}  // namespace
}  // namespace aureole::test
