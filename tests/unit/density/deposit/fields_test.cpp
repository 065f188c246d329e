// Streams, velocities, mass assignment, sub-lattices and flat sheets of whole deposits, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "density/deposit/deposit_tetrahedron.hpp"
#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/unit/density/sheets.hpp"

namespace aureole::test::fields_test {
namespace {

TEST(DepositFields, APlaneWaveHasOneStreamOutsideItsCausticsAndThreeBetween)
{
    constexpr Index n = 16;
    constexpr std::int64_t cells = 40;
    constexpr double amplitude = 3;
    Particles host = sheet(n, [](Vec3 q) { return Vec3{wave(q.x, amplitude), q.y + 0.01, q.z + 0.02}; });
    const DensityGrid grid = deposited(host, config_of(whole_box(cells), {.streams = true}));
    for (std::int64_t i = 0; i < cells; ++i) {
        const double x = (static_cast<double>(i) + 0.5) * side / cells;
        Index expected = 0;  // intervals of the lattice that hold x or an image
        for (Index k = 0; k < n; ++k) {
            const double a = wave(side / n * k, amplitude), b = wave(side / n * (k + 1), amplitude);
            for (const double image : {x - side, x, x + side})
                expected += std::min(a, b) < image && image < std::max(a, b);
        }
        EXPECT_TRUE(expected == 1 || expected == 3);
        for (const std::int64_t j : {0, 7, 39})
            EXPECT_EQ(grid.streams(grid.grid().index(i, j, 39 - j)), expected);
    }
}

TEST(DepositFields, StreamsAreOddAndTheirSignedNumberIsOneEverywhere)
{
    std::mt19937_64 engine(4);
    std::uniform_real_distribution<double> uniform(-1, 1);
    // coarse numbers: many centres lie on faces exactly
    const auto jump = [&] { return std::rint(4 * uniform(engine)) / 4 * side / 8; };
    Particles host = sheet(8, [&](Vec3 q) { return q + Vec3{jump(), jump(), jump()}; });
    const DepositConfig config = config_of(whole_box(16), {.streams = true});
    const DensityGrid grid = deposited(host, config);
    EXPECT_NEAR(grid.signed_volume, 1, 1e-13);
    const Lattice lattice = make_lattice(host.view(), {side});
    const CellCoordinates coordinates(config.grid);
    std::vector<int> signed_streams(static_cast<std::size_t>(config.grid.n_cells()));
    for_each_cube(host, lattice, coordinates, [&](const LatticeCube& cube, const Vec3*) {
        for (int t = 0; t < tetrahedra_per_cube; ++t)
            for (std::int64_t i = -16; i < 32; ++i)
                for (std::int64_t j = -16; j < 32; ++j)
                    for (std::int64_t k = -16; k < 32; ++k) {
                        const Tetrahedron tetrahedron = cube.tetrahedron(t);
                        const IndexBox box = bounding_cells(tetrahedron);
                        if (i < box.axis[0].low || i > box.axis[0].high) break;
                        if (j < box.axis[1].low || j > box.axis[1].high) break;
                        if (k < box.axis[2].low || k > box.axis[2].high) continue;
                        const Vec3 centre{static_cast<double>(i) + 0.5, static_cast<double>(j) + 0.5,
                                          static_cast<double>(k) + 0.5};
                        signed_streams[static_cast<std::size_t>(config.grid.index(
                            GridSums::around(i, 16), GridSums::around(j, 16), GridSums::around(k, 16)))] +=
                            holds(tetrahedron, centre, coordinates.quantum());
                    }
    });
    for (std::int64_t c = 0; c < config.grid.n_cells(); ++c) {
        EXPECT_EQ(signed_streams[static_cast<std::size_t>(c)], 1);
        EXPECT_EQ(grid.streams(c) % 2, 1u);
    }
}

TEST(DepositFields, VelocityAndDispersionAreThoseOfTheMassInTheCell)
{
    // uniform lattice, v linear in x across the box but for the seam: exact moments of a linear field
    Particles host = sheet(
        8, [](Vec3 q) { return q; },
        [](Vec3 q) {
            return Vec3{3 * q.x, 5, 0};
        });
    const DensityGrid grid = deposited(host, config_of(whole_box(4), {.velocity = true, .dispersion = true}));
    for (const std::int64_t i : {0, 1, 2}) {
        const std::int64_t c = grid.grid().index(i, 1, 2);
        EXPECT_NEAR(grid.velocity(c).x, 3 * (static_cast<double>(i) + 0.5) * 2.5, 1e-12);
        EXPECT_NEAR(grid.velocity(c).y, 5, 1e-13);
        EXPECT_NEAR(grid.dispersion(c), 3 * 2.5 / std::sqrt(12.0) / std::sqrt(3.0), 1e-12);
    }
    Particles two(Backend::cpu, 2);
    for (Index i = 0; i < 2; ++i) {
        two.mass.data()[i] = 1 + 2.0 * i;
        two.view().velocity.store(i, {4.0 * i, 0, 0});
    }
    const DensityGrid clouds = deposited(
        two, config_of(whole_box(2), {.velocity = true, .dispersion = true}, Method::nearest_grid_point));
    EXPECT_NEAR(clouds.velocity(0).x, 3, 1e-15);
    EXPECT_NEAR(clouds.dispersion(0), std::sqrt((12.0 - 9) / 3), 1e-15);
    EXPECT_TRUE(std::isnan(clouds.velocity(1).x));
    EXPECT_TRUE(std::isnan(clouds.dispersion(1)));
}

TEST(DepositFields, MassAssignmentIsAsByHand)
{
    Particles one(Backend::cpu, 1);
    one.mass.data()[0] = 7;
    one.view().position.store(0, {0.75, 5, 9.5});  // cells of 1: 0.75 from the left, on a plane, in the last
    const auto found = [&](Method method, std::int64_t i, std::int64_t j, std::int64_t k) {
        const DensityGrid grid = deposited(one, config_of(whole_box(10), {}, method));
        return grid.mass(grid.grid().index(i, j, k)) / 7;
    };
    EXPECT_EQ(found(Method::nearest_grid_point, 0, 5, 9), 1);
    EXPECT_EQ(found(Method::cloud_in_cell, 0, 5, 9), 0.75 * 0.5);
    EXPECT_EQ(found(Method::cloud_in_cell, 1, 4, 9), 0.25 * 0.5);
    EXPECT_EQ(found(Method::cloud_in_cell, 1, 4, 0), 0);
    const double left = 0.5 * 0.25 * 0.25, middle = 0.75 - 0.0625;
    EXPECT_NEAR(found(Method::triangular_shaped_cloud, 9, 5, 9), left * 0.5 * 0.75, 1e-16);
    EXPECT_NEAR(found(Method::triangular_shaped_cloud, 0, 4, 9), middle * 0.5 * 0.75, 1e-16);
    EXPECT_NEAR(found(Method::triangular_shaped_cloud, 0, 5, 0), middle * 0.5 * 0.125, 1e-16);
}

TEST(DepositFields, OpenSpaceTakesMassAssignmentAndLeavesOutWhatIsOutside)
{
    Particles host(Backend::cpu, 3);
    for (Index i = 0; i < 3; ++i) host.mass.data()[i] = 1;
    host.view().position.store(1, {-1, -1, -1});
    host.view().position.store(2, {1e30, 0, 0});
    Grid grid;
    for (GridAxis& axis : grid.axis) axis = {-2, 2, 4};
    EXPECT_EQ(deposited(host, config_of(grid, {}, Method::cloud_in_cell)).total_mass(), 2);
    EXPECT_TRUE(contains(message_of<Error>([&] { deposited(host, config_of(grid)); }), "periodic box"));
    Particles none(Backend::cpu, 0);
    EXPECT_EQ(deposited(none, config_of(grid, {}, Method::cloud_in_cell)).total_mass(), 0);
}

TEST(DepositFields, ASubLatticeHasAllTheMass)
{
    Particles host = sheet(8, crossed, swirl);
    DepositConfig config = config_of(whole_box(5));
    config.lattice.every = 2;
    const DensityGrid grid = deposited(host, config);
    EXPECT_EQ(grid.tetrahedra, 6u * 64);
    EXPECT_NEAR(grid.total_mass(), total_mass(host), 1e-12);
    EXPECT_NEAR(grid.signed_volume, 1, 1e-14);
}

TEST(DepositFields, FlatAndCollapsedSheetsKeepTheirMass)
{
    // everything in one plane, then on one point: tetrahedra without volume
    Particles plane = sheet(4, [](Vec3 q) {
        return Vec3{2.5 + 1e-3 * std::sin(2 * M_PI * q.x / side), q.y, q.z};
    });
    DepositConfig config = config_of(whole_box(6));
    config.lattice.axes = "xyz";
    const DensityGrid flat = deposited(plane, config);
    EXPECT_NEAR(flat.total_mass(), total_mass(plane), 1e-13);
    EXPECT_NEAR(flat.mass(config.grid.index(1, 2, 3)), total_mass(plane) / 36, 1e-13);
    Particles point = sheet(4, [](Vec3) { return Vec3{5, 5, 5}; });
    const DensityGrid all = deposited(point, config);
    EXPECT_EQ(all.mass(config.grid.index(3, 3, 3)), total_mass(point));
    EXPECT_EQ(all.signed_volume, 0);
}

TEST(DepositFields, ProgressIsReportedToTheEnd)
{
    Particles host = sheet(4, crossed);
    double last = 0;
    DepositConfig config = config_of(whole_box(4));
    config.progress.report = [&](double done, std::string_view) { last = done; };
    deposited(host, config);
    EXPECT_EQ(last, 1);
}

TEST(DepositFields, InvalidGridsAndNumbersAreRefused)
{
    Particles host = sheet(4, crossed);
    const auto said = [&](const DepositConfig& config) {
        return message_of<Error>([&] { deposited(host, config); });
    };
    Grid grid = whole_box(4);
    grid.axis[1].cells = 0;
    EXPECT_TRUE(contains(said(config_of(grid)), "along y is 0 cells"));
    grid = whole_box(4);
    grid.axis[2].high = 11;
    EXPECT_TRUE(contains(said(config_of(grid)), "larger than the box of side 10"));
    grid.axis[2] = {15, 21, 4};
    EXPECT_TRUE(contains(said(config_of(grid)), "from 15 to 21 along z is far from the box of side 10"));
    grid.axis[2] = {5, 5 + 1e-300, 4};
    EXPECT_TRUE(contains(said(config_of(grid)), "growing numbers"));
    grid.axis[2] = {0, 1e-300, 4};
    EXPECT_TRUE(contains(said(config_of(grid)), "smaller than 2^-32 of the box"));
    grid.axis[2] = {5, 4, 4};
    EXPECT_TRUE(contains(said(config_of(grid)), "growing numbers"));
    EXPECT_TRUE(contains(said(config_of(whole_box(100000))), "at most"));
    EXPECT_TRUE(contains(said(config_of(whole_box(4), {.streams = true}, Method::cloud_in_cell)),
                         "found method cic"));
    host.velocity.x.data()[3] = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(
        contains(said(config_of(whole_box(4), {.velocity = true})), "particle 3 (id 3) has the velocity"));
    host.mass.data()[2] = -1;
    EXPECT_TRUE(contains(said(config_of(whole_box(4), {}, Method::cloud_in_cell)),
                         "particle 2 (id 2) has the mass -1"));
    host.position.z.data()[1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(
        contains(said(config_of(whole_box(4), {}, Method::cloud_in_cell)), "particle 1 (id 1) is at"));
}

}  // namespace
}  // namespace aureole::test::fields_test
