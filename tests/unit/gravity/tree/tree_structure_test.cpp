// Which bodies are in which node, for ordinary and for awkward inputs.
#include <cstring>
#include <map>

#include "gravity/tree/curve_order.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/gravity/host_tree.hpp"
#include "tests/support/gravity/tree_inputs.hpp"

namespace aureole::test::tree_structure_test {
namespace {

constexpr int leaf_size = 16;

class TreeStructure : public OnEachBackend {};

/// Along the curve of 2^42 cells a dimension, then along that of the box of those who share a cell.
struct Place {
    unsigned __int128 cell;
    std::uint64_t inside;

    auto operator<=>(const Place&) const = default;
};

/// How many leading bits two places share, of 189.
int common_bits(const Place& a, const Place& b)
{
    int bits = 0;
    for (int bit = 125; bit >= 0; --bit, ++bits)
        if ((a.cell >> bit & 1) != (b.cell >> bit & 1)) return bits;
    for (int bit = 62; bit >= 0; --bit, ++bits)
        if ((a.inside >> bit & 1) != (b.inside >> bit & 1)) return bits;
    return bits;
}

/// The cells along the frame's curve, and where more than 32 bodies share one, along that of their box.
std::vector<Place> places(const HostTree& tree, const Particles& host)
{
    std::vector<Place> result;
    std::map<unsigned __int128, std::vector<std::size_t>> sharing;
    for (const Index i : tree.order) {
        const DeepKey key = gravity::tree::deep_curve_key(host.position.load(i), tree.frame);
        result.push_back({static_cast<unsigned __int128>(key.high) << 63 | key.low, 0});
        sharing[result.back().cell].push_back(result.size() - 1);
    }
    for (const auto& [cell, bodies] : sharing) {
        if (bodies.size() <= 32) continue;
        const auto at = [&](std::size_t k) { return host.position.load(tree.order[k]); };
        Vec3 low = at(bodies[0]), high = low;
        for (const std::size_t k : bodies) {
            low = {std::min(low.x, at(k).x), std::min(low.y, at(k).y), std::min(low.z, at(k).z)};
            high = {std::max(high.x, at(k).x), std::max(high.y, at(k).y), std::max(high.z, at(k).z)};
        }
        const double extent = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
        const gravity::tree::Frame box{low, gravity::tree::cells_per_length(extent), 1, 1};
        for (const std::size_t k : bodies) result[k].inside = gravity::tree::curve_key(at(k), box);
    }
    return result;
}

TEST_P(TreeStructure, EveryBodyIsInExactlyOneLeafAndLeavesFollowOneAnother)
{
    for (const TreeInput& input : tree_inputs())
        for (const int size : {1, leaf_size, 64}) {
            SCOPED_TRACE(testing::Message() << input.name << ", leaves of " << size);
            const HostTree tree = built_tree(exec(), to_particles(input.bodies, Backend::cpu), size);
            ASSERT_EQ(tree.bodies.size(), input.bodies.size());
            ASSERT_EQ(node_runs(tree).size(), 2 * tree.n_leaves() - 1) << "the slots form no binary tree";
            std::vector<char> found(input.bodies.size(), 0);
            for (const Index i : tree.order) {
                ASSERT_LT(i, found.size());
                ASSERT_FALSE(found[i]) << "particle " << i << " is there twice";
                found[i] = 1;
            }
        }
}

TEST_P(TreeStructure, BodiesAreTheirParticlesScaledByPowersOfTwo)
{
    for (const TreeInput& input : tree_inputs()) {
        SCOPED_TRACE(input.name);
        const HostTree tree = built_tree(exec(), to_particles(input.bodies, Backend::cpu), leaf_size);
        const double length = tree.frame.length_scale, mass = tree.frame.mass_scale;
        int exponent;
        EXPECT_EQ(std::frexp(length, &exponent), 0.5);
        EXPECT_EQ(std::frexp(mass, &exponent), 0.5);
        double extent = 0, largest = 0;
        for (std::size_t k = 0; k < tree.bodies.size(); ++k) {
            const Body& body = input.bodies[tree.order[k]];
            const gravity::tree::Body& b = tree.bodies[k];
            ASSERT_EQ((std::array{b.x, b.y, b.z}),
                      (std::array{length * body.position[0], length * body.position[1],
                                  length * body.position[2]}));
            ASSERT_EQ(b.mass, mass * body.mass);
            largest = std::max(largest, b.mass);
            for (std::size_t axis = 0; axis < 3; ++axis)
                extent = std::max(extent, length * (body.position[axis] - input.bodies[0].position[axis]));
        }
        EXPECT_LT(extent, 1);
        EXPECT_LT(largest, 1);
        EXPECT_TRUE(largest == 0 || largest >= 0.5);
    }
}

TEST_P(TreeStructure, BodiesFollowTheCurveAndThoseOfOneCellTheirIds)
{
    for (const TreeInput& input : tree_inputs()) {
        SCOPED_TRACE(input.name);
        Particles host = to_particles(input.bodies, Backend::cpu);
        const std::size_t n = host.size();
        for (std::size_t i = 0; i < n; ++i) host.id.host()[i] = (i * 7919 + 1) % n + (i % 2 << 40);
        const HostTree tree = built_tree(exec(), host, leaf_size);
        const std::vector<Place> place = places(tree, host);
        for (std::size_t k = 1; k < place.size(); ++k) {
            ASSERT_LE(place[k - 1], place[k]) << "body " << k;
            if (place[k - 1] == place[k]) {
                ASSERT_LT(host.id.host()[tree.order[k - 1]], host.id.host()[tree.order[k]]) << "body " << k;
            }
        }
    }
}

TEST_P(TreeStructure, LeavesAreTheLargestNodesThatAreSmallEnough)
{
    for (const TreeInput& input : tree_inputs())
        for (const int size : {1, 7, leaf_size, 64}) {
            SCOPED_TRACE(testing::Message() << input.name << ", leaves of " << size);
            const HostTree tree = built_tree(exec(), to_particles(input.bodies, Backend::cpu), size);
            for (const NodeRun& run : node_runs(tree)) {
                const Index count = run.end_body - run.first_body;
                if (run.is_leaf) {
                    ASSERT_LE(count, Index(size));
                } else {
                    ASSERT_GT(count, Index(size)) << "slot " << run.slot;
                }
            }
        }
}

TEST_P(TreeStructure, NodesSplitWhereTheirKeysFirstDiffer)
{
    for (const TreeInput& input : tree_inputs()) {
        SCOPED_TRACE(input.name);
        const Particles host = to_particles(input.bodies, Backend::cpu);
        const HostTree tree = built_tree(exec(), host, leaf_size);
        const std::vector<Place> place = places(tree, host);
        std::vector<Index> first_body(tree.n_leaves());
        for (const NodeRun& run : node_runs(tree))
            if (run.is_leaf) first_body[run.first_leaf] = run.first_body;
        for (const NodeRun& run : node_runs(tree)) {
            if (run.is_leaf) continue;
            const Index split = first_body[tree.tails[run.slot].first];
            ASSERT_GT(split, run.first_body);
            ASSERT_LT(split, run.end_body);
            const int whole = common_bits(place[run.first_body], place[run.end_body - 1]);
            const int across = common_bits(place[split - 1], place[split]);
            ASSERT_EQ(whole, across) << "slot " << run.slot << ": not where they differ first";
            if (whole == 189) continue;  // one cell: split by number
            ASSERT_GT(common_bits(place[run.first_body], place[split - 1]), across) << "slot " << run.slot;
            ASSERT_GT(common_bits(place[split], place[run.end_body - 1]), across) << "slot " << run.slot;
        }
    }
}

// an outlier and heaps in what it leaves of the curve: each place in order, whatever the number of bodies at
// it
TEST_P(TreeStructure, ParticlesFarBelowTheExtentFollowACurveOfTheirOwn)
{
    for (const double distance : {1e12, 1e15, 1e25}) {
        SCOPED_TRACE(distance);
        std::vector<Body> bodies = with_outlier(4000, 31, distance);
        for (std::size_t i = 0; i < 200; ++i) bodies[i].position = bodies[i % 3].position;
        const Particles host = to_particles(bodies, Backend::cpu);
        const HostTree tree = built_tree(exec(), host, leaf_size);
        int crowded = 0;  // leaves far larger than where their bodies stand
        for (const NodeRun& run : node_runs(tree))
            crowded += run.is_leaf && tree.heads[run.slot].radius > 3 * tree.frame.length_scale;
        EXPECT_LE(10 * crowded, int(tree.n_leaves())) << "only bodies of the outskirts are so far apart";
    }
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

void expect_same_tree(const HostTree& a, const HostTree& b)
{
    EXPECT_TRUE(same_bits(a.bodies, b.bodies));
    EXPECT_TRUE(same_bits(a.heads, b.heads));
    EXPECT_TRUE(same_bits(a.tails, b.tails));
    EXPECT_TRUE(same_bits(a.boxes, b.boxes));
    EXPECT_TRUE(same_bits(a.body_softening, b.body_softening));
    EXPECT_TRUE(same_bits(a.node_softening, b.node_softening));
}

/// Particles in another order, with their ids.
Particles shuffled(const Particles& host, unsigned seed)
{
    std::vector<Index> order(host.size());
    for (Index i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::shuffle(order, std::mt19937(seed));
    return host.gathered(order);
}

TEST_P(TreeStructure, AnotherOrderOfTheParticlesGivesTheIdenticalTree)
{
    gravity::Softening softening;
    softening.length = {0.1, 0.2, 0.3, 0.1, 0.1, 0.1};
    for (TreeInput input : tree_inputs()) {
        SCOPED_TRACE(input.name);
        for (std::size_t i = 0; i < input.bodies.size(); ++i) {
            input.bodies[i].type = static_cast<int>(i % 3);
            input.bodies[i].mass *= 1 + static_cast<double>(i % 11);
        }
        const Particles host = to_particles(input.bodies, Backend::cpu), other = shuffled(host, 1);
        const HostTree a = built_tree(exec(), host, leaf_size, softening);
        const HostTree b = built_tree(exec(), other, leaf_size, softening);
        expect_same_tree(a, b);
        for (std::size_t k = 0; k < a.order.size(); ++k)
            ASSERT_EQ(host.id.host()[a.order[k]], other.id.host()[b.order[k]]) << "body " << k;
    }
}

TEST_P(TreeStructure, AnEarlierBuildLeavesNoTrace)
{
    const std::vector<Body> large = with_heaps(5000, 1), small = random_bodies(300, 2);
    Particles first = to_particles(large, GetParam()), second = to_particles(small, GetParam());
    gravity::tree::SourceTree tree;
    const auto build = [&](Particles& p) {
        const auto all = gravity::Selection{}.clipped(p.view().n);
        tree.build(exec(), p.view(), all, {all}, gravity::tree::type_softening({}), leaf_size);
        return to_host(GetParam(), tree, tree.ordered(exec(), p.view(), all), p.size());
    };
    const HostTree alone = build(first);
    expect_same_tree(build(second), built_tree(exec(), to_particles(small, Backend::cpu), leaf_size));
    const std::size_t held = memory::held_bytes(GetParam());
    expect_same_tree(build(first), alone);
    EXPECT_EQ(memory::held_bytes(GetParam()), held) << "a build that fits allocates nothing";
}

/// Heaps whose points come ever nearer to their middle: a leaf ends nearly every step of the way.
std::vector<Body> chains(std::size_t n_chains, unsigned seed)
{
    std::vector<Body> bodies;
    for (const Body& middle : random_bodies(n_chains, seed))
        for (Body point : shrinking_chain(35)) {
            for (std::size_t k = 0; k < 3; ++k)
                point.position[k] = middle.position[k] + 1e-3 * point.position[k];
            bodies.push_back(point);
        }
    return bodies;
}

// a GPU makes nodes of as many leaves as the last builds let expect, and again where there are more
TEST_P(TreeStructure, BuildsOfAnyNumberOfLeavesFollowOneAnother)
{
    const std::vector<Body> large = plummer_bodies(20000, 1), few = random_bodies(50, 2),
                            uneven = chains(40, 3);
    gravity::tree::SourceTree tree;
    std::size_t most_leaves_per_body = 0;
    for (const std::vector<Body>* bodies : {&few, &uneven, &uneven, &large, &few, &uneven, &few, &large}) {
        Particles p = to_particles(*bodies, GetParam());
        const auto all = gravity::Selection{}.clipped(p.view().n);
        tree.build(exec(), p.view(), all, {all}, gravity::tree::type_softening({}), leaf_size);
        const HostTree found = to_host(GetParam(), tree, tree.ordered(exec(), p.view(), all), p.size());
        expect_same_tree(found, built_tree(exec(), to_particles(*bodies, Backend::cpu), leaf_size));
        if (bodies == &uneven) most_leaves_per_body = leaf_size * found.n_leaves() / bodies->size();
    }
    EXPECT_GE(most_leaves_per_body, 4) << "twice the usual number, which is a leaf of half its size";
}

TEST_P(TreeStructure, OnlySourcesAreBodiesAndTargetsFollowTheSameCurve)
{
    const Particles host = to_particles(plummer_bodies(2000, 3), Backend::cpu);
    const IndexRange sources{100, 900}, targets{500, 1800};
    const HostTree tree = built_tree(exec(), host, leaf_size, {}, sources, targets);
    ASSERT_EQ(tree.order.size(), sources.size());
    for (const Index i : tree.order) EXPECT_TRUE(i >= sources.begin && i < sources.end);
    EXPECT_EQ(node_runs(tree).size(), 2 * tree.n_leaves() - 1);

    std::vector<Index> expected;
    for (Index i = targets.begin; i < targets.end; ++i) expected.push_back(i);
    std::ranges::sort(expected, {},
                      [&](Index i) { return gravity::tree::curve_key(host.position.load(i), tree.frame); });
    EXPECT_EQ(tree.targets, expected);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(TreeStructure);

}  // namespace
}  // namespace aureole::test::tree_structure_test
