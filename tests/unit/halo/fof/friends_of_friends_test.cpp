// The finder against cases done by hand, the slow reference, the verifier, and what must not change an
// answer.
#include "halo/fof/friends_of_friends.hpp"

#include <omp.h>

#include "tests/support/backends.hpp"
#include "tests/support/halo/fof_verifier.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::friends_of_friends_test {
namespace {

using halo::FofConfig;
using halo::Groups;
using Labels = std::vector<std::int32_t>;
using Lengths = std::vector<Index>;

class FriendsOfFriends : public OnEachBackend {
protected:
    Groups find(const Particles& host, const FofConfig& config)
    {
        Particles particles = host.copy_to(GetParam());
        return finder_.find(exec(), particles.view(), config);
    }
    Groups find(const Points& x, const FofConfig& config) { return find(particles_at(x), config); }

    void expect_verified(const Particles& host, const FofConfig& config)
    {
        const Groups groups = find(host, config);
        EXPECT_EQ(fault_in({host, config}, groups), "") << host.size() << " particles";
        EXPECT_EQ(groups.label, reference_groups({host, config}).label);
    }

    halo::FriendsOfFriends finder_;
};

TEST_P(FriendsOfFriends, ThreeInARowAndAStranger)
{
    const Groups groups = find({{0, 0, 0}, {9, 9, 9}, {1, 0, 0}, {2, 0, 0}}, {1.0, 2});
    EXPECT_EQ(groups.label, (Labels{0, -1, 0, 0}));
    EXPECT_EQ(groups.n_members, (Lengths{3}));
}

TEST_P(FriendsOfFriends, NoneOneAndTwoParticles)
{
    EXPECT_TRUE(find(Points{}, {1.0, 1}).label.empty());
    EXPECT_EQ(find({{3, 4, 5}}, {1.0, 1}).label, (Labels{0}));
    EXPECT_EQ(find({{3, 4, 5}}, {1.0, 2}).label, (Labels{-1}));
    EXPECT_EQ(find({{3, 4, 5}, {3, 4, 6}}, {1.0, 2}).label, (Labels{0, 0}));
    EXPECT_EQ(find({{3, 4, 5}, {3, 4, 7}}, {1.0, 1}).label, (Labels{0, 1}));
}

TEST_P(FriendsOfFriends, TheLinkIsInclusive)
{
    // 0.3^2 in double; the pair below sits on it exactly, the next double does not
    const double length = 0.3, beyond = std::nextafter(length, 1.0);
    EXPECT_EQ(find({{0, 0, 0}, {length, 0, 0}}, {length, 2}).n_members, (Lengths{2}));
    EXPECT_TRUE(find({{0, 0, 0}, {beyond, 0, 0}}, {length, 2}).n_members.empty());
    EXPECT_EQ(find({{3, 0, 0}, {0, 4, 0}, {100, 100, 100}}, {5.0, 2}).n_members, (Lengths{2}));
    EXPECT_TRUE(find({{3, 0, 0}, {0, std::nextafter(4.0, 5.0), 0}}, {5.0, 2}).n_members.empty());
}

TEST_P(FriendsOfFriends, GroupsFallInLengthAndTiesGoBySmallestId)
{
    Particles particles =
        particles_at({{0, 0, 0}, {1, 0, 0}, {10, 0, 0}, {11, 0, 0}, {20, 0, 0}, {21, 0, 0}, {22, 0, 0}});
    for (Index i = 0; i < 7; ++i) particles.id.host()[i] = (std::uint64_t{1} << 40) - i;
    EXPECT_EQ(find(particles, {1.0, 2}).label, (Labels{2, 2, 1, 1, 0, 0, 0}));
}

TEST_P(FriendsOfFriends, SmallGroupsAreLeftOut)
{
    const Points x{{0, 0, 0}, {1, 0, 0}, {10, 0, 0}, {11, 0, 0}, {12, 0, 0}};
    EXPECT_EQ(find(x, {1.0, 3}).label, (Labels{-1, -1, 0, 0, 0}));
    const Groups none = find(x, {1.0, 4});
    EXPECT_EQ(none.label, Labels(5, -1));
    EXPECT_TRUE(none.n_members.empty());
}

TEST_P(FriendsOfFriends, ALatticeFallsApartBelowItsSpacing)
{
    const Points x = lattice_points(16, 0.25);  // differences are exact
    EXPECT_EQ(find(x, {0.9 * 0.25, 1}).n_members, Lengths(4096, 1));
    EXPECT_EQ(find(x, {0.25, 1}).n_members, (Lengths{4096}));
    EXPECT_EQ(find(x, {0.25, 1, 0x3f, {4.0}}).n_members, (Lengths{4096}));
    EXPECT_EQ(find(x, {0.9 * 0.25, 1, 0x3f, {4.0}}).n_members, Lengths(4096, 1));
}

TEST_P(FriendsOfFriends, FourShiftedCopiesMergeIntoGroupsOfFour)
{
    Points x;
    for (const double shift : {0.0, 0.01, 0.02, 0.03})
        for (auto p : lattice_points(12, 1.0)) x.push_back({p[0] + shift, p[1], p[2]});
    EXPECT_EQ(find(x, {0.05, 1}).n_members, Lengths(1728, 4));
}

TEST_P(FriendsOfFriends, CoincidentPointsAreOneGroupAndFast)
{
    Points x(20000, {0.5, 0.5, 0.5});
    x.resize(40000, {0.5, 0.5, 0.5 + 0x1p-10});
    for (const auto& p : uniform_points(1000, 7)) x.push_back({p[0], p[1], 2 + p[2]});
    EXPECT_EQ(find(x, {0x1p-10, 100}).n_members, (Lengths{40000}));
    EXPECT_EQ(find(x, {0x1p-11, 100}).n_members, (Lengths{20000, 20000}));
}

TEST_P(FriendsOfFriends, OnlyCoincidentPoints)
{
    EXPECT_EQ(find(Points(10000, {1e6, -3.0, 0.1}), {1e-9, 20}).n_members, (Lengths{10000}));
}

TEST_P(FriendsOfFriends, AFarStrangerChangesNothing)
{
    Points x = clustered_points(2000, 11);
    const Labels before = find(x, {0.02, 5}).label;
    x.push_back({1e7, -1e7, 1e7});
    Labels after = find(x, {0.02, 5}).label;
    EXPECT_EQ(after.back(), -1);
    after.pop_back();
    EXPECT_EQ(after, before);
}

/// Neighbours along the curve in the shell have boxes around a good part of the heap, which their walks give
/// up.
TEST_P(FriendsOfFriends, AThinShellAroundADenseHeapChangesNothing)
{
    Points x = uniform_points(120000, 21);
    for (auto& point : x)
        for (double& coordinate : point) coordinate = 0.45 + 0.1 * coordinate;
    const Points directions = uniform_points(800, 22);
    for (const auto& [a, b, c] : directions) {
        const Vec3 d{a - 0.5, b - 0.5, c - 0.5};
        const double scale = 0.5 / std::sqrt(dot(d, d));
        x.push_back({0.5 + scale * d.x, 0.5 + scale * d.y, 0.5 + scale * d.z});
    }
    x.push_back({0.449, 0.47, 0.47});  // beside the heap, and of it
    const Particles particles = particles_at(x);
    for (const double length : {0.0015, 0.003}) {
        const FofConfig config{length, 2};
        FofConfig cells = config;
        cells.method = halo::Method::grid;
        const Groups found = find(particles, config),
                     expected = halo::FriendsOfFriends().find({}, particles.view(), cells);
        EXPECT_GT(found.size(), 0u);
        EXPECT_EQ(found.n_members, expected.n_members);
        EXPECT_TRUE(found.label == expected.label);
    }
}

TEST_P(FriendsOfFriends, EverythingCanBeOneGroup)
{
    EXPECT_EQ(find(uniform_points(5000, 3), {2.0, 20}).n_members, (Lengths{5000}));
    EXPECT_EQ(find(uniform_points(5000, 3), {0.5, 20, 0x3f, {1.0}}).n_members, (Lengths{5000}));
}

TEST_P(FriendsOfFriends, RandomSetsPassTheVerifier)
{
    for (const std::size_t n : {7u, 8u, 9u, 15u, 16u, 17u, 63u, 64u, 65u, 500u, 1200u})
        for (const double side : {0.0, 1.0})
            for (const double length : {0.01, 0.05, 0.1}) {
                const Particles host = particles_at(clustered_points(n, 100 + n));
                SCOPED_TRACE("length " + std::to_string(length) + " side " + std::to_string(side));
                expect_verified(host, {length, 3, 0x3f, {side}});
            }
}

TEST_P(FriendsOfFriends, OtherTypesJoinTheirNearestLinkingNeighbour)
{
    Particles particles =
        particles_at({{0, 0, 0}, {1, 0, 0}, {10, 0, 0}, {11, 0, 0}, {1.9, 0, 0}, {9.25, 0, 0}, {5, 0, 0}});
    for (const Index i : {4u, 5u, 6u}) particles.type.host()[i] = 4;
    const FofConfig config{1.0, 2, 1 << 1};
    EXPECT_EQ(find(particles, config).label, (Labels{0, 0, 1, 1, 0, 1, -1}));
    particles.type.host()[4] = 1;  // now it links, and no other particle joins
    EXPECT_EQ(find(particles, config).label, (Labels{0, 0, 1, 1, 0, 1, -1}));
}

TEST_P(FriendsOfFriends, ATieOfNearestNeighboursGoesToTheSmallerId)
{
    Particles particles = particles_at({{0, 0, 0}, {2, 0, 0}, {1, 0, 0}});
    particles.type.host()[2] = 0;
    particles.id.host()[0] = 9;
    EXPECT_EQ(find(particles, {1.0, 1, 1 << 1}).label, (Labels{1, 0, 0}));
    particles.id.host()[0] = 1;
    EXPECT_EQ(find(particles, {1.0, 1, 1 << 1}).label, (Labels{0, 1, 0}));
}

TEST_P(FriendsOfFriends, RandomTypesPassTheVerifier)
{
    for (const double side : {0.0, 1.0}) {
        Particles host = particles_at(clustered_points(900, 5));
        for (Index i = 0; i < 900; ++i) host.type.host()[i] = static_cast<ParticleType>(i * 7 % 5);
        expect_verified(host, {0.04, 3, (1 << 1) | (1 << 3), {side}});
        expect_verified(host, {0.04, 1, 1 << 0, {side}});
    }
}

TEST_P(FriendsOfFriends, NobodyLinksWhenNoTypeDoes)
{
    const Groups groups = find(uniform_points(100, 1), {0.5, 1, 1 << 5});
    EXPECT_EQ(groups.label, Labels(100, -1));
    EXPECT_TRUE(groups.n_members.empty());
}

TEST_P(FriendsOfFriends, TheOrderOfParticlesDoesNotMatter)
{
    const Particles host = particles_at(clustered_points(5000, 21));
    std::vector<Index> order(host.size());
    for (Index i = 0; i < order.size(); ++i)
        order[i] = static_cast<Index>(std::size_t{i} * 3571 % order.size());
    for (const double side : {0.0, 1.0}) {
        const FofConfig config{0.015, 2, 0x3f, {side}};
        const Labels labels = find(host, config).label, permuted = find(host.gathered(order), config).label;
        for (Index i = 0; i < order.size(); ++i) ASSERT_EQ(permuted[i], labels[order[i]]);
    }
}

TEST_P(FriendsOfFriends, TheNumberOfThreadsDoesNotMatter)
{
    const Particles host = particles_at(clustered_points(20000, 22));
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const Groups one = find(host, {0.01, 1});
    omp_set_num_threads(4);
    const Groups four = find(host, {0.01, 1});
    omp_set_num_threads(threads);
    EXPECT_EQ(one.label, four.label);
    EXPECT_EQ(one.n_members, four.n_members);
}

TEST_P(FriendsOfFriends, ScalingAndShiftingTheBoxChangesNothing)
{
    const Points x = clustered_points(3000, 23);
    const Labels labels = find(x, {0.02, 2, 0x3f, {1.0}}).label;
    Points scaled = x, shifted = x;
    for (auto& p : scaled)
        for (double& c : p) c *= 1024;
    EXPECT_EQ(find(scaled, {0.02 * 1024, 2, 0x3f, {1024.0}}).label, labels);
    for (auto& p : shifted) p = {p[0] + 0.375, p[1] - 5.25, p[2] + 17};
    EXPECT_EQ(find(shifted, {0.02, 2, 0x3f, {1.0}}).label, labels);
}

TEST_P(FriendsOfFriends, AFlatSetIsATwoDimensionalOne)
{
    Points flat = clustered_points(1000, 24), upright = flat;
    for (std::size_t i = 0; i < flat.size(); ++i) {
        flat[i][2] = 0;
        upright[i] = {flat[i][1], 3, flat[i][0]};
    }
    EXPECT_EQ(find(flat, {0.02, 2}).label, find(upright, {0.02, 2}).label);
    expect_verified(particles_at(flat), {0.02, 2});
}

TEST_P(FriendsOfFriends, PositionsOnAndBeyondTheEdgeAreWrapped)
{
    const FofConfig config{0.0625, 2, 0x3f, {1.0}};
    EXPECT_EQ(find({{1.0, 0.5, 0.5}, {0.03125, 0.5, 0.5}}, config).n_members, (Lengths{2}));
    EXPECT_EQ(find({{1.0, 0.5, 0.5}, {0.0, 0.5, 0.5}, {-1e-30, 0.5, 0.5}}, config).n_members, (Lengths{3}));
    EXPECT_EQ(find({{-2.0, 7.5, 0.5}, {0.96875, 0.5, -3.5}}, config).n_members, (Lengths{2}));
    EXPECT_EQ(find({{0.03125, 0.03125, 0.03125}, {-0.0078125, 1.0, 2.0}}, config).n_members, (Lengths{2}));
}

TEST_P(FriendsOfFriends, DamagedPositionsAreRefusedByName)
{
    Particles particles = particles_at(uniform_points(50, 2));
    particles.position.y.host()[17] = std::numeric_limits<double>::quiet_NaN();
    particles.position.z.host()[30] = std::numeric_limits<double>::infinity();
    try {
        find(particles, {0.1, 2});
        FAIL() << "a NaN passed";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("particle 17 (id 18) is at ("), std::string::npos)
            << error.what();
    }
}

TEST_P(FriendsOfFriends, SenselessQuestionsAreRefused)
{
    const Particles two = particles_at({{0, 0, 0}, {1, 1, 1}});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double length : {0.0, -1.0, nan, std::numeric_limits<double>::infinity(), 1e-200, 1e200})
        EXPECT_THROW(find(two, {length, 2}), Error) << length;
    EXPECT_THROW(find(two, {1.0, 0}), Error);
    EXPECT_THROW(find(two, {1.0, 2, 0x3f, {1.5}}), Error);
    EXPECT_THROW(find(two, {1.0, 2, 0x3f, {-4.0}}), Error);
    EXPECT_NO_THROW(find(two, {1.0, 2, 0x3f, {2.0}}));
}

TEST_P(FriendsOfFriends, ScratchIsForecastAndReused)
{
    Particles particles = particles_at(uniform_points(30000, 4)).copy_to(GetParam());
    const std::size_t before = memory::held_bytes(GetParam());
    memory::reset_peak(GetParam());
    for (const Index min_members : {1u, 20u, 1u}) finder_.find(exec(), particles.view(), {0.01, min_members});
    const auto forecast = static_cast<double>(halo::FriendsOfFriends::scratch_bytes(GetParam(), 30000));
    finder_.find(exec(), particles.view(), {0.01, 20});
    const auto held = static_cast<double>(memory::held_bytes(GetParam()) - before);
    EXPECT_GT(held, 0);
    halo::FriendsOfFriends fresh;
    const std::size_t start = memory::held_bytes(GetParam());
    memory::reset_peak(GetParam());
    fresh.find(exec(), particles.view(), {0.01, 20});
    EXPECT_NEAR(static_cast<double>(memory::peak_bytes(GetParam()) - start), forecast, 0.1 * forecast);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(FriendsOfFriends);

}  // namespace
}  // namespace aureole::test::friends_of_friends_test
