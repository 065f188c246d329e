// The search by a tree finds the particle that all pairs find, in shapes that are hard on its bounds.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "halo/centres/candidates.hpp"
#include "halo/centres/centres.hpp"
#include "halo/centres/member_tree.hpp"
#include "halo/fof/friends_of_friends.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/support/halo/reference_centres.hpp"
#include "tests/support/make_particles.hpp"
#include "tests/support/point_sets.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test::centre_tree_test {
namespace {

using halo::Bodies;
using halo::MostBound;

Bodies bodies_at(const Points& x, std::uint64_t seed = 0)
{
    Uniform u(seed);
    Bodies b;
    for (std::size_t k = 0; k < x.size(); ++k) {
        b.x.push_back(x[k][0]);
        b.y.push_back(x[k][1]);
        b.z.push_back(x[k][2]);
        b.mass.push_back(seed == 0 ? 1.0 : 0.1 + u());
        b.id.push_back(7919 * (k + 1) % 1000003);
    }
    return b;
}

std::array<double, 3> direction(Uniform& u)
{
    const double z = 2 * u() - 1, phi = 6.283185307179586 * u(), across = std::sqrt(1 - z * z);
    return {across * std::cos(phi), across * std::sin(phi), z};
}

template <class Radius>
Points sphere(std::size_t n, std::uint64_t seed, Radius radius)
{
    Uniform u(seed);
    Points x;
    for (std::size_t k = 0; k < n; ++k) {
        const double r = radius(u());
        const auto d = direction(u);
        x.push_back({r * d[0], r * d[1], r * d[2]});
    }
    return x;
}

double hernquist(double m) { return std::sqrt(0.98 * m) / (1 - std::sqrt(0.98 * m)); }

void expect_same(const Bodies& bodies, double eps, const char* what, std::span<const double> kinetic = {})
{
    const halo::BoundQuery query{bodies, eps, kinetic};
    halo::AllPairsScratch scratch;
    const MostBound expected = most_bound_by_all_pairs(query, scratch);
    const MostBound found = most_bound_by_tree(query);
    EXPECT_EQ(found.body, expected.body) << what << " eps " << eps;
    EXPECT_EQ(found.energy, expected.energy) << what << " eps " << eps;
}

TEST(TreeSearch, NodesHoldTheirMembersAndBoundTheirMoments)
{
    const Bodies bodies = bodies_at(clustered_points(2000, 3), 5);
    const halo::MemberTree tree(bodies.view());
    const halo::BodiesView b = tree.bodies();
    for (Index k = 1; k < 2 * tree.shape().n_leaves(); ++k) {
        const halo::MemberNode& node = tree.node(k);
        double mass = 0, second = 0, radius = 0;
        for (Index at = tree.shape().begin(k); at < tree.shape().end(k); ++at) {
            const Vec3 d = b.position(at) - node.centre;
            mass += b.mass[at];
            second += b.mass[at] * dot(d, d);
            radius = std::max(radius, std::sqrt(dot(d, d)));
            EXPECT_TRUE(b.x[at] >= node.low.x && b.x[at] <= node.high.x && b.z[at] >= node.low.z);
        }
        EXPECT_NEAR(node.mass, mass, 1e-12 * mass);
        EXPECT_GE(node.second, second);
        EXPECT_LT(node.second, 1.0001 * second);
        EXPECT_GE(node.radius, radius);
    }
}

/// Bounds hold for every member; `narrow`: they become narrow, too, where softening makes up for close pairs.
void expect_bounds_hold(const Bodies& bodies, double eps, bool narrow)
{
    const auto& kernels = halo::potential_kernels_baseline();
    for (const double tolerance : {1.0, 1e-2, 1e-4, 1e-9}) {
        const double total = std::accumulate(bodies.mass.begin(), bodies.mass.end(), 0.0);
        const auto bounds = halo::bounds_by_tree({bodies, eps}, tolerance * total);
        std::size_t open = 0;
        for (Index k = 0; k < bodies.size(); ++k) {
            const double exact = kernels.potential(bodies.view(), k, eps * eps);
            ASSERT_LE(bounds[k].low, exact) << k << " " << tolerance;
            ASSERT_GE(bounds[k].high, exact) << k << " " << tolerance;
            open += std::isinf(bounds[k].high);
            if (narrow && eps > 0 && tolerance < 1e-8) {
                EXPECT_LT(bounds[k].high - bounds[k].low, 2e-5 * exact + 1e-5 * total);
            }
        }
        if (narrow) {
            EXPECT_EQ(open, 0u);
        }
    }
}

TEST(TreeSearch, BoundsHoldForEverybody)
{
    for (const double eps : {0.0, 0.03}) {
        expect_bounds_hold(bodies_at(sphere(1000, 21, hernquist), 3), eps, true);
        expect_bounds_hold(bodies_at(clustered_points(1000, 22), 4), eps, true);
        expect_bounds_hold(bodies_at(sphere(1000, 23, [](double) { return 1.0; })), eps, true);
    }
    Points near = uniform_points(600, 5);  // every body has one at a distance that float hardly sees
    Uniform u(9);
    for (std::size_t k = 0; k < 300; ++k) {
        near[300 + k] = near[k];
        for (double& x : near[300 + k]) x += 3e-6 * (u() - 0.5);
    }
    expect_bounds_hold(bodies_at(near), 0, false);
    expect_bounds_hold(bodies_at(near), 1e-6, false);
}

TEST(TreeSearch, FindsTheParticleOfAllPairsInSpheres)
{
    for (const double eps : {0.0, 0.01, 1.0}) {
        expect_same(bodies_at(sphere(3000, 2, hernquist), 9), eps, "hernquist with masses");
        expect_same(bodies_at(sphere(2000, 3, [](double m) { return std::cbrt(m); })), eps, "uniform sphere");
        expect_same(bodies_at(sphere(2000, 5, [](double) { return 1.0; })), eps, "shell");
    }
    expect_same(bodies_at(sphere(20000, 1, hernquist)), 0.01, "large hernquist");
}

TEST(TreeSearch, FindsTheParticleOfAllPairsInFlatShapesAndBoxes)
{
    Points line, plane;
    Uniform u(6);
    for (int k = 0; k < 2000; ++k) line.push_back({u(), 0, 0});
    for (int k = 0; k < 2000; ++k) plane.push_back({u(), u(), 0.5});
    for (const double eps : {0.0, 0.01}) {
        expect_same(bodies_at(line), eps, "line");
        expect_same(bodies_at(plane), eps, "plane");
        expect_same(bodies_at(uniform_points(3000, 4)), eps, "cube");
        expect_same(bodies_at(lattice_points(12, 0.125)), eps, "lattice");
    }
}

TEST(TreeSearch, FindsTheParticleOfAllPairsWhereMembersCoincideOrNearlyDo)
{
    Points heaps, pairs = uniform_points(2000, 8), far = uniform_points(2000, 9);
    Uniform u(6);
    for (int k = 0; k < 2000; ++k)
        heaps.push_back({std::floor(4 * u()), std::floor(4 * u()), std::floor(3 * u())});
    for (std::size_t k = 0; k < 700; ++k) {  // close pairs at the rim are nearly as deep as the middle
        pairs[2 * k + 1] = pairs[2 * k];
        pairs[2 * k + 1][0] += 1e-9 * u();
    }
    for (auto& x : far) x[1] += 1e7;
    far[0] = {-3e7, 0, 0};
    for (const double eps : {0.0, 0.01}) {
        expect_same(bodies_at(heaps), eps, "heaps");
        expect_same(bodies_at(pairs), eps, "close pairs");
        expect_same(bodies_at(far), eps, "far away, with a stray");
        expect_same(bodies_at(Points(2000, {1, 2, 3})), eps, "one point");
    }
}

TEST(TreeSearch, FindsTheParticleOfAllPairsOfTwoClumpsAndOfManySizes)
{
    Points two = sphere(3000, 11, hernquist);
    for (std::size_t k = 0; k < two.size(); k += 2) two[k][0] += 6;
    expect_same(bodies_at(two), 0, "two clumps");
    for (std::size_t n = 1; n < 300; n += 13) expect_same(bodies_at(clustered_points(n, n), n), 0, "small");
}

TEST(TreeSearch, TakesMotionIntoAccount)
{
    const Bodies bodies = bodies_at(sphere(3000, 13, hernquist));
    Uniform u(3);
    std::vector<double> kinetic(bodies.size());
    for (const double scale : {1.0, 1000.0, 1e9}) {
        for (double& k : kinetic) k = scale * u();
        expect_same(bodies, 0.01, "motion", kinetic);
    }
}

TEST(TreeSearch, AmongSomeMembersFindsTheBestOfThem)
{
    const Bodies bodies = bodies_at(sphere(3500, 17, hernquist));
    std::vector<Index> some;
    for (Index k = 5; k < 3500; k += 40) some.push_back(k);
    const MostBound found = halo::most_bound_by_tree({bodies, 0.01}, some);
    const auto& kernels = halo::potential_kernels_baseline();
    Index best = some[0];
    for (const Index k : some)
        if (kernels.potential(bodies.view(), k, 1e-4) > kernels.potential(bodies.view(), best, 1e-4))
            best = k;
    EXPECT_EQ(found.body, best);
}

/// All groups of at least 20 by tree, by all pairs and (the smaller ones) by a slow sum.
void expect_centres_of_groups(Particles& p, double length, double side, std::size_t slow)
{
    halo::FriendsOfFriends finder;
    halo::FofConfig config;
    config.linking_length = length;
    config.box = {side};
    const halo::Members members = halo::members_of(finder.find({}, p.view(), config));
    ASSERT_GT(members.size(), 0u);
    const halo::CentreConfig by_pairs{.softening = 0.001 * length, .tree_members = 1000000000};
    halo::CentreConfig by_tree = by_pairs;
    by_tree.tree_members = 1;
    const halo::Centres pairs = find_centres(p.view(), members, {side}, by_pairs);
    EXPECT_EQ(find_centres(p.view(), members, {side}, by_tree).particle, pairs.particle);
    for (std::size_t g = 0; g < members.size(); ++g) {
        if (members.size(g) > slow) continue;
        const auto potentials = reference_potentials(p, members.of(g), by_pairs.softening, side);
        EXPECT_EQ(pairs.particle[g], reference_least(p, members.of(g), potentials, 1e-15)) << g;
    }
}

TEST(TreeSearchRealFiles, GalaxiesHaveTheCentresOfAllPairs)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "galaxy/galaxy_littleendian.dat");
    Particles p = io::read_snapshot(file).particles;
    std::vector<Index> some;  // every fifth: all pairs of 60 000 take too long under sanitizers
    for (Index i = 0; i < p.size(); i += 5) some.push_back(i);
    Particles fewer = p.gathered(some);
    expect_centres_of_groups(fewer, 3, 0, 2000);
}

TEST(TreeSearchRealFiles, CosmologicalGroupsHaveTheCentresOfAllPairs)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "fof/psi_snapshot_010");
    io::Snapshot snapshot = io::read_snapshot(file);
    expect_centres_of_groups(snapshot.particles, 0.2 * snapshot.header.box_size / 32,
                             snapshot.header.box_size, 500);
}

}  // namespace
}  // namespace aureole::test::centre_tree_test
