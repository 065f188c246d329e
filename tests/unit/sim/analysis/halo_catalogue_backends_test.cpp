// Catalogues made where the particles are, on each backend, against those of the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "halo/catalogue/member_order.hpp"
#include "halo/fof/friends_of_friends.hpp"
#include "sim/analysis/halo_catalogue.hpp"
#include "sim/core/memory/transfers.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/halo/mock_halos.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test {
namespace {

using run::HaloContext;
using run::HalosConfig;

constexpr double linking_length = 0.02;

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
        const device::Transfers before = device::transfers();
        run::HaloCatalogue found =
            maker_.make({exec(), particles.view(), view}, halos, context, wanted, progress);
        moved_ = (device::transfers() - before).bytes();
        return found;
    }

    run::CatalogueMaker maker_;
    std::uint64_t moved_ = 0;  ///< bytes between the memories in the last catalogue
};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(DescriptionOnEachBackend);

/// Numbers that agree to 1e-8 of the largest in their column, masses and sums to 1e-12; counts that are
/// equal. The offset of a centre of mass from itself is rounding: offsets count in units of the linking
/// length at least.
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
        double largest = is.name.ends_with("Offset") ? linking_length : 0;
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
    context.linking_length = linking_length;
    context.densities = halo::reference_densities(1);
    return context;
}

halo::Groups groups_of(Particles& host, double side, double velocity = 0)
{
    halo::FofConfig fof;
    fof.linking_length = linking_length;
    fof.box = {side};
    if (velocity > 0) fof.linking_velocity = velocity;
    return halo::FriendsOfFriends().find({}, host.view(), fof);
}

TEST_P(DescriptionOnEachBackend, IsTheHosts)
{
    Particles host = moving_clusters(4000);
    const HaloContext context = context_in(1);
    const halo::Groups groups = groups_of(host, 1);
    for (const auto& centre : {halo::Centre::most_bound, halo::Centre::most_bound_energy}) {
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
            for (const auto& centre :
                 {halo::Centre::most_bound, halo::Centre::most_bound_energy, halo::Centre::most_connected,
                  halo::Centre::poisson, halo::Centre::mass, halo::Centre::shrinking_sphere}) {
                HalosConfig halos;
                halos.centre = centre;
                halos.centres.get<halo::PoissonConfig>().grid = 15;
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

/// A clump of `n` particles in equilibrium, and twenty of a hundred each.
Particles clumps_of(Index n)
{
    std::vector<ics::Component> components{plummer_halo(n, 1, 1)};
    for (int k = 0; k < 20; ++k) {
        components.push_back(plummer_halo(100, 0.01, 0.1));
        components.back().position = {30, 0, 3.0 * k};
    }
    return make_mock(5, components);
}

TEST_P(DescriptionOnEachBackend, MovesRowsAloneBetweenTheMemories)
{
    const bool on_device = GetParam() == Backend::cuda;
    Particles host = clumps_of(on_device ? 200000 : 5000);
    halo::FofConfig fof;
    fof.linking_length = 0.25;
    fof.min_members = 20;
    const halo::Groups groups = halo::FriendsOfFriends().find({}, host.view(), fof);
    for (const bool substructure : {false, true}) {
        HalosConfig halos;
        halos.substructure = substructure;
        const run::HaloCatalogue table_alone = catalogue_of(host, groups, halos, context_in(0), {});
        EXPECT_GT(table_alone.table.rows, 15u);
        EXPECT_TRUE(table_alone.labels.empty() && table_alone.order.empty());
        EXPECT_EQ(table_alone.sorted.size(), 0u);
        EXPECT_EQ(moved_ > 0, on_device);
        // rows; a number of each particle would be 4 bytes
        EXPECT_LE(moved_, host.size() * 3) << substructure;
    }
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
    EXPECT_EQ(t.substructure, 0) << "not asked for";
    EXPECT_NE(text_of(t).find("potentials"), std::string::npos);
    EXPECT_EQ(text_of(t).find("substructure"), std::string::npos);
    run::HalosConfig halos;
    halos.substructure = true;
    static_cast<void>(catalogue_of(host, groups_of(host, 1), halos, context_in(1)));
    const halo::CatalogueTimes& with = maker_.times();
    EXPECT_GT(with.substructure, 0);
    EXPECT_GT(with.sum(), with.table + with.substructure);
    EXPECT_NE(text_of(with).find(", substructure "), std::string::npos);
}

}  // namespace
}  // namespace aureole::test
