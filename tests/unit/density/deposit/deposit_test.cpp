// Masses and momenta of whole deposits: exact answers in one dimension, a slow method that shares no code,
// totals, shifts, permutations, threads, regions.
#include <gtest/gtest.h>

#include <omp.h>

#include <algorithm>
#include <random>

#include "density/deposit/deposit_tetrahedron.hpp"
#include "tests/support/reference_overlap.hpp"
#include "tests/unit/density/sheets.hpp"

namespace aureole::test::deposit_test {
namespace {

TEST(Deposit, AnUndisturbedLatticeIsUniformOnAnyGrid)
{
    Particles host = sheet(4, [](Vec3 q) { return q + Vec3{0.1, 0.2, 0.3}; });
    for (const std::int64_t cells : {1, 3, 4, 7, 16}) {
        const DensityGrid grid = deposited(host, config_of(whole_box(cells)));
        const double mean = 192.0 / static_cast<double>(cells * cells * cells);
        for (std::int64_t c = 0; c < grid.grid().n_cells(); ++c)
            EXPECT_NEAR(grid.mass(c), mean, 1e-13 * mean);
        EXPECT_NEAR(grid.signed_volume, 1, 1e-14);
    }
}

/// The exact integral of particles displaced along one axis: each lattice interval spreads its mass evenly.
std::vector<double> exact_slabs(Index n, double amplitude, std::int64_t cells, double mass)
{
    std::vector<long double> slab(static_cast<std::size_t>(cells));
    const long double size = static_cast<long double>(side) / cells;
    for (Index i = 0; i < n; ++i) {
        const long double a = wave(side / n * i, amplitude), b = wave(side / n * (i + 1), amplitude);
        const long double low = std::min(a, b), high = std::max(a, b);
        for (std::int64_t k = -cells; k < 2 * cells; ++k) {
            const long double from = std::max(low, k * size), to = std::min(high, (k + 1) * size);
            if (to > from)
                slab[static_cast<std::size_t>((k + cells) % cells)] += (to - from) / (high - low) * mass / n;
        }
    }
    return {slab.begin(), slab.end()};
}

TEST(Deposit, DisplacementsAlongOneAxisGiveTheOneDimensionalIntegral)
{
    constexpr Index n = 8;
    constexpr std::int64_t cells = 13;
    for (int axis = 0; axis < 3; ++axis)
        for (const double amplitude : {0.7, 2.5}) {
            Particles host = sheet(n, [&](Vec3 q) {
                if (axis == 0) return Vec3{wave(q.x, amplitude), q.y, q.z};
                if (axis == 1) return Vec3{q.x, wave(q.y, amplitude), q.z};
                return Vec3{q.x, q.y, wave(q.z, amplitude)};
            });
            const DensityGrid grid = deposited(host, config_of(whole_box(cells)));
            const std::vector<double> slab = exact_slabs(n, amplitude, cells, total_mass(host));
            const double mean = total_mass(host) / (cells * cells * cells);
            for (std::int64_t i = 0; i < cells; ++i)
                for (std::int64_t j = 0; j < cells; ++j)
                    for (std::int64_t k = 0; k < cells; ++k) {
                        const std::int64_t along = axis == 0 ? i : axis == 1 ? j : k;
                        EXPECT_NEAR(grid.mass(grid.grid().index(i, j, k)),
                                    slab[static_cast<std::size_t>(along)] / (cells * cells), 1e-13 * mean);
                    }
        }
}

TEST(Deposit, MassAndMomentumOfEveryCellAreThoseOfTheSlowMethod)
{
    constexpr Index n = 4;
    constexpr std::int64_t cells = 5;
    Particles host = sheet(n, crossed, swirl);
    const DepositConfig config = config_of(whole_box(cells), {.velocity = true});
    const DensityGrid grid = deposited(host, config);
    const Lattice lattice = make_lattice(host.view(), {side});
    const CellCoordinates coordinates(config.grid);
    std::vector<std::array<Real, 2>> expected(cells * cells * cells);  // mass, momentum along x
    for_each_cube(host, lattice, coordinates, [&](const LatticeCube& cube, const Vec3* velocity) {
        for (int t = 0; t < tetrahedra_per_cube; ++t) {
            const Tetrahedron tetrahedron = cube.tetrahedron(t);
            const CornerVelocities v = cube.velocities(velocity, t, 1);
            const std::vector<Polygon> faces = faces_of(tetrahedron);
            const Real volume = moments_of(faces).volume;
            // the gradient of v.x from the corners, by Cramer's rule in long double
            Point edge[3];
            Real rise[3];
            const auto point = [](Vec3 x) { return Point{x.x, x.y, x.z}; };
            for (int e = 0; e < 3; ++e) {
                edge[e] = difference(point(tetrahedron.corner[e + 1]), point(tetrahedron.corner[0]));
                rise[e] = static_cast<Real>(v.corner[e + 1].x) - v.corner[0].x;
            }
            Point gradient;
            for (std::size_t a = 0; a < 3; ++a) {
                Point column[3] = {edge[0], edge[1], edge[2]};
                for (int e = 0; e < 3; ++e) column[e][a] = rise[e];
                gradient[a] =
                    determinant(column[0], column[1], column[2]) / determinant(edge[0], edge[1], edge[2]);
            }
            const IndexBox box = bounding_cells(tetrahedron);
            for (std::int64_t i = box.axis[0].low; i <= box.axis[0].high; ++i)
                for (std::int64_t j = box.axis[1].low; j <= box.axis[1].high; ++j)
                    for (std::int64_t k = box.axis[2].low; k <= box.axis[2].high; ++k) {
                        const SolidMoments part = reference_overlap(tetrahedron, {i, j, k});
                        Real velocity = part.volume * v.corner[0].x;
                        for (std::size_t a = 0; a < 3; ++a)
                            velocity +=
                                gradient[a] * (part.first[a] - part.volume * point(tetrahedron.corner[0])[a]);
                        const auto at = static_cast<std::size_t>(
                            config.grid.index(GridSums::around(i, cells), GridSums::around(j, cells),
                                              GridSums::around(k, cells)));
                        expected[at][0] += lattice.tetrahedron_mass * part.volume / volume;
                        expected[at][1] += lattice.tetrahedron_mass * velocity / volume;
                    }
        }
    });
    const double mean = total_mass(host) / (cells * cells * cells);
    for (std::int64_t c = 0; c < config.grid.n_cells(); ++c) {
        const auto at = static_cast<std::size_t>(c);
        EXPECT_NEAR(grid.mass(c), static_cast<double>(expected[at][0]), 1e-12 * mean);
        EXPECT_NEAR(grid.momentum(c).x, static_cast<double>(expected[at][1]), 1e-11 * mean);
    }
}

TEST(Deposit, TotalsAreExact)
{
    Particles host = sheet(6, crossed, swirl);
    for (const Method method : {Method::tetrahedra, Method::nearest_grid_point, Method::cloud_in_cell,
                                Method::triangular_shaped_cloud})
        for (const std::int64_t cells : {3, 8, 17}) {
            const DensityGrid grid = deposited(host, config_of(whole_box(cells), {.velocity = true}, method));
            Vec3 momentum{}, size{};
            for (Index i = 0; i < host.size(); ++i) {
                momentum = momentum + 3.0 * host.velocity.load(i);
                size = size + Vec3{3, 3, 3};
            }
            EXPECT_NEAR(grid.total_mass(), total_mass(host), 1e-14 * total_mass(host));
            const double scale = 15 * total_mass(host);  // of the largest speeds
            EXPECT_NEAR(grid.total_momentum().x, momentum.x, 1e-14 * scale);
            EXPECT_NEAR(grid.total_momentum().y, momentum.y, 1e-14 * scale);
            EXPECT_NEAR(grid.total_momentum().z, momentum.z, 1e-14 * scale);
        }
}

TEST(Deposit, TheMassOfTetrahedraIsExactInTotal)
{
    Particles host = sheet(6, crossed, swirl);
    for (const bool moments : {false, true}) {
        DensityGrid grid = deposited(host, config_of(whole_box(7), {.velocity = moments}));
        Int128 sum = 0;
        for (std::int64_t c = 0; c < grid.grid().n_cells(); ++c) {
            const FixedSum& mass = grid.sums()[c * (moments ? 5 : 1)];
            sum += static_cast<Int128>(mass.high) * (static_cast<Int128>(1) << 64) + mass.low;
        }
        EXPECT_TRUE(sum == static_cast<Int128>(6 * 216) << 62);
    }
}

void expect_same_bits(const DensityGrid& a, const DensityGrid& b)
{
    ASSERT_EQ(a.grid().n_cells(), b.grid().n_cells());
    for (std::int64_t c = 0; c < a.grid().n_cells(); ++c) {
        ASSERT_EQ(a.mass(c), b.mass(c));
        ASSERT_EQ(a.momentum(c).y, b.momentum(c).y);
        ASSERT_EQ(a.dispersion(c), b.dispersion(c));
        if (a.fields().streams) {
            ASSERT_EQ(a.streams(c), b.streams(c));
        }
    }
}

TEST(Deposit, OrderOfParticlesAndThreadsChangeNoBit)
{
    Particles host = sheet(8, crossed, swirl);
    std::vector<Index> order(host.size());
    for (Index i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::shuffle(order, std::mt19937_64(1));
    Particles permuted = host.gathered(order);
    const int threads = omp_get_max_threads();
    for (const Method method : {Method::tetrahedra, Method::cloud_in_cell}) {
        const DepositConfig config = config_of(
            whole_box(7), {.velocity = true, .dispersion = true, .streams = method == Method::tetrahedra},
            method);
        omp_set_num_threads(1);
        const DensityGrid one = deposited(host, config);
        omp_set_num_threads(5);
        const DensityGrid five = deposited(permuted, config);
        omp_set_num_threads(threads);
        expect_same_bits(one, five);
    }
}

TEST(Deposit, AShiftByTheBoxOrByCellsMovesNothingElse)
{
    constexpr std::int64_t cells = 5;
    Particles host = sheet(6, crossed, swirl), shifted = sheet(6, crossed, swirl),
              moved = sheet(6, crossed, swirl);
    for (Index i = 0; i < host.size(); ++i) {
        const Vec3 x = host.position.load(i);
        shifted.view().position.store(i, x + Vec3{side, -side, side});
        moved.view().position.store(i, Box{side}.wrap(x + Vec3{2, 4, 6}));
    }
    const DepositConfig config = config_of(whole_box(cells), {.velocity = true, .streams = true});
    const DensityGrid grid = deposited(host, config), same = deposited(shifted, config),
                      turned = deposited(moved, config);
    const double mean = total_mass(host) / (cells * cells * cells);
    for (std::int64_t i = 0; i < cells; ++i)
        for (std::int64_t j = 0; j < cells; ++j)
            for (std::int64_t k = 0; k < cells; ++k) {
                const std::int64_t c = config.grid.index(i, j, k);
                const std::int64_t there =
                    config.grid.index((i + 1) % cells, (j + 2) % cells, (k + 3) % cells);
                EXPECT_NEAR(same.mass(c), grid.mass(c), 1e-12 * mean);
                EXPECT_NEAR(turned.mass(there), grid.mass(c), 1e-12 * mean);
                EXPECT_NEAR(turned.momentum(there).x, grid.momentum(c).x, 1e-11 * mean);
                EXPECT_EQ(same.streams(c), grid.streams(c));
                EXPECT_EQ(turned.streams(there), grid.streams(c));
            }
}

TEST(Deposit, ARegionIsThatPartOfTheBox)
{
    Particles host = sheet(6, crossed, swirl);
    const DensityGrid all = deposited(host, config_of(whole_box(10), {.velocity = true, .streams = true}));
    const DensityGrid clouds = deposited(host, config_of(whole_box(10), {}, Method::triangular_shaped_cloud));
    Grid part = whole_box(10);
    part.axis[0] = {-3, 2, 5};  // across the edge of the box
    part.axis[1] = {8, 11, 3};
    const DensityGrid region = deposited(host, config_of(part, {.velocity = true, .streams = true}));
    const DensityGrid cloud_region = deposited(host, config_of(part, {}, Method::triangular_shaped_cloud));
    const double mean = total_mass(host) / 1000;
    for (std::int64_t i = 0; i < 5; ++i)
        for (std::int64_t j = 0; j < 3; ++j)
            for (std::int64_t k = 0; k < 10; ++k) {
                const std::int64_t c = all.grid().index((i + 7) % 10, (j + 8) % 10, k),
                                   r = part.index(i, j, k);
                EXPECT_NEAR(region.mass(r), all.mass(c), 1e-12 * mean);
                EXPECT_NEAR(region.momentum(r).y, all.momentum(c).y, 1e-11 * mean);
                EXPECT_EQ(region.streams(r), all.streams(c));
                EXPECT_NEAR(cloud_region.mass(r), clouds.mass(c), 1e-12 * mean);
            }
}

/// Scratch is that of the cells that are kept: slabs of a whole tetrahedron would have 10^9 and more.
TEST(Deposit, AThinRegionWithinLargeTetrahedraHasTheirDensity)
{
    Particles host = sheet(
        4, [](Vec3 q) { return q; }, swirl);
    Grid grid = whole_box(4);
    grid.axis[0] = grid.axis[1] = {3.1, 3.1 + side * 0x1p-16, 4};
    for (const Fields fields : {Fields{}, Fields{.velocity = true, .streams = true}}) {
        const DensityGrid region = deposited(host, config_of(grid, fields));
        const double mean = total_mass(host) / (side * side * side);
        for (std::int64_t c = 0; c < grid.n_cells(); ++c) {
            // a cell is 2^-29 of a tetrahedron; shares below 2^-48 are left out
            EXPECT_NEAR(region.mass(c) / grid.cell_volume(), mean, 2e-5 * mean);
            if (fields.streams) {
                EXPECT_EQ(region.streams(c), 1u);
            }
        }
    }
}

TEST(Deposit, AWindowHasTheCellsOfTheWholeGrid)
{
    Particles host = sheet(6, crossed, swirl);
    Grid part = whole_box(10);
    part.axis[0] = {-3, 4, 7};  // of the box and of a region across its edge
    for (Grid whole : {whole_box(10), part}) {
        const DensityGrid all = deposited(host, config_of(whole, {.velocity = true, .streams = true}));
        whole.axis[0].window = {2, 6};
        whole.axis[2].window = {9, 9};
        const DensityGrid window = deposited(host, config_of(whole, {.velocity = true, .streams = true}));
        const double mean = total_mass(host) / 1000;
        ASSERT_EQ(whole.n_cells(), 50);
        for (std::int64_t i = 2; i <= 6; ++i)
            for (std::int64_t j = 0; j < 10; ++j) {
                const std::int64_t c = all.grid().index(i, j, 9), w = whole.index(i, j, 9);
                ASSERT_EQ(w, (i - 2) * 10 + j);
                EXPECT_NEAR(window.mass(w), all.mass(c), 1e-14 * mean);
                EXPECT_NEAR(window.momentum(w).z, all.momentum(c).z, 1e-13 * mean);
                EXPECT_EQ(window.streams(w), all.streams(c));
            }
    }
}

}  // namespace
}  // namespace aureole::test::deposit_test
