// Volumes by number of streams: counted at cells, and their mean from the volumes of all tetrahedra.
#include "density/deposit/density_grid.hpp"
#include "density/sheet/sheet_volume.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/core/error.hpp"
#include "tests/unit/density/sheets.hpp"

namespace aureole::test::stream_volumes_test {
namespace {

TEST(StreamVolumes, OfAPlaneWaveAreItsLengths)
{
    constexpr Index n = 16;
    constexpr std::int64_t cells = 500;
    constexpr double amplitude = 3;
    Particles host = sheet(n, [](Vec3 q) { return Vec3{wave(q.x, amplitude), q.y, q.z}; });
    Grid grid = whole_box(1);
    grid.axis[0].cells = cells;
    const DensityGrid streams = deposited(host, config_of(grid, {.streams = true}));
    const std::vector<StreamVolume> volumes = stream_volumes(streams);
    ASSERT_EQ(volumes.size(), 2u);
    EXPECT_EQ(volumes[0].streams, 1u);
    EXPECT_EQ(volumes[1].streams, 3u);
    EXPECT_NEAR(volumes[0].fraction + volumes[1].fraction, 1, 1e-15);
    double mean = 0;
    for (Index k = 0; k < n; ++k)
        mean += std::fabs(wave(side / n * (k + 1), amplitude) - wave(side / n * k, amplitude)) / side;
    const double sampled = volumes[0].fraction + 3 * volumes[1].fraction;
    EXPECT_NEAR(sampled, mean, 4.0 / cells);
    EXPECT_NEAR(mean_streams(host.view(), {side}, make_lattice(host.view(), {side})), mean, 1e-12);
}

TEST(StreamVolumes, AnUndisturbedLatticeIsOneStreamEverywhere)
{
    Particles host = sheet(4, [](Vec3 q) { return q + Vec3{0.1, 0.2, 0.3}; });
    const DensityGrid grid = deposited(host, config_of(whole_box(3), {.streams = true}));
    const std::vector<StreamVolume> volumes = stream_volumes(grid);
    ASSERT_EQ(volumes.size(), 1u);
    EXPECT_EQ(volumes[0].fraction, 1);
    EXPECT_NEAR(mean_streams(host.view(), {side}, make_lattice(host.view(), {side})), 1, 1e-14);
    EXPECT_THROW(stream_volumes(deposited(host, config_of(whole_box(3)))), Error);
}

TEST(StreamVolumes, TheMeanOfManyTetrahedraKeepsItsDigits)
{
    Particles host = sheet(48, [](Vec3 q) { return q; });
    EXPECT_NEAR(mean_streams(host.view(), {side}, make_lattice(host.view(), {side})), 1, 2e-15);
}

}  // namespace
}  // namespace aureole::test::stream_volumes_test
