// The field of an exponential disk against tables that two independent computations agree on, against
// Poisson's equation, and from afar.
#include "ics/disk/disk_potential.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "ics/disk/bessel.hpp"
#include "ics/disk/galactic_field.hpp"
#include "ics/sphere.hpp"
#include "tests/support/models/model_s.hpp"

namespace aureole::test::disk_potential_test {
namespace {

using ics::DiskProfile;
using ics::VerticalProfile;
using ics::VerticalShape;
using std::numbers::pi;

DiskProfile sech2_disk() { return ics::disk_profile(model_s_disk(1)); }
DiskProfile exponential_disk() { return {1, 1, VerticalProfile(VerticalShape::exponential, 0.1)}; }

TEST(BesselFunctions, AreThoseOfTheLibrary)
{
    for (double x : {0.0, 1e-9, 0.3, 1.999, 2.0, 2.404825557695773, 3.83, 10.0, 24.9, 25.1, 99.0, 12345.6}) {
        const ics::BesselPair found = ics::bessel(x);
        EXPECT_NEAR(found.j0, std::cyl_bessel_j(0, x), 3e-13) << x;
        EXPECT_NEAR(found.j1, std::cyl_bessel_j(1, x), 3e-13) << x;
    }
}

TEST(DiskPotential, InThePlaneIsThatOfTheTable)
{
    for (const PlaneRow& row : model_s_plane) {
        const ics::PlaneField found = field_in_plane(sech2_disk(), row.radius);
        EXPECT_NEAR(found.potential, row.disk_potential, 2e-9) << row.radius;
        EXPECT_NEAR(std::sqrt(row.radius * found.slope), row.disk_speed, 2e-9) << row.radius;
    }
}

TEST(DiskPotential, OffThePlaneIsThatOfTheTable)
{
    struct Row {
        double radius, z, potential, radial, vertical;
    };
    for (const Row& row : {Row{1, 0.1, -0.7221426660, 0.2406610929, 0.2582740176},
                           Row{2.5, 0.2, -0.4212996009, 0.1365422391, 0.0805234706},
                           Row{2.5, 1, -0.3561550607, 0.0852107252, 0.0772733135},
                           Row{5, 0.5, -0.2108661544, 0.0440034798, 0.0112003256},
                           Row{1, 3, -0.2693402495, 0.0153088163, 0.0642171552}}) {
        const auto found = field_above(sech2_disk(), row.radius, std::array{row.z});
        EXPECT_NEAR(found[0].potential, row.potential, 2e-9) << row.radius << ' ' << row.z;
        EXPECT_NEAR(found[0].radial, row.radial, 2e-9) << row.radius << ' ' << row.z;
        EXPECT_NEAR(found[0].vertical, row.vertical, 2e-9) << row.radius << ' ' << row.z;
    }
}

TEST(DiskPotential, ObeysPoissonsEquation)
{
    // central differences of the forces: 1e-7 of the second derivatives
    for (const DiskProfile& disk : {sech2_disk(), exponential_disk()})
        for (double radius : {0.05, 0.7, 3.0})
            for (double z : {0.02, 0.15, 0.6}) {
                const double d = 1e-3 * std::fmin(radius, z);
                const auto at = [&](double r, double height) {
                    return field_above(disk, r, std::array{height})[0];
                };
                const double laplacian =
                    ((radius + d) * at(radius + d, z).radial - (radius - d) * at(radius - d, z).radial) /
                        (2 * d * radius) +
                    (at(radius, z + d).vertical - at(radius, z - d).vertical) / (2 * d);
                const double expected = 4 * pi * disk.surface_density(radius) * disk.vertical.density(z);
                EXPECT_NEAR(laplacian, expected, 1e-5 * (expected + 1)) << radius << ' ' << z;
            }
}

TEST(DiskPotential, AboveThePlaneBeginsWithThatInThePlane)
{
    for (const DiskProfile& disk : {sech2_disk(), exponential_disk()})
        for (double radius : {0.05, 1.0, 12.0}) {
            const auto above = field_above(disk, radius, std::array{0.0, 0.05, 40.0});
            const ics::PlaneField plane = field_in_plane(disk, radius);
            EXPECT_NEAR(above[0].potential, plane.potential, 1e-10) << radius;
            EXPECT_NEAR(above[0].radial, plane.slope, 1e-9) << radius;
            EXPECT_NEAR(above[0].vertical, 0, 1e-9) << radius;
            const double r = std::hypot(radius, 40.0);
            EXPECT_NEAR(above[2].potential, -1 / r, 0.006 / r) << "a quadrupole is left at " << radius;
        }
}

TEST(DiskPotential, GoesWithMassAndScale)
{
    const DiskProfile large{8, 2, VerticalProfile(VerticalShape::sech2, 0.2)};
    const ics::PlaneField one = field_in_plane(sech2_disk(), 1.5), eight = field_in_plane(large, 3);
    EXPECT_NEAR(eight.potential, 4 * one.potential, 1e-11);
    EXPECT_NEAR(eight.slope, 2 * one.slope, 1e-11);
    EXPECT_NEAR(eight.curvature, one.curvature, 1e-9);
}

TEST(DiskMonopole, HasTheMassOfTheTableInsideEachRadius)
{
    const auto density = disk_monopole(sech2_disk());
    const ics::MassTable mass(*density, disk_monopole_radii(sech2_disk()));
    for (const DistributionRow& row : model_s_distribution)
        EXPECT_NEAR(mass.enclosed_mass(row.radius), row.disk_mass, 3e-9) << row.radius;
    const auto exponential = disk_monopole(exponential_disk());
    EXPECT_NEAR(ics::MassTable(*exponential, disk_monopole_radii(exponential_disk())).enclosed_mass(1e3), 1,
                1e-8);
}

TEST(GalacticField, HasTheCircularVelocitiesAndFrequenciesOfTheTable)
{
    const ics::GalacticField field(model_s(1), 0, 1);
    for (const PlaneRow& row : model_s_plane) {
        const ics::PlaneSample found = field.in_plane(row.radius);
        EXPECT_NEAR(found.potential, row.disk_potential + row.bulge_potential + row.halo_potential, 3e-8)
            << row.radius;
        EXPECT_NEAR(std::sqrt(found.speed2), row.speed, 1e-8) << row.radius;
        EXPECT_NEAR(std::sqrt(found.kappa2), row.kappa, 1e-7 * row.kappa) << row.radius;
        EXPECT_NEAR(std::sqrt(found.nu2), row.nu, 1e-7 * row.nu) << row.radius;
    }
}

TEST(RotationCurve, IsTheFieldBetweenItsRadii)
{
    const ics::GalacticField field(model_s(1), 0, 1);
    const ics::RotationCurve curve("disk", field, 1e-3, 15);
    for (const PlaneRow& row : model_s_plane) {
        if (row.radius > 15) continue;
        const ics::PlaneSample found = curve.at(row.radius);
        EXPECT_NEAR(std::sqrt(found.speed2), row.speed, 1e-7) << row.radius;
        EXPECT_NEAR(std::sqrt(found.kappa2), row.kappa, 1e-6 * row.kappa) << row.radius;
        EXPECT_NEAR(std::exp(curve.guiding(found.potential + found.speed2 / 2)), row.radius,
                    1e-6 * row.radius);
    }
}

}  // namespace
}  // namespace aureole::test::disk_potential_test
