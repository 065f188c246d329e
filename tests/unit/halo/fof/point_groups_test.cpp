// Groups of points hold every point once, and few enough of them.
#include "halo/fof/point_groups.hpp"

#include <gtest/gtest.h>

namespace aureole::test::point_groups_test {
namespace {

using halo::PointGroups;

halo::LinkTree tree_of(const BalancedTree& shape) { return {{shape, nullptr}}; }

/// Leaves of `leaf_size` one after the other.
halo::LinkTree filled(const BalancedTree& shape, Index leaf_size)
{
    halo::LinkTree tree = tree_of(shape);
    tree.fill_leaves(leaf_size);
    return tree;
}

void expect_sound_groups(const halo::LinkTree& tree)
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
            for (const int max_depth : {0, 1, 4, BalancedTree::largest_depth}) {
                const BalancedTree shape{n, BalancedTree::depth_for(n, leaf_size, max_depth)};
                expect_sound_groups(tree_of(shape));
                expect_sound_groups(filled(shape, leaf_size));
            }
}

TEST(PointGroups, AreFullButForTheLastOfFilledLeaves)
{
    const halo::LinkTree tree = filled(BalancedTree::over(1025, 8), 8);
    const PointGroups groups = PointGroups::of(tree);
    EXPECT_EQ(groups.size(), 33u);
    for (Index g = 0; g < 32; ++g) EXPECT_EQ(groups.end(tree, g) - groups.begin(tree, g), 32u) << g;
    EXPECT_EQ(groups.end(tree, 32) - groups.begin(tree, 32), 1u);
}

TEST(PointGroups, AreNodesWhereLeavesAreSmall)
{
    const halo::LinkTree tree = tree_of(BalancedTree::over(1024, 8));
    const PointGroups groups = PointGroups::of(tree);
    EXPECT_EQ(groups.size(), 32u);
    EXPECT_EQ(groups.per_node, 1u);
    EXPECT_EQ(groups.node(3), 35u);
}

TEST(PointGroups, ArePiecesOfLargeLeaves)
{
    const halo::LinkTree tree = tree_of({100, 0});
    const PointGroups groups = PointGroups::of(tree);
    EXPECT_EQ(groups.size(), 4u);
    EXPECT_EQ(groups.begin(tree, 3), 96u);
    EXPECT_EQ(groups.end(tree, 3), 100u);
}

TEST(PointGroups, NumberAsManyPointsAsThereCanBe)
{
    const Index n = 0xfffffffeu;
    for (const halo::LinkTree& tree :
         {tree_of(BalancedTree::over(n, 8)), filled(BalancedTree::over(n, 8), 8)}) {
        const PointGroups groups = PointGroups::of(tree);
        EXPECT_EQ(groups.end(tree, groups.size() - 1), n);
    }
}

}  // namespace
}  // namespace aureole::test::point_groups_test
