// Slices and projections: by hand, totals, octrees against grids of the same cells, edges.
#include <gtest/gtest.h>

#include <omp.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "density/rendering/plane_image.hpp"
#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/unit/density/deposit/cell_fields.hpp"

namespace aureole::test::plane_image_test {
namespace {

PlaneView view_of(const CellField& field, int axis, unsigned width, unsigned height)
{
    return {axis, field.patches[0].low, field.patches[0].high, width, height};
}

double sum(const std::vector<double>& pixels) { return std::accumulate(pixels.begin(), pixels.end(), 0.0); }

/// The integral over the volume: leaves only.
double integral(const CellField& field)
{
    double whole = 0;
    for (std::size_t p = 0; p < field.patches.size(); ++p) {
        if (!field.patches[p].leaf()) continue;
        const Vec3 side = field.patches[p].high - field.patches[p].low;
        const double volume = side.x * side.y * side.z / static_cast<double>(field.cells_per_patch());
        for (std::size_t c = 0; c < field.cells_per_patch(); ++c)
            whole += volume * field.values[p * field.cells_per_patch() + c];
    }
    return whole;
}

TEST(PlaneImage, ASliceShowsTheCellsWithTheAxesTurnedRight)
{
    const CellField field = grid_of({2, 3, 4}, {0, 0, 0}, {2, 3, 4}, [](Vec3 x) {
        return 100 * std::floor(x.x) + 10 * std::floor(x.y) + std::floor(x.z);
    });
    EXPECT_EQ(slice(field, view_of(field, 2, 2, 3), 3.5), (std::vector<double>{23, 123, 13, 113, 3, 103}));
    EXPECT_EQ(slice(field, view_of(field, 1, 2, 4), 1),
              (std::vector<double>{13, 113, 12, 112, 11, 111, 10, 110}));
    EXPECT_EQ(slice(field, view_of(field, 0, 3, 4), 2),  // the upper face of the field: its last cells
              (std::vector<double>{103, 113, 123, 102, 112, 122, 101, 111, 121, 100, 110, 120}));
}

TEST(PlaneImage, ASliceOfAnOctreeShowsTheLeafOfEveryPixel)
{
    const CellField field = random_octree(3, 3, noise);
    const PlaneView view = view_of(field, 1, 96, 96);
    const std::vector<double> pixels = slice(field, view, 0.3);
    for (unsigned y = 0; y < 96; ++y)
        for (unsigned x = 0; x < 96; ++x) {
            const Vec3 at{(x + 0.5) / 96, 0.3, 1 - (y + 0.5) / 96};
            double expected = -1;
            for (std::size_t p = 0; p < field.patches.size(); ++p) {
                const FieldPatch& q = field.patches[p];
                const Vec3 u = (1 / (q.high.x - q.low.x)) * (at - q.low);
                if (q.leaf() && u.x >= 0 && u.x < 1 && u.y >= 0 && u.y < 1 && u.z >= 0 && u.z < 1)
                    expected =
                        field.values[field.at(p, static_cast<Index>(3 * u.x), static_cast<Index>(3 * u.y),
                                              static_cast<Index>(3 * u.z))];
            }
            ASSERT_EQ(pixels[std::size_t{y} * 96 + x], expected) << x << " " << y;
        }
}

TEST(PlaneImage, TheProjectionOfAConstantIsTheLength)
{
    const CellField field = grid_of({5, 7, 3}, {-1, 2, 0}, {1, 5, 0.5}, [](Vec3) { return 4.0; });
    for (int axis = 0; axis < 3; ++axis) {
        const double depth = along(field.patches[0].high - field.patches[0].low, axis);
        for (const double pixel : projection(field, view_of(field, axis, 31, 17)))
            EXPECT_NEAR(pixel, 4 * depth, 1e-13);
    }
}

TEST(PlaneImage, AProjectionAddsUpToTheWhole)
{
    const CellField field = random_octree(4, 3, noise);
    for (int axis = 0; axis < 3; ++axis)
        for (const unsigned pixels : {1u, 7u, 32u, 100u}) {
            const PlaneView view = view_of(field, axis, pixels, 2 * pixels + 1);
            const double area = view.pixel_width() * view.pixel_height();
            EXPECT_NEAR(sum(projection(field, view)) * area, integral(field), 1e-13 * integral(field));
        }
}

TEST(PlaneImage, AnOctreeProjectsAsTheGridOfItsSmallestCells)
{
    const CellField tree = random_octree(2, 2, noise);
    CellField grid = grid_of({8, 8, 8}, {0, 0, 0}, {1, 1, 1}, [&](Vec3 x) {
        const Index leaf = leaf_at(tree, x);
        const FieldPatch& p = tree.patches[leaf];
        return tree.values[tree.at(leaf, cell_at(tree, p, 0, x.x), cell_at(tree, p, 1, x.y),
                                   cell_at(tree, p, 2, x.z))];
    });
    for (int axis = 0; axis < 3; ++axis) {
        PlaneView view = view_of(tree, axis, 21, 13);
        view.low = {0.11, 0.23, 0.05};
        view.high = {0.87, 0.91, 0.77};
        const std::vector<double> a = projection(tree, view), b = projection(grid, view);
        for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-14);
    }
}

TEST(PlaneImage, APartOfTheDepthCountsOnlyThat)
{
    const CellField field = grid_of({4, 4, 4}, {0, 0, 0}, {4, 4, 4}, [](Vec3 x) { return std::floor(x.z); });
    PlaneView view = view_of(field, 2, 4, 4);
    view.low.z = 0.5;
    view.high.z = 2.25;
    for (const double pixel : projection(field, view)) EXPECT_NEAR(pixel, 1 + 0.25 * 2, 1e-15);
}

TEST(PlaneImage, AMeanIsWeightedAndPassesOverCellsWithoutWeight)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const CellField field = grid_field({1, 3, 2}, {0, 0, 0}, {1, 3, 2}, {3, 7, 5, nan, 4, nan});
    const CellField weight = grid_field({1, 3, 2}, {0, 0, 0}, {1, 3, 2}, {1, 3, 0, 0, 2, 5});
    const std::vector<double> mean = weighted_mean(field, weight, view_of(field, 2, 1, 3));
    EXPECT_DOUBLE_EQ(mean[0], 4);  // the upper row: one of its cells has a weight and no value
    EXPECT_TRUE(std::isnan(mean[1]));
    EXPECT_DOUBLE_EQ(mean[2], 6);
    EXPECT_DOUBLE_EQ(projection(field, view_of(field, 2, 1, 3))[0], 4);
}

/// How often a picture looks for a request, and what it says of its progress; each request in turn ends it.
void expect_stops(const std::function<void(const Progress&)>& picture, std::size_t least)
{
    std::vector<double> fractions;
    picture({[&](double fraction, std::string_view) { fractions.push_back(fraction); }, {}});
    EXPECT_GE(fractions.size(), least);
    EXPECT_TRUE(std::ranges::is_sorted(fractions));
    EXPECT_EQ(fractions.back(), 1);
    for (std::size_t k = 0; k < fractions.size(); ++k) {
        std::size_t looks = 0;
        EXPECT_THROW(picture({{}, [&] { return looks++ == k; }}), Stopped) << k;
        EXPECT_EQ(looks, k + 1);
    }
}

TEST(PlaneImage, ARequestEndsItBetweenBandsOfRowsAndLayersOrBlocksOfCells)
{
    const CellField grid = grid_of({5, 7, 3}, {-1, 2, 0}, {1, 5, 0.5}, bumps);
    const CellField tree = random_octree(2, 4, noise);
    for (const CellField* field : {&grid, &tree}) {
        const PlaneView view = view_of(*field, 0, 10, 150);  // three bands
        expect_stops([&](const Progress& progress) { slice(*field, view, 0, progress); }, 4);
        expect_stops([&](const Progress& progress) { projection(*field, view, progress); },
                     field == &grid ? 9 : 5);
        expect_stops([&](const Progress& progress) { weighted_mean(*field, *field, view, progress); },
                     field == &grid ? 18 : 10);
    }
}

TEST(PlaneImage, BitsAreTheSameForAnyNumberOfThreads)
{
    const CellField field = random_octree(3, 3, noise);
    const PlaneView view = view_of(field, 0, 50, 40);
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    const std::vector<double> one = projection(field, view);
    omp_set_num_threads(3);
    EXPECT_EQ(projection(field, view), one);
    omp_set_num_threads(before);
}

TEST(PlaneImage, ViewsOutsideAndBrokenFieldsAreRefused)
{
    const CellField field = grid_of({2, 2, 2}, {0, 0, 0}, {1, 1, 1}, bumps);
    PlaneView view = view_of(field, 2, 4, 4);
    EXPECT_TRUE(contains(message_of<Error>([&] { slice(field, view, 1.5); }),
                         "the slice is at 1.5, expected 0 to 1"));
    view.high.x = 2;
    EXPECT_TRUE(contains(message_of<Error>([&] { projection(field, view); }),
                         "the image shows x from 0 to 2, expected a part of the field"));
    EXPECT_TRUE(contains(message_of<Error>([] {
                             grid_field({2, 2, 2}, {0, 0, 0}, {1, 1, 1}, {1, 2, 3});
                         }),
                         "3 values for 1 patches of 8 cells"));
    CellField tree = random_octree(2, 1, bumps);
    tree.patches[3].high.x += 0.1;
    EXPECT_TRUE(
        contains(message_of<Error>([&] { expect_whole(tree); }), "patch 3 is not octant 2 of its parent 0"));
    tree = random_octree(2, 1, bumps);
    tree.patches[4].first_child = 1;
    EXPECT_TRUE(contains(message_of<Error>([&] { expect_whole(tree); }), "patch 4 has its children at 1"));
    tree = random_octree(2, 1, bumps);
    tree.patches.push_back(tree.patches[4]);  // a patch without a parent would be counted twice
    tree.values.resize(10 * 8);
    EXPECT_TRUE(contains(message_of<Error>([&] { expect_whole(tree); }),
                         "10 patches, 1 of them with children: expected 9"));
}

}  // namespace
}  // namespace aureole::test::plane_image_test
