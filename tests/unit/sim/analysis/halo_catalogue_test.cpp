// What groups are described with: constants and densities in a file's own numbers, and that they arrive.
#include "sim/analysis/halo_catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "halo/catalogue/member_order.hpp"
#include "halo/fof/friends_of_friends.hpp"
#include "sim/core/error.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/support/backends.hpp"
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

/// Catalogues as `find` and `run` make them, where the particles and labels are.
class DescriptionOnEachBackend : public OnEachBackend {
protected:
    run::HaloCatalogue catalogue_of(const Particles& host, const halo::Groups& groups,
                                    const HalosConfig& halos, const HaloContext& context,
                                    run::WantedParticles wanted = {true, true}, const Progress& progress = {})
    {
        const Backend where = exec().backend;
        const Particles particles = host.copy_to(where);
        const Buffer<std::int32_t> label(where, std::span<const std::int32_t>(groups.label));
        const Buffer<Index> n_members(where, std::span<const Index>(groups.n_members));
        const halo::GroupsView view{static_cast<Index>(groups.label.size()),
                                    static_cast<Index>(groups.size()), label.data(), n_members.data()};
        const auto on_host = [&]() -> const Particles& {
            ++host_copies_;
            return host;
        };
        return maker_.make({exec(), particles.view(), view, on_host}, halos, context, wanted, progress);
    }

    run::CatalogueMaker maker_;
    int host_copies_ = 0;
};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(DescriptionOnEachBackend);

/// Numbers that agree to `tolerance` of the largest in their column, 1e-12 for masses and sums; counts that
/// are equal.
void expect_table(const Table& found, const Table& expected)
{
    const std::set<std::string> sums{"GroupMass",
                                     "GroupMassType",
                                     "GroupCM",
                                     "GroupVel",
                                     "GroupVelDisp",
                                     "GroupKineticEnergy",
                                     "GroupSpin",
                                     "GroupHalfMassRad",
                                     "GroupRadius",
                                     "GroupPos",
                                     "GroupPotentialEnergy",
                                     "GroupVirialRatio",
                                     "Group_M_TopHat200",
                                     "Group_M_Crit200",
                                     "Group_M_Mean200",
                                     "GroupDispersionTensor"};
    ASSERT_EQ(found.rows, expected.rows);
    ASSERT_EQ(found.columns.size(), expected.columns.size());
    for (std::size_t k = 0; k < expected.columns.size(); ++k) {
        const Column &is = found.columns[k], &was = expected.columns[k];
        EXPECT_EQ(is.name, was.name);
        const auto* expected_numbers = std::get_if<std::vector<double>>(&was.values);
        if (!expected_numbers) {
            EXPECT_EQ(is.values, was.values) << is.name;
            continue;
        }
        const double tolerance = sums.contains(is.name) ? 1e-12 : 1e-8;
        const auto& numbers = std::get<std::vector<double>>(is.values);
        double largest = 0;
        for (const double x : *expected_numbers) largest = std::fmax(largest, std::abs(x));
        for (std::size_t r = 0; r < numbers.size(); ++r) {
            const double x = (*expected_numbers)[r];
            EXPECT_TRUE(std::isnan(x) ? std::isnan(numbers[r])
                                      : std::abs(numbers[r] - x) <= tolerance * largest)
                << is.name << " " << r << ": " << numbers[r] << ", expected " << x;
        }
    }
}

Particles moving_clusters(Index n)
{
    Particles host = particles_at(clustered_points(n, 3));
    Uniform u(4);
    for (Index i = 0; i < n; ++i) {
        host.mass.host()[i] = (0.5 + u()) / n;
        host.velocity.x.host()[i] = u();
        host.velocity.y.host()[i] = u();
        host.type.host()[i] = static_cast<ParticleType>(6 * u());
    }
    return host;
}

HaloContext context_in(double side)
{
    HaloContext context;
    context.box = {side};
    context.gravitational_constant = 7;
    context.softening = 1e-4;
    context.linking_length = 0.02;
    context.densities = halo::reference_densities(1);
    return context;
}

halo::Groups groups_of(Particles& host, double side, double velocity = 0)
{
    halo::FofConfig fof;
    fof.linking_length = 0.02;
    fof.box = {side};
    if (velocity > 0) fof.linking_velocity = velocity;
    return halo::FriendsOfFriends().find({}, host.view(), fof);
}

TEST_P(DescriptionOnEachBackend, IsTheHosts)
{
    Particles host = moving_clusters(4000);
    const HaloContext context = context_in(1);
    const halo::Groups groups = groups_of(host, 1);
    for (const auto centre : {halo::Centre::most_bound, halo::Centre::most_bound_energy}) {
        HalosConfig halos;
        halos.centre = centre;
        halos.substructure = true;
        const run::HaloCatalogue expected = run::make_halo_catalogue(host, groups, halos, context);
        const run::HaloCatalogue found = catalogue_of(host, groups, halos, context);
        ASSERT_GT(found.table.rows, 5u);
        ASSERT_TRUE(found.subhalos.has_value());
        expect_table(found.table, expected.table);
        expect_table(*found.subhalos, *expected.subhalos);
        EXPECT_EQ(found.labels, expected.labels);
        EXPECT_EQ(found.order, expected.order);
    }
}

TEST_P(DescriptionOnEachBackend, IsTheHostsForEveryCentreInSpaceAndPhaseSpaceInBoxesAndOpenSpace)
{
    Particles host = moving_clusters(6000);
    for (const double side : {0.0, 1.0})
        for (const double velocity : {0.0, 0.2}) {
            const halo::Groups groups = groups_of(host, side, velocity);
            ASSERT_GT(groups.size(), 3u);
            for (const auto centre :
                 {halo::Centre::most_bound, halo::Centre::most_bound_energy, halo::Centre::most_connected,
                  halo::Centre::poisson, halo::Centre::mass, halo::Centre::shrinking_sphere}) {
                HalosConfig halos;
                halos.centre = centre;
                halos.poisson_grid = 15;
                const HaloContext context = context_in(side);
                const run::HaloCatalogue expected = run::make_halo_catalogue(host, groups, halos, context);
                const run::HaloCatalogue found = catalogue_of(host, groups, halos, context);
                expect_table(found.table, expected.table);
                EXPECT_EQ(found.labels, expected.labels);
                EXPECT_EQ(found.order, expected.order);
                EXPECT_EQ(halo::member_order(groups), found.order);
                const Particles gathered = host.gathered(found.order);
                EXPECT_TRUE(std::ranges::equal(found.sorted.id.host(), gathered.id.host()));
                EXPECT_TRUE(std::ranges::equal(found.sorted.velocity.y.host(), gathered.velocity.y.host()));
                EXPECT_TRUE(std::ranges::equal(found.sorted.type.host(), gathered.type.host()));
                EXPECT_TRUE(std::ranges::equal(found.sorted.mass.host(), gathered.mass.host()));
            }
        }
}

TEST_P(DescriptionOnEachBackend, HasOneGroupOfAllParticlesByTheTree)
{
    Particles host = moving_clusters(9000);
    const halo::Groups everyone{std::vector<std::int32_t>(9000, 0), {9000}};
    const run::HaloCatalogue expected = run::make_halo_catalogue(host, everyone, {}, context_in(0));
    const run::HaloCatalogue found = catalogue_of(host, everyone, {}, context_in(0));
    expect_table(found.table, expected.table);
    const run::HaloCatalogue again = catalogue_of(host, everyone, {}, context_in(0));
    EXPECT_EQ(again.table.find("GroupPotentialEnergy")->values,
              found.table.find("GroupPotentialEnergy")->values);
    // W = 1/2 sum m phi by all pairs
    double energy = 0;
    for (Index i = 0; i < 9000; ++i)
        for (Index j = 0; j < i; ++j) {
            const Vec3 d = host.position.load(i) - host.position.load(j);
            energy -= 7 * host.mass.host()[i] * host.mass.host()[j] / std::sqrt(dot(d, d) + 1e-8);
        }
    EXPECT_NEAR(std::get<std::vector<double>>(found.table.find("GroupPotentialEnergy")->values)[0], energy,
                2e-4 * std::abs(energy));
}

TEST_P(DescriptionOnEachBackend, MayHaveNoGroupsAndNoParticles)
{
    const run::HaloCatalogue none = catalogue_of(Particles(Backend::cpu, 0), {}, {}, context_in(0));
    EXPECT_EQ(none.table.rows, 0u);
    EXPECT_TRUE(none.order.empty());
    Particles host = moving_clusters(50);
    const run::HaloCatalogue lonely =
        catalogue_of(host, {std::vector<std::int32_t>(50, -1), {}}, {}, context_in(1));
    EXPECT_EQ(lonely.table.rows, 0u);
    EXPECT_EQ(lonely.order.size(), 50u);
    EXPECT_EQ(lonely.labels, std::vector<std::int32_t>(50, -1));
    EXPECT_TRUE(std::ranges::equal(lonely.sorted.id.host(), host.id.host()));
}

TEST_P(DescriptionOnEachBackend, HasNoEnergyWithoutMass)
{
    Particles host = moving_clusters(600);
    std::ranges::fill(host.mass.host(), 0.0);
    const halo::Groups everyone{std::vector<std::int32_t>(600, 0), {600}};
    const run::HaloCatalogue found = catalogue_of(host, everyone, {}, context_in(0));
    EXPECT_EQ(std::get<std::vector<double>>(found.table.find("GroupPotentialEnergy")->values)[0], 0);
    expect_table(found.table, run::make_halo_catalogue(host, everyone, {}, context_in(0)).table);
}

TEST_P(DescriptionOnEachBackend, TakesParticlesToTheHostOnlyForWhatRunsThere)
{
    Particles host = moving_clusters(2000);
    const halo::Groups groups = groups_of(host, 1);
    HalosConfig halos;
    static_cast<void>(catalogue_of(host, groups, halos, context_in(1)));
    EXPECT_EQ(host_copies_, 0);
    const run::HaloCatalogue table_alone = catalogue_of(host, groups, halos, context_in(1), {});
    EXPECT_TRUE(table_alone.labels.empty() && table_alone.order.empty());
    EXPECT_EQ(table_alone.sorted.size(), 0u);
    halos.substructure = true;
    static_cast<void>(catalogue_of(host, groups, halos, context_in(1)));
    EXPECT_GT(host_copies_, 0);
}

TEST_P(DescriptionOnEachBackend, StopsBetweenItsParts)
{
    Particles host = moving_clusters(2000);
    const halo::Groups groups = groups_of(host, 1);
    int asked = 0;
    const Progress count{{}, [&] {
                             ++asked;
                             return false;
                         }};
    const run::HaloCatalogue all = catalogue_of(host, groups, {}, context_in(1), {true, true}, count);
    const int n = asked;
    EXPECT_GE(n, 4) << "centres, potentials or properties, overdensities, particles";
    for (int stop = 1; stop <= n; ++stop) {
        int left = stop;
        const Progress progress{{}, [&] { return --left == 0; }};
        EXPECT_THROW(catalogue_of(host, groups, {}, context_in(1), {true, true}, progress), Stopped) << stop;
    }
    const run::HaloCatalogue again = catalogue_of(host, groups, {}, context_in(1));
    EXPECT_EQ(again.table.find("GroupPos")->values, all.table.find("GroupPos")->values);
}

TEST_P(DescriptionOnEachBackend, TellsWhatItsPartsTook)
{
    Particles host = moving_clusters(2000);
    static_cast<void>(catalogue_of(host, groups_of(host, 1), {}, context_in(1)));
    const halo::CatalogueTimes& t = maker_.times();
    for (const double seconds : {t.lists, t.centres, t.potentials, t.properties, t.overdensities, t.table})
        EXPECT_GT(seconds, 0);
    EXPECT_EQ(t.labels, 0) << "no finder ran";
    EXPECT_NE(text_of(t).find("potentials"), std::string::npos);
}

}  // namespace
}  // namespace aureole::test
