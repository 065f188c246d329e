// The spanning tree against cases done by hand, Prim's algorithm over all pairs, and what must not change an
// answer.
#include "halo/spanning_tree/spanning_tree.hpp"

#include <omp.h>

#include "tests/support/backends.hpp"
#include "tests/support/halo/reference_spanning_tree.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::spanning_tree_test {
namespace {

using halo::SpanningTreeConfig;

class SpanningTree : public OnEachBackend {
protected:
    halo::SpanningTree find(const Particles& host, const SpanningTreeConfig& config = {})
    {
        Particles particles = host.copy_to(GetParam());
        return finder_.find(exec(), particles.view(), config);
    }
    halo::SpanningTree find(const Points& x, const SpanningTreeConfig& config = {})
    {
        return find(particles_at(x), config);
    }
    void expect_reference(const Particles& host, const SpanningTreeConfig& config)
    {
        const EdgeKeys found = keys_of(find(host, config), host);
        const EdgeKeys expected = reference_spanning_tree({host, config});
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t e = 0; e < found.size(); ++e) ASSERT_EQ(found[e], expected[e]) << "edge " << e;
    }

    halo::SpanningTreeFinder finder_;
};

/// Velocities in clumps too, so that both halves of phase space matter.
Particles moving(const Points& x, std::uint64_t seed)
{
    Particles particles = particles_at(x);
    const Points v = clustered_points(x.size(), seed);
    for (std::size_t i = 0; i < x.size(); ++i)
        particles.view().velocity.store(static_cast<Index>(i), {v[i][0], v[i][1], v[i][2]});
    return particles;
}

TEST_P(SpanningTree, ThreeInARowAndAStranger)
{
    const halo::SpanningTree tree = find({{0, 0, 0}, {9, 0, 0}, {1, 0, 0}, {3, 0, 0}});
    ASSERT_EQ(tree.edges.size(), 3u);
    EXPECT_EQ(tree.edges[0].u, 0u);
    EXPECT_EQ(tree.edges[0].v, 2u);
    EXPECT_EQ(tree.edges[0].length(), 1);
    EXPECT_EQ(tree.edges[1].u, 2u);
    EXPECT_EQ(tree.edges[1].v, 3u);
    EXPECT_EQ(tree.edges[1].length(), 2);
    EXPECT_EQ(tree.edges[2].u, 1u);  // its id is the smaller
    EXPECT_EQ(tree.edges[2].v, 3u);
    EXPECT_EQ(tree.edges[2].length(), 6);
    EXPECT_EQ(tree.n_particles, 4u);
    EXPECT_EQ(tree.n_linking, 4u);
}

TEST_P(SpanningTree, NoneOneAndTwoParticles)
{
    EXPECT_TRUE(find(Points{}).edges.empty());
    EXPECT_TRUE(find({{3, 4, 5}}).edges.empty());
    const halo::SpanningTree two = find({{3, 4, 5}, {3, 1, 1}});
    ASSERT_EQ(two.edges.size(), 1u);
    EXPECT_EQ(two.edges[0].length(), 5);
}

TEST_P(SpanningTree, TheNearestImageCountsInAPeriodicBox)
{
    const halo::SpanningTree tree = find({{0.5, 0.5, 0.5}, {7.5, 7.5, 7.5}, {4, 4, 4}}, {.box = {8}});
    ASSERT_EQ(tree.edges.size(), 2u);
    EXPECT_EQ(tree.edges[0].squared_length, 3);
    EXPECT_EQ(tree.edges[1].squared_length, 3 * 3.5 * 3.5);
}

TEST_P(SpanningTree, RandomSetsMatchPrim)
{
    for (const std::size_t n : {3u, 7u, 8u, 9u, 16u, 17u, 65u, 500u, 1100u})
        for (const double side : {0.0, 1.0}) {
            SCOPED_TRACE(std::to_string(n) + " particles, side " + std::to_string(side));
            expect_reference(particles_at(clustered_points(n, 30 + n)), {.box = {side}});
        }
}

TEST_P(SpanningTree, RandomSetsInPhaseSpaceMatchPrim)
{
    for (const std::size_t n : {2u, 9u, 100u, 600u})
        for (const double side : {0.0, 1.0})
            for (const double scale : {0.01, 0.7, 30.0}) {
                SCOPED_TRACE(std::to_string(n) + " particles, side " + std::to_string(side));
                expect_reference(moving(clustered_points(n, 60 + n), 5), {scale, 0x3f, {side}});
            }
}

TEST_P(SpanningTree, LatticesAreAllTies)
{
    const Points x = lattice_points(9, 0.125);
    Particles host = particles_at(x);
    for (Index i = 0; i < host.size(); ++i) host.id.host()[i] = std::uint64_t{i} * 211 % 1000;
    for (const double side : {0.0, 1.125}) expect_reference(host, {.box = {side}});
    Particles with_velocities = particles_at(lattice_points(8, 1));
    for (Index i = 0; i < 512; ++i)
        with_velocities.view().velocity.store(i, {i % 2 + 0.0, i / 2 % 2 + 0.0, 0});
    expect_reference(with_velocities, {1.0});
}

TEST_P(SpanningTree, CoincidentParticlesHangOnTheSmallestIdOfTheirPlace)
{
    Points x = uniform_points(300, 8);
    for (std::size_t i = 0; i < 300; ++i) x.push_back(x[i * i % 40]);
    x.push_back({0.0, 0.5, 0.5});
    x.push_back({-0.0, 0.5, 0.5});
    x.push_back({1.0, 0.5, 0.5});
    Particles host = particles_at(x);
    for (Index i = 0; i < host.size(); ++i) host.id.host()[i] = std::uint64_t{i} * 211 % 607;
    for (const double side : {0.0, 1.0}) expect_reference(host, {.box = {side}});
    expect_reference(host, {2.0});
}

TEST_P(SpanningTree, ThousandsAtOnePointAreFast)
{
    Points x(30000, {0.5, 0.5, 0.5});
    x.resize(60000, {0.5, 0.5, 0.75});
    const halo::SpanningTree tree = find(x);
    ASSERT_EQ(tree.edges.size(), 59999u);
    for (Index e = 0; e < 29999; ++e) {
        EXPECT_EQ(tree.edges[e].u, 0u);
        EXPECT_EQ(tree.edges[e].v, e + 1);
        EXPECT_EQ(tree.edges[e].squared_length, 0);
    }
    EXPECT_EQ(tree.edges[29999].u, 30000u);
    EXPECT_EQ(tree.edges.back().length(), 0.25);
    EXPECT_EQ(tree.edges.back().v, 30000u);
}

TEST_P(SpanningTree, LengthsOfAllScalesMatchPrim)
{
    Points x;
    for (int scale = 0; scale < 60; ++scale)
        for (const auto& p : uniform_points(20, 70 + scale)) {
            const double s = std::ldexp(1.0, -scale);
            x.push_back({s * p[0], s * p[1], s * p[2]});
        }
    expect_reference(particles_at(x), {});
}

TEST_P(SpanningTree, SquaresThatUnderflowDecideLikeAllOthers)
{
    // v^2 is no number above 0, (scale v)^2 would be one: pruning must not see more than what decides
    Particles host = moving(Points(200, {0, 0, 0}), 12);
    for (auto* v : {&host.velocity.x, &host.velocity.y, &host.velocity.z})
        for (double& component : v->host()) component *= 1e-161;
    for (const double scale : {1.0, 1e100, 1e140}) expect_reference(host, {scale});
}

TEST_P(SpanningTree, TheOrderOfParticlesDoesNotMatter)
{
    Points x = clustered_points(4000, 21);
    for (std::size_t i = 0; i < 500; ++i) x[i + 700] = x[i];
    const Particles host = particles_at(x);
    std::vector<Index> order(host.size());
    for (Index i = 0; i < order.size(); ++i)
        order[i] = static_cast<Index>(std::size_t{i} * 3571 % order.size());
    const Particles permuted = host.gathered(order);
    for (const double side : {0.0, 1.0})
        EXPECT_EQ(keys_of(find(host, {.box = {side}}), host),
                  keys_of(find(permuted, {.box = {side}}), permuted));
}

TEST_P(SpanningTree, TheNumberOfThreadsDoesNotMatter)
{
    const Particles host = particles_at(clustered_points(20000, 22));
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const EdgeKeys one = keys_of(find(host), host);
    omp_set_num_threads(4);
    const EdgeKeys four = keys_of(find(host), host);
    omp_set_num_threads(threads);
    EXPECT_EQ(one, four);
}

TEST_P(SpanningTree, RepeatedIdsStillGiveATree)
{
    Particles host = particles_at(lattice_points(8, 1));
    std::fill(host.id.host().begin(), host.id.host().end(), 7);
    const halo::SpanningTree tree = find(host);
    ASSERT_EQ(tree.edges.size(), 511u);
    for (const auto& edge : tree.edges) {
        EXPECT_EQ(edge.squared_length, 1);
        EXPECT_LT(edge.u, edge.v);
    }
}

TEST_P(SpanningTree, OtherTypesHangOnTheirNearestLinkingParticle)
{
    for (const double scale : {0.0, 0.5})
        for (const double side : {0.0, 1.0}) {
            Particles host = moving(clustered_points(600, 9), 10);
            for (Index i = 0; i < 600; ++i) host.type.host()[i] = static_cast<ParticleType>(i % 3);
            const SpanningTreeConfig config{scale, 1 << 1, {side}};
            expect_reference(host, config);
            const halo::SpanningTree tree = find(host, config);
            const SpanningProblem problem{host, config};
            ASSERT_EQ(tree.joins.size(), 400u);
            std::size_t k = 0;
            for (Index i = 0; i < 600; ++i) {
                if (problem.links(i)) continue;
                Index nearest = 1;
                for (Index j = 1; j < 600; j += 3)
                    if (problem.squared_distance(i, j) < problem.squared_distance(i, nearest)) nearest = j;
                EXPECT_EQ(tree.joins[k].particle, i);
                EXPECT_EQ(tree.joins[k].nearest, nearest);
                EXPECT_EQ(tree.joins[k++].squared_length, problem.squared_distance(i, nearest));
            }
        }
}

TEST_P(SpanningTree, NobodyLinksWhenNoTypeDoes)
{
    const halo::SpanningTree tree = find(uniform_points(50, 1), {.linking_types = 1 << 5});
    EXPECT_EQ(tree.n_linking, 0u);
    EXPECT_TRUE(tree.edges.empty());
    EXPECT_TRUE(tree.joins.empty());
}

TEST_P(SpanningTree, DamagedParticlesAreRefusedByName)
{
    Particles host = particles_at(uniform_points(50, 2));
    host.position.y.host()[17] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(contains(message_of<Error>([&] { find(host); }), "particle 17 (id 18) is at ("));
    host.position.y.host()[17] = 1e200;
    EXPECT_TRUE(contains(message_of<Error>([&] { find(host); }), "has the coordinate 1e+200"));
    host.position.y.host()[17] = 0;
    host.velocity.z.host()[31] = std::numeric_limits<double>::infinity();
    EXPECT_NO_THROW(find(host));  // in space alone velocities are not read
    EXPECT_TRUE(contains(message_of<Error>([&] { find(host, {1.0}); }),
                         "particle 31 (id 32) has velocity (0, 0, inf)"));
}

TEST_P(SpanningTree, SenselessQuestionsAreRefused)
{
    const Points two{{0, 0, 0}, {1, 1, 1}};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double scale : {-1.0, nan, 1e160, std::numeric_limits<double>::infinity()})
        EXPECT_THROW(find(two, {scale}), Error) << scale;
    for (const double side : {-1.0, nan}) EXPECT_THROW(find(two, {.box = {side}}), Error) << side;
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(SpanningTree);

/// In mutual reachability.
class ReachabilityTree : public SpanningTree {};

TEST_P(ReachabilityTree, AStrangerMakesItsNeighboursFar)
{
    // the second nearest particles, oneself counted as the first, are 1, 1, 2 and 6 away; the third ones 3,
    // 2, 3, 8
    const Points x{{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {9, 0, 0}};
    EXPECT_EQ(keys_of(find(x, {.min_samples = 2}), particles_at(x)),
              (EdgeKeys{{1, 1, 2}, {4, 2, 3}, {36, 3, 4}}));
    EXPECT_EQ(keys_of(find(x, {.min_samples = 3}), particles_at(x)),
              (EdgeKeys{{9, 1, 2}, {9, 1, 3}, {64, 2, 4}}));
}

TEST_P(ReachabilityTree, RandomSetsMatchPrim)
{
    for (const std::size_t n : {2u, 9u, 17u, 65u, 500u, 1500u})
        for (const Index k : {2u, 5u, 40u})
            for (const double side : {0.0, 1.0}) {
                if (k > n) continue;
                SCOPED_TRACE(std::to_string(n) + " particles, k " + std::to_string(k));
                expect_reference(particles_at(clustered_points(n, 80 + n)),
                                 {.box = {side}, .min_samples = k});
            }
    expect_reference(moving(clustered_points(400, 81), 5), {.velocity_scale = 0.7, .min_samples = 6});
}

TEST_P(ReachabilityTree, LatticesAndCoincidentParticlesMatchPrim)
{
    Particles lattice = particles_at(lattice_points(8, 0.125));
    Points x = uniform_points(300, 8);
    for (std::size_t i = 0; i < 300; ++i) x.push_back(x[i * i % 40]);
    Particles repeated = particles_at(x);
    for (Particles* host : {&lattice, &repeated})
        for (Index i = 0; i < host->size(); ++i) host->id.host()[i] = std::uint64_t{i} * 211 % 1000;
    for (const Index k : {2u, 4u, 7u, 20u})
        for (const double side : {0.0, 1.0}) {
            expect_reference(lattice, {.box = {side}, .min_samples = k});
            expect_reference(repeated, {.box = {side}, .min_samples = k});
        }
}

TEST_P(ReachabilityTree, OnlyParticlesThatLinkCount)
{
    Particles host = particles_at(clustered_points(600, 9));
    for (Index i = 0; i < 600; ++i) host.type.host()[i] = static_cast<ParticleType>(i % 3);
    expect_reference(host, {.linking_types = 1 << 1, .min_samples = 4});
}

TEST_P(ReachabilityTree, ThousandsAtOnePointAreFast)
{
    Points x(30000, {0.5, 0.5, 0.5});
    x.resize(60000, {0.5, 0.5, 0.75});
    const halo::SpanningTree tree = find(x, {.min_samples = 30001});
    ASSERT_EQ(tree.edges.size(), 59999u);
    for (const auto& edge : tree.edges) ASSERT_EQ(edge.length(), 0.25);
}

TEST_P(ReachabilityTree, MoreSamplesThanParticlesAreRefused)
{
    const Points two{{0, 0, 0}, {1, 1, 1}};
    EXPECT_TRUE(
        contains(message_of<ArgumentError>([&] { find(two, {.min_samples = 3}); }), "min_samples is 3"));
    EXPECT_TRUE(
        contains(message_of<ArgumentError>([&] { find(two, {.min_samples = 0}); }), "min_samples is 0"));
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ReachabilityTree);

}  // namespace
}  // namespace aureole::test::spanning_tree_test
