// Groups of points hold every point once, and few enough of them.
#include "halo/fof/point_groups.hpp"

#include <gtest/gtest.h>

namespace aureole::test::point_groups_test {
namespace {

using halo::PointGroups;

void expect_sound_groups(const BalancedTree& tree)
{
    const PointGroups groups = PointGroups::of(tree);
    Index next = 0;
    for (Index g = 0; g < groups.size(); ++g) {
        const Index begin = groups.begin(tree, g), end = groups.end(tree, g);
        if (begin >= end) continue;
        EXPECT_EQ(begin, next);
        EXPECT_LE(end - begin, PointGroups::largest);
        EXPECT_GE(begin, tree.begin(groups.node(g)));
        EXPECT_LE(end, tree.end(groups.node(g)));
        next = end;
    }
    EXPECT_EQ(next, tree.n) << "of depth " << tree.depth;
}

TEST(PointGroups, HoldEveryPointOnceInOrder)
{
    for (const Index n : {1u, 2u, 31u, 32u, 33u, 64u, 65u, 1000u, 4097u})
        for (const Index leaf_size : {1u, 8u, 32u, 33u, 100u, 5000u})
            for (const int max_depth : {0, 1, 4, BalancedTree::largest_depth})
                expect_sound_groups({n, BalancedTree::depth_for(n, leaf_size, max_depth)});
}

TEST(PointGroups, AreNodesWhereLeavesAreSmall)
{
    const BalancedTree tree = BalancedTree::over(1024, 8);
    const PointGroups groups = PointGroups::of(tree);
    EXPECT_EQ(groups.size(), 32u);
    EXPECT_EQ(groups.per_node, 1u);
    EXPECT_EQ(groups.node(3), 35u);
}

TEST(PointGroups, ArePiecesOfLargeLeaves)
{
    const BalancedTree tree{100, 0};
    const PointGroups groups = PointGroups::of(tree);
    EXPECT_EQ(groups.size(), 4u);
    EXPECT_EQ(groups.begin(tree, 3), 96u);
    EXPECT_EQ(groups.end(tree, 3), 100u);
}

TEST(PointGroups, NumberAsManyPointsAsThereCanBe)
{
    const Index n = 0xfffffffeu;
    const BalancedTree tree = BalancedTree::over(n, 8);
    const PointGroups groups = PointGroups::of(tree);
    EXPECT_EQ(groups.end(tree, groups.size() - 1), n);
}

}  // namespace
}  // namespace aureole::test::point_groups_test
