// Masses, centres, second moments, radii, boxes and softening lengths of all nodes against sums over their
// bodies in long double.
#include "tests/support/backends.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/gravity/host_tree.hpp"
#include "tests/support/gravity/tree_inputs.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::tree_moments_test {
namespace {

using Real = long double;
using gravity::tree::NodeHead;

constexpr int leaf_size = 16;

/// Smaller lengths than this, in units of the extent, are not kept in float.
constexpr Real least_length = 1e-37;

/// A node's numbers in long double, lengths relative to the centre of mass that the tree found.
struct ExactNode {
    Real mass = 0, centre[3]{}, moments[6]{}, low[3]{}, high[3]{}, radius = 0;
    Real origin = 0;  ///< largest coordinate: what rounding of positions is relative to
};

ExactNode exact_node(const HostTree& tree, const NodeRun& run)
{
    const NodeHead& head = tree.heads[run.slot];
    ExactNode node;
    for (int k = 0; k < 3; ++k) {
        node.low[k] = std::numeric_limits<Real>::max();
        node.high[k] = -node.low[k];
    }
    for (Index j = run.first_body; j < run.end_body; ++j) {
        const gravity::tree::Body& b = tree.bodies[j];
        const Real x[3] = {b.x, b.y, b.z}, m = b.mass;
        const Real d[3] = {x[0] - head.x, x[1] - head.y, x[2] - head.z};
        node.mass += m;
        Real r2 = 0;
        int pair = 0;
        for (int p = 0; p < 3; ++p) {
            node.centre[p] += m * d[p];
            node.low[p] = std::min(node.low[p], d[p]);
            node.high[p] = std::max(node.high[p], d[p]);
            node.origin = std::max(node.origin, std::abs(x[p]));
            r2 += d[p] * d[p];
            for (int q = p; q < 3; ++q) node.moments[pair++] += m * d[p] * d[q];
        }
        node.radius = std::max(node.radius, std::sqrt(r2));
    }
    if (node.mass > 0)
        for (Real& c : node.centre) c /= node.mass;
    return node;
}

/// Float rounding of a node and of its children, theirs, ... : at most one unit each of 2^-24 a level.
Tolerance per_level(int roundings, int height)
{
    return {roundings * (height + 1) * 0x1p-24, "float rounding on every level"};
}

/// Rounding of a sum of up to 64 positions, and of one step a level, in double.
Real position_rounding(const ExactNode& exact, int height) { return 0x1p-53 * (70 + height) * exact.origin; }

class TreeMoments : public OnEachBackend {
protected:
    /// judge(tree, run, exact node) for every node of every input.
    template <class Judge>
    void for_all_nodes(Judge judge)
    {
        for (const TreeInput& input : tree_inputs()) {
            const HostTree tree = built_tree(exec(), to_particles(input.bodies, Backend::cpu), leaf_size);
            const std::vector<NodeRun> runs = node_runs(tree);
            ASSERT_FALSE(runs.empty()) << input.name;
            for (const NodeRun& run : runs) {
                SCOPED_TRACE(testing::Message() << input.name << ", slot " << run.slot << " of bodies "
                                                << run.first_body << " to " << run.end_body);
                judge(tree, run, exact_node(tree, run));
                if (HasFatalFailure()) return;
            }
        }
    }
};

TEST_P(TreeMoments, ThreeBodiesByHand)
{
    const std::vector<Body> bodies{{1, {0, 0, 0}}, {1, {4, 0, 0}}, {2, {2, 2, 0}}};
    const HostTree tree = built_tree(exec(), to_particles(bodies, Backend::cpu), 16);
    ASSERT_EQ(tree.n_leaves(), 1u);
    EXPECT_EQ(tree.frame.length_scale, 0.125);
    EXPECT_EQ(tree.frame.mass_scale, 0.25);
    const NodeHead head = tree.heads[0];
    EXPECT_EQ((std::array{head.x, head.y, head.z}), (std::array{2 / 8.0, 1 / 8.0, 0.0}));
    EXPECT_EQ(head.mass, 1);
    EXPECT_NEAR(head.radius, std::sqrt(5.0) / 8, 1e-7);
    const gravity::tree::NodeTail tail = tree.tails[0];  // over radius^2 = 5
    EXPECT_NEAR(tail.xx, 0.25 * 8 / 5, 1e-6);
    EXPECT_NEAR(tail.yy, 0.25 * 4 / 5, 1e-6);
    EXPECT_EQ(tail.xy, 0);
    EXPECT_EQ(tail.xz, 0);
    EXPECT_EQ(tail.yz, 0);
    EXPECT_EQ(tail.zz, 0);
    EXPECT_EQ(tree.boxes[0].low[0], -2 / 8.0f);
    EXPECT_EQ(tree.boxes[0].high[0], 2 / 8.0f);
    EXPECT_EQ(tree.boxes[0].low[1], -1 / 8.0f);
    EXPECT_EQ(tree.boxes[0].high[1], 1 / 8.0f);
}

TEST_P(TreeMoments, MassesAreSums)
{
    for_all_nodes([](const HostTree& tree, const NodeRun& run, const ExactNode& exact) {
        const double mass = tree.heads[run.slot].mass, expected = static_cast<double>(exact.mass);
        if (expected == 0) {
            ASSERT_EQ(mass, 0);
            return;
        }
        ASSERT_TRUE(close_to(mass, expected, expected, per_level(1, run.height)));
    });
}

TEST_P(TreeMoments, CentresAreThoseOfMass)
{
    for_all_nodes([](const HostTree& tree, const NodeRun& run, const ExactNode& exact) {
        if (exact.mass == 0) return;
        const Real radius = tree.heads[run.slot].radius;
        const Tolerance tolerance = per_level(4, run.height);  // two masses and their ratio, twice the radius
        for (const Real off : exact.centre)
            ASSERT_LE(std::abs(off),
                      tolerance.relative * radius + position_rounding(exact, run.height) + least_length);
    });
}

TEST_P(TreeMoments, SecondMomentsAreSumsOverRadiusSquared)
{
    for_all_nodes([](const HostTree& tree, const NodeRun& run, const ExactNode& exact) {
        const gravity::tree::NodeTail& t = tree.tails[run.slot];
        const Real radius = tree.heads[run.slot].radius;
        if (radius < least_length || exact.mass == 0) {
            for (const float moment : {t.xx, t.xy, t.xz, t.yy, t.yz, t.zz})
                ASSERT_LE(std::abs(moment), exact.mass);
            return;
        }
        const float found[6] = {t.xx, t.xy, t.xz, t.yy, t.yz, t.zz};
        const Real blur = position_rounding(exact, run.height) / radius;
        for (int k = 0; k < 6; ++k)
            ASSERT_TRUE(close_to(found[k], static_cast<double>(exact.moments[k] / (radius * radius)),
                                 static_cast<double>(exact.mass * (1 + 1e7L * blur)),
                                 per_level(8, run.height)))
                << "moment " << k;
    });
}

TEST_P(TreeMoments, RadiiReachTheFarthestBodyAndNoFartherThanTheBox)
{
    for_all_nodes([](const HostTree& tree, const NodeRun& run, const ExactNode& exact) {
        const Real radius = tree.heads[run.slot].radius;
        const Real rounding = position_rounding(exact, run.height) + least_length;
        ASSERT_GE(radius, exact.radius - rounding);
        Real corner2 = 0;
        for (int k = 0; k < 3; ++k) {
            const Real reach = std::max(-exact.low[k], exact.high[k]);
            corner2 += reach * reach;
        }
        const double corner = static_cast<double>(std::sqrt(corner2));
        ASSERT_LE(radius, corner * (1 + 2e-6 + per_level(2, run.height).relative) + rounding);
        if (run.is_leaf) {
            ASSERT_LE(radius, exact.radius * (1 + 5e-7L) + rounding);
        }
    });
}

// the walk takes a node that is farther than its radius: a body that sits beside its own heap's rounded
// centre would feel the heap at a distance of 1e-16
TEST_P(TreeMoments, RadiiReachCoincidentBodiesDespiteTheRoundingOfCentres)
{
    Uniform u(1);
    int n_off = 0;
    for (int trial = 0; trial < 100; ++trial) {
        std::vector<Body> bodies = random_bodies(300, 1);
        const double size = std::pow(10.0, 6 * u() - 2);
        const std::array<double, 3> place{size * u(), size * u(), size * u()};
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            bodies[i].mass = trial % 2 ? u() : std::pow(10.0, -12 * u());
            bodies[i].position = i < 5 ? std::array{size * u(), size * u(), size * u()} : place;
        }
        const HostTree tree = built_tree(exec(), to_particles(bodies, Backend::cpu), leaf_size);
        for (const NodeRun& run : node_runs(tree)) {
            const ExactNode exact = exact_node(tree, run);
            if (exact.low[0] != exact.high[0]) continue;  // not coincident
            ASSERT_LE(exact.radius, tree.heads[run.slot].radius) << "trial " << trial << ", seed = 1";
            n_off += exact.radius > 0;
        }
    }
    EXPECT_GT(n_off, 100) << "centres that rounding moved off the bodies";
}

TEST_P(TreeMoments, BoxesAreTheExtentOfTheBodies)
{
    for_all_nodes([](const HostTree& tree, const NodeRun& run, const ExactNode& exact) {
        const gravity::tree::NodeBox& box = tree.boxes[run.slot];
        const Real tolerance = per_level(2, run.height).relative * Real{tree.heads[run.slot].radius} +
                               position_rounding(exact, run.height) + least_length;
        for (int k = 0; k < 3; ++k) {
            ASSERT_LE(std::abs(box.low[k] - exact.low[k]), tolerance) << "axis " << k;
            ASSERT_LE(std::abs(box.high[k] - exact.high[k]), tolerance) << "axis " << k;
        }
    });
}

TEST_P(TreeMoments, SofteningLengthsAreTheLargestAndNegativeWhereTheyDiffer)
{
    gravity::Softening softening;
    softening.length = {0, 0.25, 0.125, 0, 0, 0};
    std::vector<Body> bodies = plummer_bodies(3000, 5);  // one type each side of x = 0, some zeros on one
    for (std::size_t i = 0; i < bodies.size(); ++i)
        bodies[i].type = bodies[i].position[0] > 0 ? 1 : i % 20 == 0 ? 0 : 2;
    const HostTree tree = built_tree(exec(), to_particles(bodies, Backend::cpu), leaf_size, softening);
    int n_mixed = 0, n_alike = 0;
    for (const NodeRun& run : node_runs(tree)) {
        float least = 1e30f, largest = 0;
        for (Index j = run.first_body; j < run.end_body; ++j) {
            const int type = bodies[tree.order[j]].type;
            const float eps = static_cast<float>(tree.frame.length_scale * softening.length[type]);
            ASSERT_EQ(tree.body_softening[j], eps);
            least = std::min(least, eps);
            largest = std::max(largest, eps);
        }
        ASSERT_EQ(tree.node_softening[run.slot], least == largest ? largest : -largest);
        ++(least == largest ? n_alike : n_mixed);
    }
    EXPECT_GT(n_mixed, 10);
    EXPECT_GT(n_alike, 10);
}

TEST_P(TreeMoments, EqualSofteningIsNotKept)
{
    const HostTree tree = built_tree(exec(), to_particles(random_bodies(100, 1), Backend::cpu), leaf_size);
    EXPECT_TRUE(tree.body_softening.empty());
    EXPECT_TRUE(tree.node_softening.empty());
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(TreeMoments);

}  // namespace
}  // namespace aureole::test::tree_moments_test
