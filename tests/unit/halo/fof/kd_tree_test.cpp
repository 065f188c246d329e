// The tree's numbering, its boxes, and the walk, against plain loops.
#include "halo/kd_tree.hpp"

#include "halo/fof/kd_build.hpp"
#include "halo/fof/kd_walk.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test {
namespace {

using halo::KdTree;

KdTree tree_of(Index n) { return {n, KdTree::depth_for(n), nullptr, nullptr}; }

TEST(KdTree, LeavesShareThePointsOutEvenly)
{
    for (const Index n : {1u, 7u, 8u, 9u, 63u, 64u, 65u, 1000u, 0xfffffffeu}) {
        const KdTree tree = tree_of(n);
        EXPECT_EQ(tree.begin(KdTree::root), 0u);
        EXPECT_EQ(tree.end(KdTree::root), n);
        const Index last = 2 * tree.n_leaves() - 1;
        for (const Index k : {tree.n_leaves(), tree.n_leaves() + (last - tree.n_leaves()) / 3, last}) {
            EXPECT_GE(tree.end(k), tree.begin(k) + 1);
            EXPECT_LE(tree.end(k), tree.begin(k) + KdTree::default_leaf_size);
            EXPECT_EQ(tree.leaf_of(tree.begin(k)), k);
            EXPECT_EQ(tree.leaf_of(tree.end(k) - 1), k);
        }
    }
}

TEST(KdTree, ChildrenShareTheirParentsPoints)
{
    const KdTree tree = tree_of(1001);
    for (Index k = 1; k < tree.n_leaves(); ++k) {
        EXPECT_EQ(tree.begin(KdTree::left(k)), tree.begin(k));
        EXPECT_EQ(tree.end(KdTree::left(k)), tree.begin(KdTree::left(k) + 1));
        EXPECT_EQ(tree.end(KdTree::left(k) + 1), tree.end(k));
        EXPECT_EQ(KdTree::parent(KdTree::left(k) + 1), k);
    }
}

/// Notes the leaves that a walk meets.
struct Notes {
    Index closed = KdTree::no_node;  ///< a node that is not entered
    std::vector<Index> leaves{};

    bool enters(Index k) const { return k != closed; }
    void visit(Index k) { leaves.push_back(k); }
};

TEST(KdTree, AWalkMeetsEachLeafOnceInOrder)
{
    const KdTree tree = tree_of(64);
    Notes all, without_left{.closed = 2}, behind;
    halo::walk(tree, KdTree::root, all);
    EXPECT_EQ(all.leaves, (std::vector<Index>{8, 9, 10, 11, 12, 13, 14, 15}));
    halo::walk(tree, KdTree::root, without_left);
    EXPECT_EQ(without_left.leaves, (std::vector<Index>{12, 13, 14, 15}));
    halo::walk(tree, KdTree::after(10), behind);
    EXPECT_EQ(behind.leaves, (std::vector<Index>{11, 12, 13, 14, 15}));
    EXPECT_EQ(KdTree::after(15), KdTree::no_node);
    EXPECT_EQ(KdTree::after(KdTree::root), KdTree::no_node);
}

class KdBoxes : public OnEachBackend {};

TEST_P(KdBoxes, AreTightAndKnowFriends)
{
    const Points x = uniform_points(100, 6);
    const KdTree shape = tree_of(100);
    std::vector<halo::TreePoint> points;
    for (Index i = 0; i < 100; ++i)
        points.push_back(
            {static_cast<float>(x[i][0]), static_cast<float>(x[i][1]), static_cast<float>(x[i][2]), i});
    Buffer<halo::TreePoint> point(GetParam(), points);
    Buffer<halo::TreeNode> node(GetParam(), std::vector<halo::TreeNode>(2 * shape.n_leaves()));  // 0 is none
    const halo::Band band{0.75f, 0.76f};
    halo::build_nodes(exec(), {100, shape.depth, point.data(), node.data()}, band);
    const std::vector<halo::TreeNode> nodes = node.to_vector();
    for (Index k = 1; k < nodes.size(); ++k) {
        float low = 2, high = -2;
        for (Index i = shape.begin(k); i < shape.end(k); ++i) {
            low = std::min(low, points[i].y);
            high = std::max(high, points[i].y);
        }
        EXPECT_EQ(nodes[k].low.y, low);
        EXPECT_EQ(nodes[k].high.y, high);
        const Vec3f d = nodes[k].high - nodes[k].low;
        EXPECT_EQ(nodes[k].friends, dot(d, d) <= 0.75f ? 1u : 0u) << k;
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(KdBoxes);

TEST(Separation, TheBandHoldsTheDistanceAndIsNarrow)
{
    for (const double d : {1e-3, 0.1, 1.0}) {
        const halo::Band band = halo::Band::around(d);
        EXPECT_LT(band.certain, d * d);
        EXPECT_GT(band.possible, d * d);
        EXPECT_LT(band.possible - band.certain, 0.01 * d * d);
    }
    EXPECT_LT(halo::Band::around(1e-9).certain, 0);  // below the resolution of float nothing is certain
}

TEST(Separation, PeriodicBoxesMeasureTheShorterWay)
{
    const halo::FrameMetric<true> metric{2.0f};
    const halo::FrameMetric<false> open{};
    const Vec3f a{-0.875f, 0, 0}, b{0.875f, 0.5f, 0};
    EXPECT_EQ(metric.squared(a, b), 0.0625f + 0.25f);
    EXPECT_EQ(open.squared(a, b), 3.0625f + 0.25f);
    const halo::TreeNode box{{0.5f, 0.25f, -1}, 0, {0.875f, 0.5f, 1}, 0};
    EXPECT_EQ(metric.squared(a, box), 0.0625f + 0.0625f);
    EXPECT_EQ(metric.squared(b, box), 0.0f);
    EXPECT_EQ(open.squared(a, box), 1.375f * 1.375f + 0.0625f);
    const halo::TreeNode other{{-0.875f, 0.25f, 0}, 0, {-0.5f, 0.25f, 0}, 0};
    EXPECT_EQ(metric.squared(box, other), 0.0625f);
    EXPECT_EQ(open.squared(box, other), 1.0f);
}

}  // namespace
}  // namespace aureole::test
