// Groups cut from a spanning tree are those of the finder, at every linking length.
#include "halo/spanning_tree/dendrogram.hpp"

#include <fstream>

#include "halo/fof/friends_of_friends.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/point_sets.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test::groups_at_test {
namespace {

using Labels = std::vector<std::int32_t>;

class GroupsAt : public OnEachBackend {
protected:
    halo::SpanningTree tree_of(const Particles& host, const halo::SpanningTreeConfig& config = {})
    {
        Particles particles = host.copy_to(GetParam());
        return halo::SpanningTreeFinder().find(exec(), particles.view(), config);
    }
    /// At each length, with all groups and with those of at least three.
    void expect_same_as_finder(const Particles& host, const halo::SpanningTreeConfig& config,
                               const std::vector<double>& lengths)
    {
        const halo::SpanningTree tree = tree_of(host, config);
        Particles particles = host.copy_to(GetParam());
        halo::FriendsOfFriends finder;
        for (const double length : lengths)
            for (const Index min_members : {1u, 3u}) {
                halo::FofConfig query;
                query.linking_length = length;
                query.min_members = min_members;
                query.linking_types = config.linking_types;
                query.box = config.box;
                if (config.velocity_scale > 0) query.linking_velocity = length / config.velocity_scale;
                const halo::Groups expected = finder.find(exec(), particles.view(), query);
                const halo::Groups found = halo::groups_at(tree, length, min_members, host.id.host());
                ASSERT_EQ(found.n_members, expected.n_members) << "linking length " << length;
                ASSERT_EQ(found.label, expected.label) << "linking length " << length;
            }
    }
};

TEST_P(GroupsAt, ThreeInARowAndAStranger)
{
    const Particles host = particles_at({{0, 0, 0}, {9, 9, 9}, {1, 0, 0}, {2, 0, 0}});
    const halo::SpanningTree tree = tree_of(host);
    const halo::Groups groups = halo::groups_at(tree, 1.0, 2, host.id.host());
    EXPECT_EQ(groups.label, (Labels{0, -1, 0, 0}));
    EXPECT_EQ(groups.n_members, (std::vector<Index>{3}));
    EXPECT_EQ(halo::groups_at(tree, 0.99, 1, host.id.host()).label, (Labels{0, 1, 2, 3}));
    EXPECT_EQ(halo::groups_at(tree, 20.0, 1, host.id.host()).label, Labels(4, 0));
}

TEST_P(GroupsAt, NoneAndOneParticle)
{
    EXPECT_TRUE(halo::groups_at(tree_of(particles_at({})), 1.0, 1, {}).label.empty());
    const Particles one = particles_at({{1, 2, 3}});
    EXPECT_EQ(halo::groups_at(tree_of(one), 1.0, 1, one.id.host()).label, (Labels{0}));
    EXPECT_EQ(halo::groups_at(tree_of(one), 1.0, 2, one.id.host()).label, (Labels{-1}));
}

TEST_P(GroupsAt, OneTreeAnswersForEveryLength)
{
    Points x = clustered_points(1500, 31);
    for (std::size_t i = 0; i < 30; ++i) x[i + 100] = x[i];
    std::vector<double> lengths;
    for (double length = 1e-4; length < 0.4; length *= 1.5) lengths.push_back(length);
    Particles host = particles_at(x);
    for (Index i = 0; i < host.size(); ++i) host.id.host()[i] = std::uint64_t{i} * 7919 % 1501;
    for (const double side : {0.0, 1.0}) expect_same_as_finder(host, {.box = {side}}, lengths);
}

TEST_P(GroupsAt, ALengthThatEqualsAnEdgeLinksIt)
{
    const Particles host = particles_at(clustered_points(800, 32));
    const halo::SpanningTree tree = tree_of(host);
    std::vector<double> lengths;
    for (std::size_t e = 0; e < tree.edges.size(); e += 61) {
        const double length = tree.edges[e].length();  // its square may round to either side of the edge's
        for (const double near : {std::nextafter(length, 0.0), length, std::nextafter(length, 1.0)})
            lengths.push_back(near);
    }
    expect_same_as_finder(host, {}, lengths);
    const Particles lattice = particles_at(lattice_points(6, 0.3));
    expect_same_as_finder(lattice, {}, {0.29, std::nextafter(0.3, 0.0), 0.3, std::nextafter(0.3, 1.0)});
}

TEST_P(GroupsAt, OneTreeInPhaseSpaceAnswersForEveryLength)
{
    Particles host = particles_at(clustered_points(1000, 34));
    const Points v = clustered_points(1000, 35);
    for (Index i = 0; i < 1000; ++i) host.view().velocity.store(i, {v[i][0], v[i][1], v[i][2]});
    for (const double scale : {0.125, 4.0})  // powers of two: l / psi is the scale again
        for (const double side : {0.0, 1.0})
            expect_same_as_finder(host, {scale, 0x3f, {side}}, {0.003, 0.02, 0.1, 0.3});
}

TEST_P(GroupsAt, OtherTypesJoinAsInTheFinder)
{
    Particles host = particles_at(clustered_points(900, 33));
    for (Index i = 0; i < 900; ++i) host.type.host()[i] = static_cast<ParticleType>(i * 7 % 5);
    for (const double side : {0.0, 1.0})
        for (const std::uint8_t types : {1 << 1 | 1 << 3, 1 << 0, 1 << 5})
            expect_same_as_finder(host, {0, types, {side}}, {0.003, 0.01, 0.04, 0.1, 0.4});
}

TEST_P(GroupsAt, PublishedCountsOfTheCosmologicalSampleComeFromOneTree)
{
    AUREOLE_TEST_DATA_OR_SKIP(sample, "fof/cosmo32768.dat");
    std::ifstream file(sample, std::ios::binary);
    Points x;
    for (std::array<std::uint16_t, 3> q; file.read(reinterpret_cast<char*>(q.data()), sizeof q);)
        x.push_back({q[0] / 65536.0, q[1] / 65536.0, q[2] / 65536.0});
    ASSERT_EQ(x.size(), 32768u);
    const Particles host = particles_at(x);
    const auto expect_components = [&](double side, const std::vector<std::pair<double, std::size_t>>& all) {
        const halo::SpanningTree tree = tree_of(host, {.box = {side}});
        for (const auto& [length, components] : all)
            EXPECT_EQ(halo::groups_at(tree, length, 1, host.id.host()).n_members.size(), components)
                << length;
    };
    expect_components(1, {{0.3, 1}, {0.1, 1}, {0.05, 396}, {0.01, 9580}, {0.005, 14488}, {0.001, 27823}});
    expect_components(0, {{0.1, 2}, {0.05, 461}, {0.01, 9600}, {0.005, 14497}, {0.001, 27824}});
}

TEST_P(GroupsAt, SenselessQuestionsAreRefused)
{
    const Particles two = particles_at({{0, 0, 0}, {1, 1, 1}});
    const halo::SpanningTree tree = tree_of(two);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double length : {0.0, -1.0, nan, std::numeric_limits<double>::infinity(), 1e-200, 1e200})
        EXPECT_THROW(halo::groups_at(tree, length, 1, two.id.host()), Error) << length;
    EXPECT_THROW(halo::groups_at(tree, 1.0, 0, two.id.host()), Error);
    EXPECT_THROW(halo::groups_at(tree, 1.0, 1, two.id.host().first(1)), Error);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(GroupsAt);

}  // namespace
}  // namespace aureole::test::groups_at_test
