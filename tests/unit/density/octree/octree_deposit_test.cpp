// Fields of octrees: against uniform grids where cells coincide, totals, averages, bits, memory, refusals.
#include <omp.h>

#include <algorithm>

#include "density/deposit/tetrahedron_tasks.hpp"
#include "density/octree/octree.hpp"
#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/unit/density/octree/octree_trees.hpp"

namespace aureole::test::octree_deposit_test {
namespace {

constexpr Fields everything{.velocity = true, .dispersion = true, .streams = true};

/// Leaves, and averages of nodes above them, against the grid of each level.
void expect_cells_of_grids(Particles& host, const OctreeConfig& config)
{
    const OctreeCells octree = octree_cells(host, config);
    const Octree& tree = octree.tree();
    ASSERT_GE(tree.n_levels(), 3u);
    for (Index level = 0; level < tree.n_levels(); ++level) {
        Grid grid = config.root;
        for (GridAxis& axis : grid.axis) axis.cells <<= level;
        const DensityGrid uniform = deposited(host, config_of(grid, config.fields));
        const double mean = uniform.total_mass() / static_cast<double>(grid.n_cells());
        for (Index node = tree.first_of_level[level]; node < tree.first_of_level[level + 1]; ++node)
            for_each_cell_of(tree, node, [&](std::size_t cell, std::int64_t same) {
                ASSERT_NEAR(octree.mass[node][cell], uniform.mass(same), 1e-12 * mean);
                if (tree.is_leaf(node)) {
                    ASSERT_EQ(octree.streams[node][cell], uniform.streams(same));
                }
                if (uniform.mass(same) < 1e-3 * mean) return;  // else differences of small numbers
                const Vec3 v = octree.velocity[node][cell] - uniform.velocity(same);
                ASSERT_LT(std::sqrt(dot(v, v)), 1e-8);
                ASSERT_NEAR(octree.dispersion[node][cell], uniform.dispersion(same), 1e-6);
            });
    }
}

TEST(OctreeDeposit, CellsAreThoseOfUniformGridsOfTheirSize)
{
    Particles host = sheet(8, crossed, swirl);
    expect_cells_of_grids(host, octree_config(4, 800, 3, everything));
    expect_cells_of_grids(host, octree_config(6, 500, 2, everything));
}

TEST(OctreeDeposit, CellsOfARegionAcrossTheBoxAreThoseOfItsGrids)
{
    Particles host = sheet(8, crossed, swirl);
    OctreeConfig config = octree_config(4, 300, 3, everything);
    config.root.axis[0] = {-2, 1.5, 4};
    config.root.axis[1] = {8, 11.5, 4};
    config.root.axis[2] = {3, 6.5, 4};
    expect_cells_of_grids(host, config);
}

/// A lattice whose corners and faces lie on planes of cells of all levels, folded flat in part.
TEST(OctreeDeposit, AFoldedSheetOnThePlanesOfCellsIsCountedOnce)
{
    Particles host = sheet(8, [](Vec3 q) {
        const double x = q.x < 2.5 ? 2 * q.x : q.x < 5 ? 10 - 2 * q.x : 2 * q.x - 10;
        return Vec3{x, q.y < 2.5 ? 2.5 : q.y, q.z};
    });
    const OctreeConfig config = octree_config(4, 200, 3, everything);
    expect_cells_of_grids(host, config);
    const OctreeCells octree = octree_cells(host, config);
    EXPECT_NEAR(octree.totals.mass, total_mass(host), 1e-14 * total_mass(host));
}

TEST(OctreeDeposit, TotalsOfTheLeavesAreThoseOfTheParticles)
{
    for (const Index n : {2u, 3u, 8u, 11u}) {
        Particles host = sheet(n, crossed, swirl);
        OctreeConfig config = octree_config(4, 200, 3, everything);
        config.lattice.axes = "xyz";  // two sites along an axis do not tell
        const OctreeCells octree = octree_cells(host, config);
        Vec3 momentum{};
        for (Index i = 0; i < host.size(); ++i) momentum = momentum + 3.0 * host.velocity.load(i);
        const double mass = total_mass(host), scale = 15 * mass;  // of the largest speeds
        EXPECT_NEAR(octree.totals.mass, mass, 1e-14 * mass) << n;
        EXPECT_NEAR(octree.totals.momentum.x, momentum.x, 1e-14 * scale);
        EXPECT_NEAR(octree.totals.momentum.y, momentum.y, 1e-14 * scale);
        EXPECT_NEAR(octree.totals.momentum.z, momentum.z, 1e-14 * scale);
        double sum = 0;
        for (const double cell : octree.mass[0]) sum += cell;
        EXPECT_NEAR(sum, mass, 1e-13 * mass);
    }
}

TEST(OctreeDeposit, NodesAboveTheLeavesAreSumsAndMeansOfTheirChildren)
{
    Particles host = sheet(6, crossed, swirl);
    const OctreeCells octree = octree_cells(host, octree_config(4, 300, 3, everything));
    const Octree& tree = octree.tree();
    for (Index node = 0; node < tree.n_nodes(); ++node) {
        if (tree.is_leaf(node)) continue;
        for (Index i = 0; i < 4; ++i)
            for (Index j = 0; j < 4; ++j)
                for (Index k = 0; k < 4; ++k) {
                    const Index child = tree.nodes[node].first_child + 4 * (i / 2) + 2 * (j / 2) + k / 2;
                    double mass = 0, streams = 0;
                    Vec3 momentum{};
                    for (Index sub = 0; sub < 8; ++sub) {
                        const Index x = 2 * i % 4 + (sub >> 2), y = 2 * j % 4 + (sub >> 1 & 1),
                                    z = 2 * k % 4 + (sub & 1);
                        const std::size_t cell = (x * 4 + y) * 4 + z;
                        mass += octree.mass[child][cell];
                        streams += octree.streams[child][cell] / 8;
                        momentum = momentum + octree.mass[child][cell] * octree.velocity[child][cell];
                    }
                    const std::size_t at = (i * 4 + j) * 4 + k;
                    EXPECT_NEAR(octree.mass[node][at], mass, 1e-14 * mass);
                    EXPECT_NEAR(octree.streams[node][at], streams, 1e-14 * streams);
                    EXPECT_NEAR(octree.velocity[node][at].y, momentum.y / mass, 1e-12);
                }
    }
}

TEST(OctreeDeposit, EachNodeIsHandedOutOnceAfterItsChildren)
{
    Particles host = sheet(6, crossed);
    const OctreeCells octree = octree_cells(host, octree_config(4, 100, 4));
    const Octree& tree = octree.tree();
    std::vector<int> seen(tree.n_nodes());
    for (const Index node : octree.order) {
        ++seen[node];
        if (tree.is_leaf(node)) continue;
        for (Index child = 0; child < 8; ++child) EXPECT_EQ(seen[tree.nodes[node].first_child + child], 1);
    }
    EXPECT_EQ(std::ranges::count(seen, 1), std::ssize(seen));
}

TEST(OctreeDeposit, OpenNodesAreNoMoreThanLevels)
{
    Particles host = sheet(6, crossed);
    const OctreePlan plan = plan_octree(host.view(), octree_config(4, 100, 4));
    OctreeAverages averages(plan.tree(), 1, false);
    const PatchSums patch{std::vector<double>(64, 1.0), {}};
    for (const Index leaf : leaves_depth_first(plan.tree())) {
        averages.add(leaf, patch, [](Index, const PatchSums&) {});
        EXPECT_LT(averages.n_open(), plan.tree().n_levels());
    }
    EXPECT_EQ(averages.n_open(), 0u);
}

TEST(OctreeDeposit, ThreadsAndBatchesChangeNoBit)
{
    Particles host = sheet(8, crossed, swirl);
    OctreeConfig config = octree_config(4, 500, 3, everything);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const OctreeCells one = octree_cells(host, config);
    omp_set_num_threads(5);
    config.batch_bytes = 1;
    const OctreeCells five = octree_cells(host, config);
    omp_set_num_threads(threads);
    EXPECT_EQ(five.plan.leaves_per_batch(), 1u);
    EXPECT_EQ(one.plan.octree.block, five.plan.octree.block);
    EXPECT_EQ(one.plan.octree.first, five.plan.octree.first);
    EXPECT_EQ(one.order, five.order);
    EXPECT_EQ(one.mass, five.mass);
    EXPECT_EQ(one.streams, five.streams);
    EXPECT_EQ(one.dispersion, five.dispersion);
    EXPECT_EQ(one.totals.mass, five.totals.mass);
    EXPECT_EQ(one.totals.momentum.x, five.totals.momentum.x);
}

TEST(OctreeDeposit, ProgressGrowsToOne)
{
    Particles host = sheet(4, crossed);
    OctreeConfig config = octree_config(4, 100, 2);
    config.batch_bytes = 20000;
    std::vector<double> told;
    config.progress.report = [&](double fraction, std::string_view) { told.push_back(fraction); };
    octree_cells(host, config);
    EXPECT_GT(told.size(), 2u);
    EXPECT_TRUE(std::ranges::is_sorted(told));
    EXPECT_EQ(told.back(), 1);
}

TEST(OctreeDeposit, MemoryBesideTheBatchIsWithinThirtyTwoBytesAParticle)
{
    Particles host = sheet(16, crossed);
    OctreeConfig config = octree_config(8, 2000, 4);
    config.batch_bytes = 1 << 19;
    const OctreePlan plan = plan_octree(host.view(), config);
    const OctreeMemory memory = octree_memory(Backend::cpu, plan);
    EXPECT_EQ(memory.order, 8 * host.size());
    EXPECT_LT(memory.order + memory.tree, 32 * host.size());
    const std::size_t leaf = 512 * sizeof(FixedSum);
    EXPECT_EQ(plan.leaves_per_batch(), config.batch_bytes / leaf);
    EXPECT_EQ(memory.batch, config.batch_bytes);
    EXPECT_EQ(memory.open, 6 * 512 * sizeof(double));
    EXPECT_EQ(memory.device(), 0u);
    const std::size_t leaves = plan.tree().n_leaves(), batch = plan.leaves_per_batch();
    const std::size_t least = leaves * sizeof(Index) + batch * (sizeof(Grid) + sizeof(Patch));
    EXPECT_GT(memory.lists, least);
    EXPECT_LE(memory.lists, least + plan.octree.block.size() * sizeof(TetrahedronTask));
}

TEST(OctreeDeposit, ATreeTakesTheMemoryThatIsToldAndNoMore)
{
    Particles host = sheet(16, crossed);
    OctreeConfig config = octree_config(4, 200, 5);
    config.batch_bytes = 1;  // nodes are many and patches few
    const OctreePlan plan = plan_octree(host.view(), config);
    const Octree& tree = plan.tree();
    const auto held = [](const auto& vector) { return vector.capacity() * sizeof(vector[0]); };
    const OctreeMemory memory = octree_memory(Backend::cpu, plan);
    EXPECT_EQ(memory.tree + sizeof(std::size_t), held(tree.nodes) + held(tree.parent) + held(tree.place) +
                                                     held(plan.octree.first) + held(plan.octree.block));
    // at least the blocks of the leaves of the last level, by node and by block
    std::size_t pairs = 0;
    for (Index node = tree.first_of_level[5]; node < tree.n_nodes(); ++node)
        pairs += plan.octree.blocks(node).size();
    EXPECT_GT(memory.building, pairs * 18);
    EXPECT_GT(memory.building, memory.in_flight());
    EXPECT_EQ(memory.host(), memory.order + memory.tree + memory.building);
}

TEST(OctreeDeposit, RequestsThatAreNoOctreeAreRefused)
{
    Particles host = sheet(4, crossed);
    const auto refusal = [&](OctreeConfig config) {
        return message_of<Error>([&] { plan_octree(host.view(), config); });
    };
    OctreeConfig config = octree_config(4, 100, 2);
    config.root.axis[1].high = 5;
    EXPECT_NE(refusal(config).find("10 x 5 x 10, expected a cube"), std::string::npos);
    config.root.axis[0] = config.root.axis[1] = config.root.axis[2] = {0, 12, 4};
    EXPECT_NE(refusal(config).find("larger than the box of side 10"), std::string::npos);
    config.root.axis[0] = config.root.axis[1] = config.root.axis[2] = {-11, -3, 4};
    EXPECT_NE(refusal(config).find("from -11 to -3 is far from the box of side 10"), std::string::npos);
    EXPECT_NE(refusal(octree_config(5, 100, 2)).find("a patch of 5 x 5 x 5 cells"), std::string::npos);
    EXPECT_NE(refusal(octree_config(0, 100, 2)).find("even number"), std::string::npos);
    EXPECT_NE(refusal(octree_config(4, 100, 29)).find("too fine"), std::string::npos);
    EXPECT_NE(refusal(octree_config(1024, 0, 20)).find("more than 1"), std::string::npos);
    config = octree_config(4, 100, 2);
    config.root.box.side = 0;
    EXPECT_NE(refusal(config), "");
}

}  // namespace
}  // namespace aureole::test::octree_deposit_test
