// Distribution functions of a disk galaxy: spheres in the field with the disk's mean, motions in the plane
// and at right angles to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ics/disk/disk_equilibrium.hpp"
#include "ics/distribution_function.hpp"
#include "ics/sphere.hpp"
#include "tests/support/models/model_s.hpp"
#include "tests/unit/ics/statistics.hpp"

namespace aureole::test::disk_distribution_test {
namespace {

using ics::DiskEquilibrium;

const DiskEquilibrium& model_s_equilibrium()
{
    static const DiskEquilibrium disk(model_s(1), 0);
    return disk;
}

const DiskEquilibrium& model_s_by_moments()
{
    static const DiskEquilibrium disk(
        [] {
            ics::Config config = model_s(1);
            config.components[0].own.get<ics::DiskConfig>().method = ics::DiskMethod::moments;
            return config;
        }(),
        0);
    return disk;
}

/// f of a component in model S on even steps of ln r through `radius` and its multiples by 10: an inversion
/// is as good as its cells are even.
ics::EddingtonTable table_through(double radius, std::size_t component)
{
    const ics::Config config = model_s(1);
    ics::Field field;
    for (std::size_t k = 0; k < 3; ++k) field.add(config.components[k], k == component);
    const auto density = make_density(config.components[component]);
    const std::vector<double> usual = radial_grid(config.components[component], *density);
    constexpr int steps = 148;  // a decade
    const int first = static_cast<int>(std::floor(steps * std::log10(usual.front() / radius)));
    std::vector<double> radii;
    for (int k = first; radii.empty() || radii.back() < usual.back(); ++k)
        radii.push_back(radius * std::pow(10, k / double(steps)));
    return invert(*density, field, radii);
}

TEST(SpheresAboutADisk, HaveTheDistributionFunctionsOfTheTable)
{
    int compared = 0;
    for (double start : {0.01, 0.02, 0.05}) {
        const ics::EddingtonTable bulge = table_through(start, 1), halo = table_through(start, 2);
        const auto at = [](const ics::EddingtonTable& t, double radius) {
            return t.isotropic[std::lower_bound(t.radius.begin(), t.radius.end(), radius * (1 - 1e-9)) -
                               t.radius.begin()];
        };
        for (const DistributionRow& row : model_s_distribution) {
            const double decades = std::log10(row.radius / start);
            if (std::abs(decades - std::round(decades)) > 1e-9) continue;
            ++compared;
            // the table's bulge ends at r = 2000, of which bodies at 100 know
            EXPECT_NEAR(at(bulge, row.radius), row.bulge, (row.radius < 50 ? 1e-6 : 5e-5) * row.bulge)
                << row.radius;
            EXPECT_NEAR(at(halo, row.radius), row.halo, 1e-6 * row.halo) << row.radius;
        }
    }
    EXPECT_GE(compared, 12);
}

TEST(SpheresAboutADisk, AreSampledFromTheirDensity)
{
    // the halo's particles by the mass of its total, 4 pi rho_0 r_s^3 = 17 with the gaussian tail
    const auto sphere = make_sphere(model_s(1), 2);
    EXPECT_NEAR(sphere->enclosed_mass(1e6), 25.9099048078, 1e-8);
    const auto density = ics::nfw_density(model_s_halo(1));
    EXPECT_NEAR(density->at(6).value, 0.006263041742 / 4 * std::exp(-std::pow(6.0 / 80, 2)), 1e-12);
}

TEST(VerticalDistribution, HasTheDispersionsOfTheTable)
{
    struct Row {
        double radius, sigma;
    };
    for (const Row& row :
         {Row{0.5, 0.18493628}, Row{1, 0.13832912}, Row{2.5, 0.06814375}, Row{4, 0.03520189}}) {
        const ics::VerticalColumn column(model_s_equilibrium().profile().vertical,
                                         model_s_equilibrium().field(), row.radius);
        EXPECT_NEAR(std::sqrt(column.dispersion2(0)), row.sigma, 1e-7) << row.radius;
        EXPECT_NEAR(model_s_equilibrium().sigma_z(row.radius), row.sigma, 2e-3 * row.sigma) << row.radius;
    }
}

TEST(VerticalDistribution, HasTheEnergiesAndValuesOfTheTable)
{
    struct Row {
        double z, energy, value;
    };
    const ics::VerticalColumn column(model_s_equilibrium().profile().vertical, model_s_equilibrium().field(),
                                     2.5);
    for (const Row& row : {Row{0, 0, 29.625934}, Row{0.05, 0.001084636, 23.216363},
                           Row{0.1, 0.003953947, 12.277588}, Row{0.2, 0.012429695, 2.005367}}) {
        EXPECT_NEAR(column.potential(row.z), row.energy, 1e-9) << row.z;
        EXPECT_NEAR(column.value(row.z), row.value, 1e-6 * row.value) << row.z;
    }
}

TEST(VerticalDistribution, IntegratesToTheProfileForBothShapes)
{
    // h(z) = integral of f over v_z, by the midpoint rule in v
    for (ics::VerticalShape shape : {ics::VerticalShape::sech2, ics::VerticalShape::exponential}) {
        const ics::VerticalProfile profile(shape, 0.1);
        const ics::VerticalColumn column(profile, model_s_equilibrium().field(), 1.5);
        const auto height_of = [&](double energy) {
            double low = 0, high = column.heights().back();
            while (high - low > 1e-12) {
                const double middle = (low + high) / 2;
                (column.potential(middle) < energy ? low : high) = middle;
            }
            return low;
        };
        for (double z : {0.03, 0.1, 0.25}) {
            const double here = column.potential(z);
            const double fastest = std::sqrt(2 * (column.potentials().back() - here));
            constexpr int n = 400;
            double sum = 0;
            for (int k = 0; k < n; ++k) {
                const double v = fastest * (k + 0.5) / n;
                sum += column.value(height_of(here + v * v / 2)) * 2 * fastest / n;
            }
            EXPECT_NEAR(sum, profile.density(z), 2e-4 * profile.density(z)) << z;
        }
    }
}

TEST(VerticalDistribution, IsSampledWithItsDispersion)
{
    const DiskEquilibrium& disk = model_s_equilibrium();
    std::vector<double> squares;
    for (std::uint64_t id = 0; id < 20000; ++id) {
        Random random(1, id, 0);
        const double v = disk.vertical().velocity(1.3, 0.05, random);
        squares.push_back(v * v);
    }
    const ics::VerticalColumn column(disk.profile().vertical, disk.field(), 1.3);
    EXPECT_TRUE(mean_is(squares, column.dispersion2(0.05)));
}

TEST(PlanarDistribution, HasTheMomentsOfDehnensFunction)
{
    // from a computation of its own with 12 rounds: 1 % of what two grids of velocities and radii may differ
    // by
    struct Row {
        double radius, sigma_phi, mean;
    };
    for (const Row& row : {Row{0.5, 0.2465, 0.6035}, Row{1, 0.2196, 0.6828}, Row{2.5, 0.1017, 0.8547},
                           Row{4, 0.0441, 0.8839}}) {
        const ics::PlanarMoments found = model_s_equilibrium().planar_moments(row.radius);
        EXPECT_NEAR(found.sigma_phi, row.sigma_phi, 0.012 * row.sigma_phi) << row.radius;
        EXPECT_NEAR(found.mean_phi, row.mean, 0.01 * row.mean) << row.radius;
    }
}

TEST(PlanarDistribution, IsAsDenseAndAsHotAsAsked)
{
    const DiskEquilibrium& disk = model_s_equilibrium();
    EXPECT_NEAR(disk.sigma_0(), 0.4390887737, 1e-6);
    for (const PlaneRow& row : model_s_plane) {
        if (row.radius < 0.1 || row.radius > 6) continue;
        const ics::PlanarMoments found = disk.planar_moments(row.radius);
        EXPECT_NEAR(found.surface_density / disk.profile().surface_density(row.radius), 1, 0.02)
            << row.radius;
        EXPECT_NEAR(found.sigma_r / row.sigma_r, 1, 0.03) << row.radius;
        EXPECT_NEAR(disk.toomre_q(row.radius) / row.q, 1, 0.05) << row.radius;
    }
}

TEST(PlanarDistribution, IsSampledWithItsMoments)
{
    const DiskEquilibrium& disk = model_s_equilibrium();
    std::vector<double> radius, phi, radial2, phi2;
    for (std::uint64_t id = 1; id <= 100000; ++id) {
        const PhaseSpacePoint p = disk.sample(3, id);
        const double r = std::hypot(p.position.x, p.position.y);
        radius.push_back(r);
        if (std::abs(r - 2.5) > 0.05) continue;
        const double v_r = (p.position.x * p.velocity.x + p.position.y * p.velocity.y) / r;
        phi.push_back((p.position.x * p.velocity.y - p.position.y * p.velocity.x) / r);
        radial2.push_back(v_r * v_r);
        phi2.push_back(phi.back() * phi.back());
    }
    const ics::PlanarMoments expected = disk.planar_moments(2.5);
    EXPECT_TRUE(mean_is(phi, expected.mean_phi));
    EXPECT_TRUE(mean_is(radial2, expected.sigma_r * expected.sigma_r));
    EXPECT_TRUE(
        mean_is(phi2, expected.sigma_phi * expected.sigma_phi + expected.mean_phi * expected.mean_phi));
    // of the asked profile to the function's own misses: 1 % of the mass
    std::sort(radius.begin(), radius.end());
    for (double r : {0.5, 1.0, 2.0, 4.0}) {
        const auto inside = std::lower_bound(radius.begin(), radius.end(), r) - radius.begin();
        EXPECT_NEAR(inside / 1e5, disk.profile().mass_within(r), 0.01) << r;
    }
}

TEST(MomentsOfADisk, AreThoseOfHernquistsClosure)
{
    struct Row {
        double radius, sigma_phi, mean;
    };
    for (const Row& row : {Row{0.5, 0.26367, 0.59926}, Row{1, 0.20978, 0.68578}, Row{2.5, 0.09178, 0.85583},
                           Row{4, 0.04110, 0.88404}}) {
        const ics::PlanarMoments found = model_s_by_moments().planar_moments(row.radius);
        EXPECT_NEAR(found.sigma_phi, row.sigma_phi, 6e-6) << row.radius;
        EXPECT_NEAR(found.mean_phi, row.mean, 6e-6) << row.radius;
    }
}

TEST(RotationCurve, HasTheMomentumOfItsCircularOrbits)
{
    const ics::RotationCurve& curve = model_s_equilibrium().curve();
    for (double r : {0.01, 0.3, 2.0, 9.0, 13.5, 14.2, 14.6, 14.8}) {
        const ics::PlaneSample s = curve.at(r);
        const double x = curve.guiding(s.potential + s.speed2 / 2);
        EXPECT_NEAR(curve.frequency(x) * (r * std::sqrt(s.speed2) - curve.angular_momentum(x)), 0, 1e-7) << r;
    }
}

ics::Config light_disk(double sigma_0)
{
    ics::Config config = model_s(1);
    ics::DiskConfig& disk = config.components[0].own.get<ics::DiskConfig>();
    disk.q.reset();
    disk.q_radius.reset();
    disk.sigma_0 = sigma_0;
    config.components[0].mass = 0.1;
    return config;
}

TEST(PlanarDistribution, OfACoolDiskEndsAtItsCentreAndAtItsEdge)
{
    ics::Config config = light_disk(0.02);
    config.components[0].own.get<ics::DiskConfig>().method = ics::DiskMethod::moments;
    const DiskEquilibrium disk(config, 0);
    std::vector<double> rows;
    for (int k = 0; k < 48; ++k) rows.push_back(0.03 * std::pow(14 / 0.03, k / 47.0));
    const ics::PlanarTarget target{[&](double r) { return disk.profile().surface_density(r); },
                                   [](double r) { return 0.02 * std::fmax(0.01, std::exp(-r / 2)); }};
    const ics::PlanarDistribution planar(disk.curve(), target, rows);
    for (double radius : {0.002, 0.01, 14.8}) {
        const double circular = std::sqrt(disk.curve().at(radius).speed2);
        for (std::uint64_t id = 0; id < 20; ++id) {
            Random random(3, id, 0);
            const ics::PlanarVelocity v = planar.velocity(radius, random);
            EXPECT_LT(std::hypot(v.radial, v.azimuthal - circular), 0.2 + circular) << radius;
        }
    }
}

TEST(PlanarDistribution, OfATooColdDiskIsRefused)
{
    EXPECT_THROW(DiskEquilibrium(light_disk(1e-3), 0), ConfigError);
}

}  // namespace
}  // namespace aureole::test::disk_distribution_test
