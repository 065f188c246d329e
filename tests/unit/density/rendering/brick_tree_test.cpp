// Bricks of grids and octrees: where they are, and the ghosts around them.
#include "density/rendering/brick_tree.hpp"

#include <gtest/gtest.h>

#include "tests/unit/density/deposit/cell_fields.hpp"

namespace aureole::test::brick_tree_test {
namespace {

TEST(BrickTree, AGridFillsAPartOfItsRootAndGhostsAreNeighbours)
{
    const CellField field =
        grid_of({20, 3, 16}, {0, 0, 0}, {20, 3, 16}, [](Vec3 x) { return 100 * x.x + 10 * x.y + x.z; });
    const BrickTree tree = brick_tree(field, as_it_is);
    EXPECT_EQ(tree.cells, 16u);
    EXPECT_EQ(tree.extent.x, 20 / 32.0);
    EXPECT_EQ(tree.extent.y, 3 / 32.0);
    EXPECT_EQ(tree.size.x, 32);
    EXPECT_EQ(tree.finest, 32);
    EXPECT_EQ(tree.links, (std::vector<Index>{1, brick_mark, no_link, no_link, no_link, brick_mark | 1,
                                              no_link, no_link, no_link}));
    const auto value = [&](Index brick, Index i, Index j, Index k) {
        return tree.values[brick * tree.values_per_brick() + (std::size_t{i} * 18 + j) * 18 + k];
    };
    EXPECT_EQ(value(1, 0, 1, 1), value(0, 16, 1, 1));
    EXPECT_EQ(value(0, 17, 2, 5), value(1, 1, 2, 5));
    EXPECT_EQ(value(0, 0, 0, 0), value(0, 1, 1, 1));  // the grid's corner goes on
    EXPECT_EQ(value(0, 3, 9, 4), value(0, 3, 3, 4));
    EXPECT_EQ(tree.largest[0], 100 * 19.5f + 25 + 15.5f);
    EXPECT_EQ(tree.smallest[5], 100 * 15.5f + 5.5f);
}

TEST(BrickTree, GhostsOfAnOctreeComeFromTheLevelOfTheBrickOrAbove)
{
    const CellField field = octree_of(
        2, {0, 0, 0}, {1, 1, 1},
        [](const FieldPatch& p) {
            return p.level == 0 || (p.level == 1 && p.low.x + p.low.y + p.low.z == 0);
        },
        [](Vec3 x) { return x.x; });
    const BrickTree tree = brick_tree(field, as_it_is);
    EXPECT_EQ(tree.finest, 8);
    const auto brick_at = [&](Index link) { return tree.links[link] & ~brick_mark; };
    // the coarse neighbour sees the parent of the fine ones: averages at its own spacing
    EXPECT_EQ(tree.values[brick_at(1 + 4) * 64 + 0 * 16 + 1 * 4 + 1], 0.375f);
    // the fine brick beside it sees the coarse cell
    const Index fine = tree.links[1] + 4;
    EXPECT_EQ(tree.values[brick_at(fine) * 64 + 3 * 16 + 1 * 4 + 1], 0.625f);
}

TEST(BrickTree, ItsBytesAreKnownFromTheCellsAlone)
{
    const auto bytes_of = [](const BrickTree& tree) {
        return sizeof(float) * (tree.values.size() + tree.smallest.size() + tree.largest.size()) +
               sizeof(Index) * tree.links.size();
    };
    const CellField octree = octree_of(
        8, {0, 0, 0}, {1, 1, 1}, [](const FieldPatch& p) { return p.level < 2; }, [](Vec3 x) { return x.x; });
    const CellField grid = grid_of({70, 3, 33}, {0, 0, 0}, {1, 1, 1}, [](Vec3 x) { return x.x; });
    for (const CellField& field : {grid, octree}) {
        const std::size_t told = brick_tree_bytes({field.cells, field.patches, {}});
        const std::size_t taken = bytes_of(brick_tree(field, as_it_is));
        EXPECT_GE(told, taken);
        EXPECT_LE(static_cast<double>(told), 1.02 * static_cast<double>(taken)) << "lists while it is made";
    }
}

}  // namespace
}  // namespace aureole::test::brick_tree_test
