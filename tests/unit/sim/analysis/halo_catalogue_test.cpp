// What groups are described with: constants and densities in a file's own numbers, and that they arrive.
#include "sim/analysis/halo_catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "halo/fof/friends_of_friends.hpp"
#include "sim/core/error.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/point_sets.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test {
namespace {

using run::HaloContext;
using run::HalosConfig;

constexpr UnitSystem mpc_units{1e3 * kpc_cm, 1e10 * solar_mass_g, 1e5};

io::SnapshotHeader comoving_header(double redshift)
{
    io::SnapshotHeader header;
    header.redshift = redshift;
    header.omega0 = 0.3;
    header.omega_lambda = 0.7;
    header.hubble = 0.7;
    header.comoving = true;
    return header;
}

TEST(HaloContext, TheCriticalDensityIsTheTextbooksInUnitsOfH)
{
    // 2.775e11 h^2 Msun/Mpc^3, with the solar mass and G of this program
    const HaloContext now = run::halo_context(comoving_header(0), mpc_units, {});
    EXPECT_NEAR(now.densities.critical, 27.75, 0.01);
    EXPECT_NEAR(now.densities.mean, 0.3 * now.densities.critical, 1e-12);
    const HaloContext in_kpc = run::halo_context(comoving_header(0), galactic_units, {});
    EXPECT_NEAR(in_kpc.densities.critical * 1e9, now.densities.critical, 1e-9);

    io::SnapshotHeader without_h = comoving_header(0);
    without_h.h_exponent = 0;  // lengths and masses as they are: h^2 appears
    EXPECT_NEAR(run::halo_context(without_h, mpc_units, {}).densities.critical, 0.49 * now.densities.critical,
                1e-10);
}

TEST(HaloContext, ComovingDensitiesAreThoseOfTheEpoch)
{
    const double a = 0.25;
    const HaloContext then = run::halo_context(comoving_header(1 / a - 1), mpc_units, {});
    const HaloContext now = run::halo_context(comoving_header(0), mpc_units, {});
    // the comoving mean density stays; the critical one falls as E^2 a^3
    EXPECT_NEAR(then.densities.mean, now.densities.mean, 1e-12);
    const double expansion = 0.3 / std::pow(a, 3) + 0.7;
    EXPECT_NEAR(then.densities.critical, now.densities.critical * expansion * std::pow(a, 3), 1e-10);
}

TEST(HaloContext, TheConstantOfGravityTakesTheScaleFactorsOfLengthsAndVelocities)
{
    const double g = mpc_units.gravitational_constant(), a = 0.5;
    io::SnapshotHeader header = comoving_header(1);
    EXPECT_NEAR(run::halo_context(header, mpc_units, {}).gravitational_constant, g / std::pow(a, 2),
                1e-9 * g);
    EXPECT_NEAR(run::halo_context(header, mpc_units, {}).velocity_factor, std::sqrt(a), 1e-15);
    header.velocity_a_exponent = 1;  // tipsy: dx/dt
    EXPECT_NEAR(run::halo_context(header, mpc_units, {}).velocity_factor, a, 1e-15);
    EXPECT_NEAR(run::halo_context(header, mpc_units, {}).gravitational_constant, g / std::pow(a, 3),
                1e-9 * g);
    header.comoving = false;
    EXPECT_EQ(run::halo_context(header, mpc_units, {}).velocity_factor, 1);
    EXPECT_NEAR(run::halo_context(header, mpc_units, {}).gravitational_constant, g, 1e-12 * g);
}

TEST(Thresholds, AreTheUsualOnesWhereADensityIsKnownAndRefusedWhereNot)
{
    HalosConfig halos;
    const halo::ReferenceDensities unknown = halo::unknown_reference_densities();
    EXPECT_TRUE(run::overdensity_thresholds(halos, unknown).empty());
    EXPECT_EQ(run::overdensity_thresholds(halos, halo::reference_densities(2.0)).size(), 4u);
    halos.overdensities = {"300c"};
    EXPECT_EQ(run::overdensity_thresholds(halos, halo::reference_densities(2.0)).at(0).density, 600);
    EXPECT_NE(message_of<ConfigError>([&] {
                  run::overdensity_thresholds(halos, unknown);
              }).find("--reference-density"),
              std::string::npos);
    halos.reference_density = 2;
    EXPECT_EQ(run::halo_context({}, galactic_units, halos).densities.critical, 2);
}

/// Two pairs of bodies, 2 and 3 apart, across the corner of a box of 10.
Particles two_pairs()
{
    Particles host(Backend::cpu, 4);
    const double x[4] = {9, 4, 1, 7}, mass[4] = {1, 2, 4, 8};
    for (Index i = 0; i < 4; ++i) {
        host.position.x.host()[i] = x[i];
        host.mass.host()[i] = mass[i];
    }
    return host;
}

TEST(Description, EnergiesAndCentresUseTheConstantOfGravityAndTheBox)
{
    const Particles host = two_pairs();
    const halo::Groups groups{{0, 1, 0, 1}, {2, 2}};
    HaloContext context;
    context.box = {10};
    context.gravitational_constant = 6;
    const run::HaloCatalogue found = run::make_halo_catalogue(host, groups, {}, context);
    const auto numbers = [&](const char* name) {
        return std::get<std::vector<double>>(found.table.find(name)->values);
    };
    const std::vector<double> energy = numbers("GroupPotentialEnergy");
    EXPECT_NEAR(energy[0], -6.0 * 1 * 4 / 2, 1e-12);
    EXPECT_NEAR(energy[1], -6.0 * 2 * 8 / 3, 1e-12);
    EXPECT_EQ(numbers("GroupPos")[0], 9) << "the lighter body lies deepest in the other's well";
    EXPECT_NEAR(numbers("GroupCM")[0], 0.6, 1e-12);
    EXPECT_EQ(found.labels, (std::vector<std::int32_t>{0, 0, 1, 1}));
    EXPECT_EQ(found.sorted.id.host()[1], 3u);
    EXPECT_FALSE(found.subhalos.has_value());
    EXPECT_EQ(host.mass.host()[3], 8) << "the particles themselves are left alone";
}

TEST(Description, VelocitiesArePeculiar)
{
    Particles host = two_pairs();
    for (Index i = 0; i < 4; ++i) host.velocity.y.host()[i] = i < 2 ? 100 : 500;
    const halo::Groups groups{{0, 1, 0, 1}, {2, 2}};
    HaloContext context;
    context.box = {10};
    context.gravitational_constant = 6;
    const run::HaloCatalogue in_file = run::make_halo_catalogue(host, groups, {}, context);
    context.velocity_factor = 0.5;
    const run::HaloCatalogue found = run::make_halo_catalogue(host, groups, {}, context);
    const auto expect = [&](const char* name, double factor) {
        const auto& is = std::get<std::vector<double>>(found.table.find(name)->values);
        const auto& was = std::get<std::vector<double>>(in_file.table.find(name)->values);
        for (std::size_t k = 0; k < is.size(); ++k) EXPECT_EQ(is[k], factor * was[k]) << name;
        EXPECT_TRUE(std::ranges::any_of(is, [](double x) { return x != 0; })) << name;
    };
    for (const char* name : {"GroupVel", "GroupVelDisp", "GroupVmax", "GroupSpin"}) expect(name, 0.5);
    for (const char* name : {"GroupDispersionTensor", "GroupKineticEnergy", "GroupPotentialEnergy"})
        expect(name, 0.25);
    for (const char* name : {"GroupMass", "GroupPos", "GroupVirialRatio", "GroupSpinBullock"})
        expect(name, 1);
}

TEST(Description, VelocitiesOfSubhalosArePeculiar)
{
    Particles host = particles_at(clustered_points(300, 3));
    Uniform u(4);
    for (double& speed : host.velocity.x.host()) speed = u();
    for (double& mass : host.mass.host()) mass = 0.01;
    const halo::Groups groups{std::vector<std::int32_t>(300, 0), {300}};
    HalosConfig halos;
    halos.substructure = true;
    HaloContext context;
    context.gravitational_constant = 7;
    context.softening = 1e-4;
    const run::HaloCatalogue in_file = run::make_halo_catalogue(host, groups, halos, context);
    context.velocity_factor = 0.5;
    const run::HaloCatalogue found = run::make_halo_catalogue(host, groups, halos, context);
    ASSERT_GT(found.subhalos.value().rows, 0u);
    std::size_t velocities = 0;
    for (const Column& column : found.subhalos->columns) {
        const auto* is = std::get_if<std::vector<double>>(&column.values);
        if (!is || column.dimension.velocity != 1) continue;
        const auto& was = std::get<std::vector<double>>(in_file.subhalos.value().find(column.name)->values);
        for (std::size_t k = 0; k < is->size(); ++k) EXPECT_EQ((*is)[k], 0.5 * was[k]) << column.name;
        ++velocities;
    }
    EXPECT_GE(velocities, 3u) << "SubhaloVel, SubhaloVelDisp, SubhaloVmax";
}

/// Cumulative numbers of masses above the bounds, in the unit of the file; 1e10 Msun/h here.
std::vector<std::size_t> numbers_above(const std::vector<double>& mass, double hubble)
{
    std::vector<std::size_t> result;
    for (const double bound : {14.1744, 14.4744, 14.7744, 15.0744, 15.3744})
        result.push_back(static_cast<std::size_t>(
            std::ranges::count_if(mass, [&](double m) { return std::log10(m * 1e10 / hubble) > bound; })));
    return result;
}

TEST(Description, VirialMassesOfACosmologicalBoxAreThoseOfGadget4)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "cosmology/cube300_z0.hdf5");
    const io::Snapshot snapshot = io::read_snapshot(file);
    HalosConfig halos;
    HaloContext context = run::halo_context(snapshot.header, mpc_units, halos);
    context.box = {snapshot.header.box_size};
    context.softening = 0.525;
    halo::FofConfig fof;
    fof.box = context.box;
    fof.linking_length = 0.2 * context.box.side / std::cbrt(static_cast<double>(snapshot.particles.size()));
    fof.min_members = 20;
    const halo::Groups groups = halo::FriendsOfFriends().find({}, snapshot.particles.reading_view(), fof);
    ASSERT_EQ(groups.size(), 295u);
    const auto counts = [&](halo::Crossing crossing) {
        halos.overdensity_crossing = crossing;
        const run::HaloCatalogue found = run::make_halo_catalogue(snapshot.particles, groups, halos, context);
        return numbers_above(std::get<std::vector<double>>(found.table.find("Group_M_TopHat200")->values),
                             snapshot.header.hubble);
    };
    // GADGET-4, at its own centres: 200, 89, 28, 10, 1
    EXPECT_EQ(counts(halo::Crossing::outermost), (std::vector<std::size_t>{203, 90, 28, 11, 1}));
    EXPECT_EQ(counts(halo::Crossing::innermost), (std::vector<std::size_t>{182, 86, 28, 9, 1}));
}

}  // namespace
}  // namespace aureole::test
