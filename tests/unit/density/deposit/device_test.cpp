// Deposits on each backend against those of the CPU: the same cells, streams and totals.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/support/backends.hpp"
#include "tests/unit/density/octree/octree_trees.hpp"

namespace aureole::test::device_test {
namespace {

class DeviceDeposit : public OnEachBackend {
protected:
    void expect_that_of_the_cpu(Particles& host, const DepositConfig& config)
    {
        const DensityGrid expected = deposit({}, host.view(), config);
        const DensityGrid found = deposit(exec(), host.view(), config);
        const auto n = static_cast<double>(config.grid.n_cells());
        const double mean = expected.total_mass() / n, total = total_mass(host);
        double speed = 1;
        for (std::int64_t c = 0; c < config.grid.n_cells(); ++c) {
            ASSERT_NEAR(found.mass(c), expected.mass(c), 1e-12 * mean) << "cell " << c;
            if (config.fields.streams) {
                ASSERT_EQ(found.streams(c), expected.streams(c)) << "cell " << c;
            }
            if (!config.fields.moments()) continue;
            const Vec3 p = found.momentum(c), q = expected.momentum(c);
            speed = std::fmax(speed, std::sqrt(dot(q, q)) / mean);
            ASSERT_NEAR(std::sqrt(dot(p - q, p - q)), 0, 1e-12 * mean * speed) << "cell " << c;
            if (expected.mass(c) > 1e-3 * mean) {
                ASSERT_NEAR(found.dispersion(c), expected.dispersion(c), 1e-6 * speed) << "cell " << c;
            }
        }
        EXPECT_NEAR(found.signed_volume, expected.signed_volume, 1e-13);
        if (config.grid.wraps(0)) {
            EXPECT_NEAR(found.total_mass(), total, 1e-14 * total);
        }
    }
};

TEST_P(DeviceDeposit, CrossedStreamsOnAFineGrid)
{
    Particles host = sheet(11, crossed);
    expect_that_of_the_cpu(host, config_of(whole_box(20), {.streams = true}));
}

TEST_P(DeviceDeposit, TetrahedraOfManyTiles)
{
    Particles host = sheet(4, crossed);
    expect_that_of_the_cpu(host, config_of(whole_box(37), {.streams = true}));
}

TEST_P(DeviceDeposit, TetrahedraSmallerThanACell)
{
    Particles host = sheet(16, crossed);
    expect_that_of_the_cpu(host, config_of(whole_box(3), {.streams = true}));
}

TEST_P(DeviceDeposit, VelocitiesAndDispersions)
{
    Particles host = sheet(6, crossed, swirl);
    expect_that_of_the_cpu(host, config_of(whole_box(14), {.velocity = true, .dispersion = true}));
    expect_that_of_the_cpu(host, config_of(whole_box(14), {.velocity = true, .streams = true}));
}

TEST_P(DeviceDeposit, ARegionAcrossTheBoxEdge)
{
    Particles host = sheet(9, crossed, swirl);
    Grid grid = whole_box(12);
    grid.axis[0] = {7.5, 12.25, 9};
    grid.axis[1] = {-1, 3, 7};
    expect_that_of_the_cpu(host, config_of(grid, {.velocity = true, .streams = true}));
    expect_that_of_the_cpu(host, config_of(grid));
}

TEST_P(DeviceDeposit, FlatInvertedAndCoincidentTetrahedra)
{
    std::mt19937_64 engine(9);
    std::uniform_int_distribution<int> coarse(-2, 2);
    Particles host = sheet(8, [&](Vec3 q) {  // half lattice spacings, on planes between cells
        return q + Vec3{coarse(engine) * side / 16, coarse(engine) * side / 16, 0};
    });
    expect_that_of_the_cpu(host, config_of(whole_box(16), {.streams = true}));
    Particles planes = sheet(8, [&](Vec3 q) {
        return Vec3{q.x < 3 ? 1.25 : q.x < 6 ? 5.0 : 8.75, q.y, q.z};
    });
    expect_that_of_the_cpu(planes, config_of(whole_box(8)));
}

TEST_P(DeviceDeposit, BitsRepeat)
{
    Particles host = sheet(10, crossed, swirl);
    const DepositConfig config = config_of(whole_box(16), {.velocity = true});
    const DensityGrid first = deposit(exec(), host.view(), config),
                      second = deposit(exec(), host.view(), config);
    for (std::int64_t c = 0; c < config.grid.n_cells(); ++c) {
        ASSERT_EQ(first.mass(c), second.mass(c));
        ASSERT_EQ(first.momentum(c).x, second.momentum(c).x);
    }
}

/// Shares in float: cells a little off, all that counts exact; on the CPU it is the same as double.
TEST_P(DeviceDeposit, MixedPrecisionKeepsTotalsAndStreams)
{
    Particles host = sheet(9, crossed, swirl);
    for (const bool moments : {false, true}) {
        DepositConfig config = config_of(whole_box(23), {.velocity = moments, .streams = true});
        const DensityGrid exact = deposit({}, host.view(), config);
        config.precision = Precision::mixed;
        const DensityGrid found = deposit(exec(), host.view(), config);
        const double total = total_mass(host);
        const double mean = total / static_cast<double>(config.grid.n_cells());
        const bool same = precision_on(exec().backend, config.precision) == Precision::double_precision;
        double largest = 0;
        for (std::int64_t c = 0; c < config.grid.n_cells(); ++c) {
            largest = std::fmax(largest, std::fabs(found.mass(c) - exact.mass(c)));
            ASSERT_EQ(found.streams(c), exact.streams(c)) << "cell " << c;
        }
        EXPECT_LE(largest, same ? 0 : 1e-5 * mean);
        EXPECT_EQ(largest == 0, same) << "float was not used";
        EXPECT_NEAR(found.total_mass(), total, 1e-10 * total);
        if (!moments) continue;
        const Vec3 p = found.total_momentum(), q = exact.total_momentum();
        EXPECT_NEAR(std::sqrt(dot(p - q, p - q)), 0, 1e-10 * side * total);
    }
}

TEST_P(DeviceDeposit, MixedPrecisionKeepsTheMassOfLeaves)
{
    Particles host = sheet(12, crossed);
    OctreeConfig config = octree_config(8, 2000, 2);
    config.precision = Precision::mixed;
    const double total = total_mass(host);
    EXPECT_NEAR(octree_cells(host, config, exec()).totals.mass, total, 1e-10 * total);
}

TEST_P(DeviceDeposit, BlocksSharedWithThreadsAddUpToTheSameCells)
{
    Particles host = sheet(40, crossed, swirl);  // 125 blocks
    DepositConfig config = config_of(whole_box(16), {.velocity = true, .streams = true});
    config.shared = true;
    expect_that_of_the_cpu(host, config);
    Particles small = sheet(12, crossed);
    OctreeConfig octree = octree_config(8, 2000, 2);
    octree.shared = true;
    EXPECT_NEAR(octree_cells(small, octree, exec()).totals.mass, total_mass(small),
                1e-14 * total_mass(small));
}

TEST_P(DeviceDeposit, LeavesOfAnOctree)
{
    Particles host = sheet(12, crossed, swirl);
    OctreeConfig config = octree_config(8, 2000, 2, {.velocity = true, .streams = true});
    config.batch_bytes = 1 << 20;
    const OctreeCells expected = octree_cells(host, config), found = octree_cells(host, config, exec());
    ASSERT_EQ(found.order, expected.order);
    const double total = total_mass(host);
    for (Index node = 0; node < expected.tree().n_nodes(); ++node)
        for (std::size_t c = 0; c < expected.mass[node].size(); ++c) {
            const double mean = total / static_cast<double>(expected.tree().n_leaves() * 512);
            ASSERT_NEAR(found.mass[node][c], expected.mass[node][c], 1e-12 * mean);
            ASSERT_EQ(found.streams[node][c], expected.streams[node][c]);
        }
    EXPECT_NEAR(found.totals.mass, total, 1e-14 * total);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(DeviceDeposit);

}  // namespace
}  // namespace aureole::test::device_test
