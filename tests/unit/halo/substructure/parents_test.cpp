// Which halo a halo lies in: by hand, and that it lies within reach, in mocks and in a real box.
#include "halo/substructure/parents.hpp"

#include "halo/fof/friends_of_friends.hpp"
#include "halo/substructure/substructure.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/support/halo/mock_halos.hpp"
#include "tests/support/halo/overdensity_reference.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test::parents_test {
namespace {

using halo::Relative;
using Rows = std::vector<std::int32_t>;

/// A main halo at 0, a satellite of it at 10, and a branch that left the satellite, at `x`.
Rows parents_with_a_lesser_one_at(double x, double main_reach = 100)
{
    const std::vector<Relative> branches{
        {-1, 0, 0, {}, main_reach}, {0, 1, 1, {10, 0, 0}, 2}, {1, 2, 2, {x, 0, 0}, 1}};
    return halo::parents_of(branches);
}

TEST(Parents, AHaloBeyondTheReachOfItsParentHangsOneLevelHigher)
{
    EXPECT_EQ(parents_with_a_lesser_one_at(11), (Rows{-1, 0, 1}));
    EXPECT_EQ(parents_with_a_lesser_one_at(12), (Rows{-1, 0, 1})) << "just within reach";
    EXPECT_EQ(parents_with_a_lesser_one_at(12.5), (Rows{-1, 0, 0}));
    EXPECT_EQ(parents_with_a_lesser_one_at(101), (Rows{-1, 0, -1})) << "beyond all";
    EXPECT_EQ(parents_with_a_lesser_one_at(11, 5), (Rows{-1, -1, 1})) << "its own parent is alone";
}

TEST(Parents, TheLesserOfTwoBranchesLiesInTheGreaterAndTheLastToPartMeetFirst)
{
    // branch 0 is no halo, branch 1 is the lesser of 1 and 2, which parts from it later than 3 from 0
    const std::vector<Relative> branches{
        {-1, 0, -1, {}, 0}, {0, 1, 2, {}, 9}, {1, 3, 0, {}, 9}, {0, 2, 1, {}, 9}, {3, 4, 3, {}, 9}};
    EXPECT_EQ(halo::parents_of(branches), (Rows{-1, 0, 0, 1}));
    EXPECT_EQ(halo::parents_of(std::span<const Relative>{}), Rows{});
}

halo::SubhaloConfig config_with(double softening, double reach_density, double box_side = 0)
{
    halo::SubhaloConfig config;
    config.softening = softening;
    config.reach_density = reach_density;
    config.box.side = box_side;
    return config;
}

/// How far the members of `row` reach, the slow way.
double slow_reach(const ConstParticlesView& p, const halo::Subhalos& found, std::size_t row, double density,
                  double side)
{
    const auto members = found.members.of(row);
    Particles alone(Backend::cpu, members.size());
    double extent = 0;
    for (std::size_t k = 0; k < members.size(); ++k) {
        const Vec3 d = Box{side}.nearest(p.position.load(members[k]) - found.core_position[row]);
        alone.view().position.store(static_cast<Index>(k), d);
        alone.view().mass[k] = p.mass[members[k]];
        extent = std::max(extent, std::sqrt(dot(d, d)));
    }
    return density > 0 ? OverdensityReference(alone, {}, 0).sphere(density).radius : extent;
}

/// The number of subhalos with a parent, in whose reach they are.
std::size_t expect_within_reach(const ConstParticlesView& p, const halo::Subhalos& found, double density,
                                double side = 0)
{
    std::size_t n_with_parent = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
        if (found.parent[k] < 0) continue;
        ++n_with_parent;
        const auto parent = static_cast<std::size_t>(found.parent[k]);
        EXPECT_EQ(found.group[parent], found.group[k]);
        EXPECT_LT(parent, k) << "a parent outranks its children";
        const Vec3 d = Box{side}.nearest(found.core_position[k] - found.core_position[parent]);
        EXPECT_LE(std::sqrt(dot(d, d)), slow_reach(p, found, parent, density, side) * (1 + 1e-12)) << k;
    }
    return n_with_parent;
}

TEST(Parents, ASatelliteBesideAnotherOneLiesInTheHostOfBoth)
{
    // they move together and far from the host, so that they part from each other last
    ics::Component host = nfw_halo(20000, 1, 1, 8);
    ics::Component first = nfw_halo(2000, 0.1, 0.46, 10), second = nfw_halo(1000, 0.05, 0.1, 10);
    first.position = {0.8, 0, 0};
    first.velocity = {0, 1, 0};
    second.position = {0.8, 0.35, 0};
    second.velocity = {0, 1, 0};
    const Particles p = make_mock(4, {host, first, second});
    const double density = 0.1 / (unit_sphere * 0.2 * 0.2 * 0.2);  // what all of the first has within 0.2
    const auto found = find_subhalos(p.reading_view(), one_group(p), config_with(0.005, density));
    ASSERT_EQ(found.size(), 3u);
    EXPECT_LT(slow_reach(p.reading_view(), found, 1, density, 0), 0.2);
    EXPECT_EQ(found.parent[2], slow_reach(p.reading_view(), found, 0, density, 0) > 0.88 ? 0 : -1);
    expect_within_reach(p.reading_view(), found, density);

    const auto by_extent = find_subhalos(p.reading_view(), one_group(p), config_with(0.005, 0));
    EXPECT_EQ(by_extent.parent, (Rows{-1, 0, 1})) << "the first's members reach as far as the second";
    expect_within_reach(p.reading_view(), by_extent, 0);
}

TEST(Parents, OfARealBoxLieWithinReach)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "fof/psi_snapshot_010");
    io::Snapshot snapshot = io::read_snapshot(file);
    Particles& p = snapshot.particles;
    const double side = 40;  // Mpc/h, with masses in 1e10 Msun/h and velocities in km/s
    constexpr double gravity = 43.0071, critical = 27.7536;
    for (double& m : p.mass.host()) m *= gravity;
    halo::FofConfig fof;
    fof.linking_length = 0.25;
    fof.box.side = side;
    fof.min_members = 20;
    const halo::Groups groups = halo::FriendsOfFriends().find({}, p.view(), fof);
    for (const double density : {0.0, gravity * 200 * critical}) {
        const auto found =
            find_subhalos(p.view(), halo::members_of(groups), config_with(0.04, density, side));
        EXPECT_GE(expect_within_reach(p.view(), found, density, side), 3u) << density;
    }
}

}  // namespace
}  // namespace aureole::test::parents_test
