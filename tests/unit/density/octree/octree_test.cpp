// Where octrees have nodes: leaves fill the root once, refinement against a slow count of cubes, boxes around
// the periodic box.
#include <omp.h>

#include "tests/unit/density/octree/octree_trees.hpp"

namespace aureole::test::octree_test {
namespace {

TEST(PeriodicInterval, ReachesByImages)
{
    const PeriodicInterval inside = PeriodicInterval::of(2, 3, 10);
    EXPECT_TRUE(inside.reaches(2.5, 5, 10));
    EXPECT_TRUE(inside.reaches(0, 2.1, 10));
    EXPECT_FALSE(inside.reaches(0, 2, 10));  // a point on a plane is in the cell above
    EXPECT_TRUE(inside.reaches(3, 5, 10));   // which this one may be
    EXPECT_FALSE(inside.reaches(3.1, 10, 10));
    for (const double shift : {0.0, 10.0}) {
        const PeriodicInterval across = PeriodicInterval::of(-1 + shift, 2 + shift, 10);
        EXPECT_TRUE(across.reaches(0, 1, 10)) << shift;
        EXPECT_TRUE(across.reaches(9.5, 10, 10));
        EXPECT_FALSE(across.reaches(2.5, 9, 10));
    }
    const PeriodicInterval whole = PeriodicInterval::of(-7, 6, 10);
    EXPECT_TRUE(whole.reaches(4, 4.1, 10));
}

TEST(Octree, NodesWithoutRulesAreTheirRoot)
{
    Particles host = sheet(4, crossed);
    const OctreePlan plan = plan_octree(host.view(), octree_config(2, 0, 0));
    ASSERT_EQ(plan.tree().n_nodes(), 1u);
    EXPECT_EQ(plan.tree().n_leaves(), 1u);
    EXPECT_EQ(plan.octree.blocks(0).size(), 1u);
    EXPECT_EQ(plan.tree().nodes[0].size, side);
    const Octree many = plan_octree(host.view(), octree_config(2, 0, 3)).tree();
    EXPECT_EQ(many.n_leaves(), 512u);  // all is overlapped
    EXPECT_EQ(many.n_levels(), 4u);
}

/// In a tree that has many: children lie in their parents, leaves fill the root.
TEST(Octree, LeavesTileTheRootExactlyOnce)
{
    Particles host = sheet(8, crossed);
    OctreeConfig config = octree_config(4, 300, 4);
    for (GridAxis& axis : config.root.axis) axis = {-1, 5, 4};
    const Octree tree = plan_octree(host.view(), config).tree();
    ASSERT_EQ(tree.n_levels(), 5u);
    ASSERT_LT(tree.n_leaves(), 4096u);
    std::vector<int> covered(16 * 16 * 16);
    for (Index node = 0; node < tree.n_nodes(); ++node) {
        const OctreeNode& it = tree.nodes[node];
        EXPECT_EQ(it.size, std::ldexp(6.0, -static_cast<int>(it.level)));
        EXPECT_NEAR(it.low.x, -1 + it.size * tree.place[node][0], 1e-15);
        EXPECT_TRUE(node >= tree.first_of_level[it.level] && node < tree.first_of_level[it.level + 1]);
        if (node > 0) {
            const OctreeNode& mother = tree.nodes[tree.parent[node]];
            EXPECT_EQ(it.level, mother.level + 1);
            const Index octant = node - mother.first_child;
            EXPECT_EQ(tree.place[node][0], 2 * tree.place[tree.parent[node]][0] + (octant >> 2));
            EXPECT_EQ(tree.place[node][1], 2 * tree.place[tree.parent[node]][1] + (octant >> 1 & 1));
            EXPECT_EQ(tree.place[node][2], 2 * tree.place[tree.parent[node]][2] + (octant & 1));
        }
        if (!tree.is_leaf(node)) continue;
        const Index wide = 16u >> it.level;
        for (Index i = 0; i < wide; ++i)
            for (Index j = 0; j < wide; ++j)
                for (Index k = 0; k < wide; ++k)
                    ++covered[((tree.place[node][0] * wide + i) * 16 + tree.place[node][1] * wide + j) * 16 +
                              tree.place[node][2] * wide + k];
    }
    for (const int times : covered) EXPECT_EQ(times, 1);
}

/// Cubes of the sheet whose boxes reach into a node, by all their images, in the particles' unit.
Index slow_count(Particles& host, const Lattice& lattice, const OctreeNode& node)
{
    const Index n = lattice.side;
    Index count = 0;
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
            for (Index k = 0; k < n; ++k) {
                Vec3 low{}, high{};
                const auto at = [&](Index c) {
                    const std::size_t x = (i + (c >> 2)) % n, y = (j + (c >> 1 & 1)) % n,
                                      z = (k + (c & 1)) % n;
                    return host.position.load(lattice.particle.data()[(x * n + y) * n + z]);
                };
                low = high = at(0);
                for (Index c = 1; c < 8; ++c) {
                    const Vec3 x = at(0) + Box{side}.nearest(at(c) - at(0));
                    low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
                    high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
                }
                const auto reaches = [&](double from, double to, double begin) {
                    for (int image = -2; image <= 2; ++image)
                        if (from + image * side < begin + node.size && to + image * side >= begin)
                            return true;
                    return false;
                };
                if (reaches(low.x, high.x, node.low.x) && reaches(low.y, high.y, node.low.y) &&
                    reaches(low.z, high.z, node.low.z))
                    ++count;
            }
    return count;
}

TEST(Octree, NodesAreRefinedWhereASlowCountOfTetrahedraSaysSo)
{
    constexpr std::uint64_t above = 700;
    for (const Index n : {4u, 7u, 11u}) {  // blocks that are not full, and several
        Particles host = sheet(n, crossed);
        OctreeConfig config = octree_config(4, above, 3);
        for (const bool region : {false, true}) {
            if (region)
                for (GridAxis& axis : config.root.axis) axis = {-2, 5, 4};
            const OctreePlan plan = plan_octree(host.view(), config);
            for (const OctreeNode& node : plan.tree().nodes) {
                const std::uint64_t tetrahedra = 6 * slow_count(host, plan.lattice, node);
                EXPECT_EQ(node.first_child != no_child, tetrahedra > above && node.level < 3) << tetrahedra;
            }
        }
    }
}

TEST(Octree, BlocksOfALeafAreThoseWithCubesInIt)
{
    Particles host = sheet(11, crossed);  // 8 blocks
    const OctreePlan plan = plan_octree(host.view(), octree_config(4, 500, 3));
    const CellCoordinates cells(plan.tree().root);
    CubeBoxes boxes({host.view(), plan.lattice}, cells);
    for (Index node = 0; node < plan.tree().n_nodes(); ++node) {
        std::vector<Index> expected;
        for (Index block = 0; block < 8 && plan.tree().is_leaf(node); ++block) {
            bool any = false;
            for (const PeriodicBox& box : boxes.of(block))
                any = any || cube_of(plan.tree(), node).reached_by(box, cells.period());
            if (any) expected.push_back(block);
        }
        const std::span<const Index> found = plan.octree.blocks(node);
        EXPECT_EQ(std::vector<Index>(found.begin(), found.end()), expected);
    }
}

TEST(Octree, TheBoxOfABlockHoldsThoseOfItsCubes)
{
    for (const double shift : {0.0, 4.0, 9.0}) {  // blocks across the box's edges
        Particles host = sheet(16, [&](Vec3 q) { return crossed(q) + Vec3{shift, -shift, 2 * shift}; });
        const Lattice lattice = make_lattice(host.view(), {side});
        const CellCoordinates cells(whole_box(4));
        CubeBoxes boxes({host.view(), lattice}, cells);
        std::vector<Index> blocks(LatticeBlocks{lattice.side}.count());
        std::iota(blocks.begin(), blocks.end(), Index{0});
        const std::vector<PeriodicBox> all = block_boxes({host.view(), lattice}, blocks, cells);
        for (Index block = 0; block < all.size(); ++block)
            for (const PeriodicBox& cube : boxes.of(block))
                for (int a = 0; a < 3; ++a) {
                    const PeriodicInterval &in = cube.axis[a], &out = all[block].axis[a];
                    EXPECT_TRUE(out.high - out.low == 4 || (in.low >= out.low && in.high <= out.high) ||
                                (in.low + 4 >= out.low && in.high + 4 <= out.high))
                        << in.low << ' ' << in.high << " in " << out.low << ' ' << out.high;
                }
        EXPECT_LT(all[0].axis[2].high - all[0].axis[2].low, 4);  // not just everything
    }
}

TEST(Octree, ARegionOfEmptyHaloesTakesOnlyWhatReachesIt)
{
    Particles host = sheet(16, [](Vec3 q) { return q; });
    OctreeConfig config = octree_config(4, 1000, 3);
    for (GridAxis& axis : config.root.axis) axis = {1.1, 2.1, 4};
    const OctreePlan plan = plan_octree(host.view(), config);
    EXPECT_EQ(plan.tree().n_nodes(), 1u);  // 27 cubes
    EXPECT_EQ(plan.octree.blocks(0).size(), 1u);
}

}  // namespace
}  // namespace aureole::test::octree_test
