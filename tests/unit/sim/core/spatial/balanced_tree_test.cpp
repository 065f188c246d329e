// The hierarchy by hand and against plain loops: its numbers, its order, its boxes and its traversals.
#include "sim/core/spatial/balanced_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/spatial/build_nodes_dual.hpp"
#include "sim/core/spatial/median_order.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::balanced_tree_test {
namespace {

constexpr Index leaf_size = 8;

TEST(BalancedTree, LeavesShareThePointsOutEvenly)
{
    for (const Index n : {1u, 7u, 8u, 9u, 63u, 64u, 65u, 1000u, 0xfffffffeu}) {
        const BalancedTree tree = BalancedTree::over(n, leaf_size);
        EXPECT_EQ(tree.begin(BalancedTree::root), 0u);
        EXPECT_EQ(tree.end(BalancedTree::root), n);
        const Index last = 2 * tree.n_leaves() - 1;
        for (const Index k : {tree.n_leaves(), tree.n_leaves() + (last - tree.n_leaves()) / 3, last}) {
            EXPECT_GE(tree.end(k), tree.begin(k) + 1);
            EXPECT_LE(tree.end(k), tree.begin(k) + leaf_size);
            EXPECT_EQ(tree.leaf_of(tree.begin(k)), k);
            EXPECT_EQ(tree.leaf_of(tree.end(k) - 1), k);
        }
    }
}

TEST(BalancedTree, FivePointsInLeavesOfTwoAreHalvedTwice)
{
    const BalancedTree tree = BalancedTree::over(5, 2);
    EXPECT_EQ(tree.depth, 2);
    EXPECT_EQ(tree.n_places(), 8u);
    std::vector<Index> size;
    for (Index k = 1; k < 8; ++k) size.push_back(tree.size(k));
    EXPECT_EQ(size, (std::vector<Index>{5, 2, 3, 1, 1, 1, 2}));
}

TEST(BalancedTree, IsOneLeafWithoutPoints)
{
    const BalancedTree tree = BalancedTree::over(0, leaf_size);
    EXPECT_EQ(tree.depth, 0);
    EXPECT_TRUE(tree.is_leaf(BalancedTree::root));
    EXPECT_EQ(tree.size(BalancedTree::root), 0u);
}

TEST(BalancedTree, IsNoDeeperThanIsAllowed)
{
    EXPECT_EQ(BalancedTree::depth_for(1000, 1, 4), 4);
    EXPECT_EQ(BalancedTree::depth_for(max_particles, 1), BalancedTree::largest_depth);
}

TEST(BalancedTree, ChildrenShareTheirParentsPoints)
{
    const BalancedTree tree = BalancedTree::over(1001, leaf_size);
    for (Index k = 1; k < tree.n_leaves(); ++k) {
        const Index left = BalancedTree::left(k), right = BalancedTree::right(k);
        EXPECT_EQ(tree.begin(left), tree.begin(k));
        EXPECT_EQ(tree.end(left), tree.begin(right));
        EXPECT_EQ(tree.end(right), tree.end(k));
        EXPECT_EQ(BalancedTree::parent(right), k);
        EXPECT_EQ(BalancedTree::sibling(left), right);
        EXPECT_LE(std::max(tree.size(left), tree.size(right)) - std::min(tree.size(left), tree.size(right)),
                  1u);
    }
}

TEST(BalancedTree, PointsKnowTheirNodeOfEveryLevel)
{
    for (const Index n : {1u, 2u, 7u, 100u, 257u}) {
        const BalancedTree tree = BalancedTree::over(n, 1);
        for (int level = 0; level <= tree.depth; ++level)
            for (Index m = 0; m < Index{1} << level; ++m) {
                const Index k = (Index{1} << level) + m;
                EXPECT_EQ(BalancedTree::level_of(k), level);
                for (Index i = tree.begin(k); i < tree.end(k); ++i) {
                    EXPECT_EQ(tree.place_in_level(i, level), m) << n;
                    EXPECT_TRUE(tree.holds(k, tree.leaf_of(i)));
                    EXPECT_EQ(tree.holds(k, tree.leaf_of(0)), m == tree.place_in_level(0, level));
                }
            }
    }
}

/// Notes the leaves that a traversal meets.
struct Notes {
    Index closed = BalancedTree::no_node;  ///< a node that is not opened
    std::vector<Index> leaves{};

    bool opens(Index k) const { return k != closed; }
    void leaf(Index k) { leaves.push_back(k); }
};

TEST(BalancedTree, ATraversalMeetsEachLeafOnceInOrder)
{
    const BalancedTree tree = BalancedTree::over(64, leaf_size);
    Notes all, without_left{.closed = 2}, behind;
    traverse(tree, BalancedTree::root, all);
    EXPECT_EQ(all.leaves, (std::vector<Index>{8, 9, 10, 11, 12, 13, 14, 15}));
    traverse(tree, BalancedTree::root, without_left);
    EXPECT_EQ(without_left.leaves, (std::vector<Index>{12, 13, 14, 15}));
    traverse(tree, BalancedTree::after(10), behind);
    EXPECT_EQ(behind.leaves, (std::vector<Index>{11, 12, 13, 14, 15}));
    EXPECT_EQ(BalancedTree::after(15), BalancedTree::no_node);
    EXPECT_EQ(BalancedTree::after(BalancedTree::root), BalancedTree::no_node);
}

TEST(BalancedTree, TraversalsFromEveryLeafMeetEachPairOfLeavesOnce)
{
    const BalancedTree tree = BalancedTree::over(300, leaf_size);
    std::size_t pairs = 0;
    for (Index leaf = tree.n_leaves(); leaf < 2 * tree.n_leaves(); ++leaf) {
        Notes behind;
        traverse(tree, BalancedTree::after(leaf), behind);
        for (const Index other : behind.leaves) EXPECT_GT(other, leaf);
        pairs += behind.leaves.size();
    }
    EXPECT_EQ(pairs, std::size_t{tree.n_leaves()} * (tree.n_leaves() - 1) / 2);
}

using Place = std::array<double, 3>;

struct Point {
    Place at;
    Index number;
};

struct PointAxes {
    double weight_of_z = 1;

    static constexpr int count = 3;

    static double coordinate(const Point& point, int axis)
    {
        return point.at[static_cast<std::size_t>(axis)];
    }
    double length(int axis, double difference) const
    {
        return axis == 2 ? weight_of_z * difference : difference;
    }
    static bool before(const Point& a, const Point& b, int axis)
    {
        const double x = coordinate(a, axis), y = coordinate(b, axis);
        return x != y ? x < y : a.number < b.number;
    }
};

struct Payload {
    BoundingBox<double> box;
    Index points;
};

struct Builder : Hierarchy<Payload> {
    const Point* point;

    static Vec3 place(const Point& p) { return {p.at[0], p.at[1], p.at[2]}; }
    Payload leaf(Index k) const
    {
        Payload payload{BoundingBox<double>::none(), size(k)};
        for (Index i = begin(k); i < end(k); ++i) payload.box.include(place(point[i]));
        return payload;
    }
    static Payload merge(const Payload& a, const Payload& b)
    {
        return {a.box.around(b.box), a.points + b.points};
    }
};

/// Ordered points, their tree and its payloads.
struct Built {
    std::vector<Point> points;
    BalancedTree tree;
    std::vector<Payload> payloads;

    explicit Built(const Points& x, PointAxes axes = {})
        : tree(BalancedTree::over(x.size(), leaf_size)), payloads(tree.n_places())
    {
        for (const Place& at : x) points.push_back({at, static_cast<Index>(points.size())});
        order_by_medians(tree, std::span(points), axes);
        build_nodes({Backend::cpu}, tree, Builder{{tree, payloads.data()}, points.data()});
    }
};

/// Numbers of points around the size of a leaf, spread out, on a line, and at one place.
std::vector<Points> point_sets()
{
    std::vector<Points> sets;
    for (const std::size_t n : {1u, 2u, 7u, 8u, 9u, 16u, 17u, 1000u}) {
        sets.push_back(clustered_points(n, n));
        sets.push_back(Points(n, Place{0.5, 0.25, 0.125}));
        Points line = uniform_points(n, 5);
        for (Place& at : line) at = {0.5, at[1], 0.5};
        sets.push_back(line);
    }
    return sets;
}

TEST(MedianOrder, HalvesEveryNodeAlongItsLongestAxis)
{
    for (const double weight_of_z : {1.0, 10.0})
        for (const Points& x : point_sets()) {
            const Built built(x, {weight_of_z});
            for (Index k = 1; k < built.tree.n_leaves(); ++k) {
                const Vec3 side = built.payloads[k].box.high - built.payloads[k].box.low;
                const double length[3] = {side.x, side.y, weight_of_z * side.z};
                const int axis = static_cast<int>(std::max_element(length, length + 3) - length);
                const Index left = BalancedTree::left(k), right = BalancedTree::right(k);
                for (Index i = built.tree.begin(left); i < built.tree.end(left); ++i)
                    for (Index j = built.tree.begin(right); j < built.tree.end(right); ++j)
                        ASSERT_TRUE(PointAxes::before(built.points[i], built.points[j], axis)) << k;
            }
        }
}

TEST(MedianOrder, KeepsEveryPointOnce)
{
    for (const Points& x : point_sets()) {
        const Built built(x);
        std::vector<char> seen(x.size(), 0);
        for (const Point& point : built.points) {
            EXPECT_EQ(seen[point.number]++, 0);
            EXPECT_EQ(point.at, x[point.number]);
        }
    }
}

TEST(BuildNodes, GivesEveryNodeTheTightBoxOfItsPoints)
{
    for (const Points& x : point_sets()) {
        const Built built(x);
        for (Index k = 1; k < built.tree.n_places(); ++k) {
            EXPECT_EQ(built.payloads[k].points, built.tree.size(k));
            for (int axis = 0; axis < 3; ++axis) {
                double low = std::numeric_limits<double>::infinity(), high = -low;
                for (Index i = built.tree.begin(k); i < built.tree.end(k); ++i) {
                    low = std::min(low, PointAxes::coordinate(built.points[i], axis));
                    high = std::max(high, PointAxes::coordinate(built.points[i], axis));
                }
                const BoundingBox<double>& box = built.payloads[k].box;
                EXPECT_EQ(axis == 0 ? box.low.x : axis == 1 ? box.low.y : box.low.z, low);
                EXPECT_EQ(axis == 0 ? box.high.x : axis == 1 ? box.high.y : box.high.z, high);
            }
        }
    }
}

TEST(BuildNodes, RefusesAGpuWhereNvccDoesNotCompile)
{
    const Built built(uniform_points(20, 1));
    const Builder builder{{built.tree, nullptr}, nullptr};
    EXPECT_THROW(build_nodes({Backend::cuda}, built.tree, builder), Error);
}

/// Points in a box.
struct InBox {
    const Built& built;
    BoundingBox<double> box;
    std::vector<Index> found{};
    std::size_t leaves = 0;

    bool opens(Index k) const { return built.payloads[k].box.meets(box); }
    void leaf(Index k)
    {
        ++leaves;
        for (Index i = built.tree.begin(k); i < built.tree.end(k); ++i)
            if (box.meets(BoundingBox<double>::at(Builder::place(built.points[i]))))
                found.push_back(built.points[i].number);
    }
};

TEST(Traverse, FindsThePointsOfABoxAndOpensNoLeafApartFromIt)
{
    for (const Points& x : point_sets()) {
        const Built built(x);
        for (const Place& corner : uniform_points(20, 3)) {
            const double side = 0.3;
            InBox visitor{
                built,
                {{corner[0], corner[1], corner[2]}, {corner[0] + side, corner[1] + side, corner[2] + side}}};
            traverse(built.tree, BalancedTree::root, visitor);
            std::vector<Index> expected;
            for (Index i = 0; i < x.size(); ++i)
                if (visitor.box.meets(BoundingBox<double>::at({x[i][0], x[i][1], x[i][2]})))
                    expected.push_back(i);
            std::ranges::sort(visitor.found);
            EXPECT_EQ(visitor.found, expected);
            std::size_t near = 0;
            for (Index k = built.tree.n_leaves(); k < built.tree.n_places(); ++k)
                near += built.payloads[k].box.meets(visitor.box);
            EXPECT_EQ(visitor.leaves, near);
        }
    }
}

/// The squared distance from a place to its nearest point.
struct Nearest {
    const Built& built;
    Vec3 x;
    double squared = std::numeric_limits<double>::infinity();
    std::vector<Index> leaves{};

    static double squared_gap(Vec3 x, const BoundingBox<double>& box)
    {
        const Vec3 gap = larger(larger(box.low - x, x - box.high), Vec3{});
        return dot(gap, gap);
    }
    double distance(Index k) const { return squared_gap(x, built.payloads[k].box); }
    bool reaches(double distance) const { return distance < squared; }
    void leaf(Index k)
    {
        leaves.push_back(k);
        for (Index i = built.tree.begin(k); i < built.tree.end(k); ++i) {
            const Vec3 d = Builder::place(built.points[i]) - x;
            squared = std::min(squared, dot(d, d));
        }
    }
};

TEST(TraverseNearFirst, FindsTheNearestPointAndOpensNoLeafBeyondIt)
{
    for (const Points& x : point_sets()) {
        const Built built(x);
        for (const Place& at : uniform_points(20, 4)) {
            Nearest visitor{built, {at[0], at[1], at[2]}};
            traverse_near_first(built.tree, BalancedTree::root, visitor);
            double expected = std::numeric_limits<double>::infinity();
            for (const Place& p : x) {
                const Vec3 d = Vec3{p[0], p[1], p[2]} - visitor.x;
                expected = std::min(expected, dot(d, d));
            }
            EXPECT_EQ(visitor.squared, expected);
            ASSERT_FALSE(visitor.leaves.empty());
            std::ranges::sort(visitor.leaves);
            EXPECT_EQ(std::ranges::adjacent_find(visitor.leaves), visitor.leaves.end());
        }
    }
}

TEST(TraverseNearFirst, OfCoincidentPointsOpensOneLeaf)
{
    const Built built(Points(1000, Place{0.5, 0.5, 0.5}));
    Nearest visitor{built, {0.5, 0.5, 0.5}};
    traverse_near_first(built.tree, BalancedTree::root, visitor);
    EXPECT_EQ(visitor.squared, 0);
    EXPECT_EQ(visitor.leaves.size(), 1u);
}

}  // namespace
}  // namespace aureole::test::balanced_tree_test
