// The boxes of the tree's nodes, and distances between them, against plain loops.
#include "halo/fof/linking.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::link_tree_test {
namespace {

using halo::LinkTree;

class LinkNodes : public OnEachBackend {
protected:
    void expect_tight_boxes(Index n, bool phase, bool filled)
    {
        const Points x = uniform_points(n, 6), v = uniform_points(n, 7);
        const BalancedTree shape = BalancedTree::over(n, halo::LinkTree::default_leaf_size);
        std::vector<halo::TreePoint> points;
        std::vector<halo::TreeVelocity> velocities;
        for (Index i = 0; i < n; ++i) {
            points.push_back(
                {static_cast<float>(x[i][0]), static_cast<float>(x[i][1]), static_cast<float>(x[i][2]), i});
            velocities.push_back({static_cast<float>(v[i][0]), 0, static_cast<float>(v[i][2]), 0});
        }
        Buffer<halo::TreePoint> point(GetParam(), points);
        Buffer<halo::TreeVelocity> velocity(GetParam(), velocities);
        Buffer<halo::LinkNode> node(GetParam(), std::vector<halo::LinkNode>(shape.n_places()));
        Buffer<PaddedBox> velocity_box(GetParam(), std::vector<PaddedBox>(shape.n_places()));
        const float length = phase ? 1.75f : 0.75f;
        halo::LinkTree tree{{shape, node.data()}, point.data()};
        if (filled) tree.fill_leaves(halo::LinkTree::default_leaf_size);
        if (phase) {
            tree.velocity = velocity.data();
            tree.velocity_box = velocity_box.data();
        }
        halo::build_link_nodes(exec(), tree, {length, length + 0.01f});
        const std::vector<halo::LinkNode> nodes = node.to_vector();
        const std::vector<PaddedBox> boxes = velocity_box.to_vector();
        for (Index k = 1; k < shape.n_places(); ++k) {
            auto space = BoundingBox<float>::none(), motion = space;
            for (Index i = tree.begin(k); i < tree.end(k); ++i) {
                space.include(points[i].position());
                motion.include(velocities[i].velocity());
            }
            ASSERT_EQ(nodes[k].low.y, space.low.y) << k;
            ASSERT_EQ(nodes[k].high.z, space.high.z) << k;
            float squared = space.squared_diagonal();
            if (phase) {
                ASSERT_EQ(boxes[k].low.x, motion.low.x) << k;
                ASSERT_EQ(boxes[k].high.z, motion.high.z) << k;
                squared += motion.squared_diagonal();
            }
            if (std::abs(squared - length) < 1e-5f) continue;  // a GPU may round otherwise
            ASSERT_EQ(nodes[k].friends, squared <= length ? 1u : 0u) << k;
            ASSERT_EQ(nodes[k].united, nodes[k].friends) << k;
        }
    }
};

/// The largest has more leaves than one launch climbs from.
TEST_P(LinkNodes, AreTightAndKnowFriendsAtEveryLevel)
{
    for (const Index n : {1u, 8u, 9u, 100u, 20000u})
        for (const bool phase : {false, true})
            for (const bool filled : {false, true}) expect_tight_boxes(n, phase, filled);
}

TEST(LinkTree, HoldsEachPointInTheLeafThatItNames)
{
    for (const Index n : {1u, 7u, 8u, 9u, 65u, 1000u})
        for (const bool filled : {false, true}) {
            halo::LinkTree tree{{BalancedTree::over(n, 8), nullptr}};
            if (filled) tree.fill_leaves(8);
            EXPECT_EQ(tree.begin(LinkTree::root), 0u);
            EXPECT_EQ(tree.end(LinkTree::root), n);
            for (Index i = 0; i < n; ++i)
                for (Index k = tree.leaf_of(i); k >= LinkTree::root; k = LinkTree::parent(k)) {
                    EXPECT_LE(tree.begin(k), i);
                    EXPECT_GT(tree.end(k), i);
                }
        }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(LinkNodes);

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
    const halo::LinkNode box{{0.5f, 0.25f, -1}, 0, {0.875f, 0.5f, 1}, 0};
    EXPECT_EQ(metric.squared(a, box), 0.0625f + 0.0625f);
    EXPECT_EQ(metric.squared(b, box), 0.0f);
    EXPECT_EQ(open.squared(a, box), 1.375f * 1.375f + 0.0625f);
    const halo::LinkNode other{{-0.875f, 0.25f, 0}, 0, {-0.5f, 0.25f, 0}, 0};
    EXPECT_EQ(metric.squared(box, other), 0.0625f);
    EXPECT_EQ(open.squared(box, other), 1.0f);
}

}  // namespace
}  // namespace aureole::test::link_tree_test
