// Shares of a tetrahedron by hand, against a slow method that shares no code, and in the limits.
#include "density/deposit/overlap.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "tests/support/close_to.hpp"
#include "tests/support/reference_overlap.hpp"

namespace aureole::test::overlap_test {
namespace {

using namespace density;

using Cell = std::array<std::int64_t, 3>;
using Found = std::map<Cell, std::vector<double>>;

IndexBox everything() { return {{{-1000, 1000}, {-1000, 1000}, {-1000, 1000}}}; }

template <int carried>
Found cells_of(const Tetrahedron& t, const Piece<carried>& whole, const IndexBox& wanted = everything())
{
    Found found;
    const IndexBox full = bounding_cells(t);
    std::vector<double> scratch(overlap_scratch<carried>(full));
    overlap(whole, t.corner[0], full, wanted, scratch.data(),
            [&](const std::int64_t(&cell)[3], const double* sums) {
                EXPECT_TRUE(found
                                .emplace(Cell{cell[0], cell[1], cell[2]},
                                         std::vector<double>(sums, sums + n_sums<carried>))
                                .second)
                    << "a cell came twice";
            });
    return found;
}

Found shares(const Tetrahedron& t, const IndexBox& wanted = everything())
{
    return cells_of(t, whole_piece(t), wanted);
}

double sum_of(const Found& found, std::size_t s = 0)
{
    double sum = 0;
    for (const auto& [cell, sums] : found) sum += sums[s];
    return sum;
}

double share(const Found& found, Cell cell)
{
    const auto at = found.find(cell);
    return at == found.end() ? 0 : at->second[0];
}

/// Corners that are multiples of 2^-44, as a grid makes them.
Tetrahedron random_tetrahedron(std::mt19937_64& engine, double size)
{
    std::uniform_real_distribution<double> uniform(0, 1);
    Tetrahedron t;
    const Vec3 at{uniform(engine), uniform(engine), uniform(engine)};
    const auto near = [&](double x) {
        return std::ldexp(std::rint(std::ldexp(x + size * uniform(engine), 44)), -44);
    };
    for (Vec3& corner : t.corner) corner = {near(at.x), near(at.y), near(at.z)};
    return t;
}

TEST(Overlap, OneWithinACellGivesItAll)
{
    const Found found = shares({{{2.1, 3.1, 4.1}, {2.9, 3.2, 4.3}, {2.3, 3.8, 4.2}, {2.2, 3.3, 4.9}}});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(share(found, {2, 3, 4}), 1.0);
}

TEST(Overlap, TheCornerOfALargeOneIsCutAsByHand)
{
    // x + y + z <= 2 in the first octant: 8/6 in all. Cell (0,0,0) lacks the corner x + y + z > 2, 1/6;
    // (1,0,0) holds x - 1 + y + z <= 1, 1/6
    const Found found = shares({{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}}});
    EXPECT_EQ(found.size(), 4u);
    EXPECT_NEAR(share(found, {0, 0, 0}), 5.0 / 8, 1e-15);
    EXPECT_NEAR(share(found, {1, 0, 0}), 1.0 / 8, 1e-15);
    EXPECT_NEAR(share(found, {0, 1, 0}), 1.0 / 8, 1e-15);
    EXPECT_NEAR(share(found, {0, 0, 1}), 1.0 / 8, 1e-15);
}

TEST(Overlap, SharesAndMomentsAreThoseOfTheSlowMethod)
{
    std::mt19937_64 engine(7);
    for (const double size : {0.3, 1.0, 2.5, 6.0})
        for (int trial = 0; trial < 60; ++trial) {
            const Tetrahedron t = random_tetrahedron(engine, size);
            if (std::abs(t.signed_volume()) < 1e-3 * size * size * size)
                continue;  // the slow method divides by it
            const Found found = shares(t);
            // velocities that are positions: the mean over the overlap is its centroid
            const Found moments =
                cells_of(t, whole_piece(t, {t.corner[0], t.corner[1], t.corner[2], t.corner[3]}));
            const auto volume = static_cast<Real>(moments_of(faces_of(t)).volume);
            const IndexBox box = bounding_cells(t);
            for (std::int64_t i = box.axis[0].low; i <= box.axis[0].high; ++i)
                for (std::int64_t j = box.axis[1].low; j <= box.axis[1].high; ++j)
                    for (std::int64_t k = box.axis[2].low; k <= box.axis[2].high; ++k) {
                        const SolidMoments expected = reference_overlap(t, {i, j, k});
                        EXPECT_NEAR(share(found, {i, j, k}), static_cast<double>(expected.volume / volume),
                                    3e-15)
                            << "size " << size << ", trial " << trial;
                        const auto at = moments.find({i, j, k});
                        for (std::size_t a = 0; a < 3; ++a)
                            EXPECT_NEAR(at == moments.end() ? 0 : at->second[1 + a],
                                        static_cast<double>(expected.first[a] / volume), 3e-14);
                    }
        }
}

TEST(Overlap, CellsAddUpToTheWholeWhateverItsSize)
{
    std::mt19937_64 engine(8);
    for (const double size : {1e-9, 1e-3, 0.1, 1.0, 5.0, 30.0})
        for (int trial = 0; trial < 20; ++trial) {
            const Tetrahedron t = random_tetrahedron(engine, size);
            EXPECT_NEAR(sum_of(shares(t)), 1, 1e-14);
            const CornerVelocities v{{{1, 2, 3}, {-1, 0, 5}, {2, 2, 2}, {0, -4, 1}}};
            const Found found = cells_of(t, whole_piece(t, v));
            EXPECT_NEAR(sum_of(found), 1, 1e-14);
            EXPECT_NEAR(sum_of(found, 1), v.mean().x, 1e-13);
            EXPECT_NEAR(sum_of(found, 2), v.mean().y, 1e-13);
            EXPECT_NEAR(sum_of(found, 3), v.mean().z, 1e-13);
        }
}

TEST(Overlap, SharesAndMomentsAgreeOnEveryCell)
{
    std::mt19937_64 engine(9);
    for (int trial = 0; trial < 50; ++trial) {
        const Tetrahedron t = random_tetrahedron(engine, 4);
        const Found found = shares(t), moments = cells_of(t, whole_piece(t, CornerVelocities{}));
        for (const auto& [cell, sums] : moments) EXPECT_NEAR(share(found, cell), sums[0], 1e-15);
    }
}

TEST(Overlap, TheMeanSquareIsThatOfTheLinearField)
{
    // u = x on the unit simplex: int x^2 = 1/60, so the mean over 1/6 is 1/10
    const Tetrahedron t{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const Found one = cells_of(t, whole_piece(t, {{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}}}));
    EXPECT_NEAR(sum_of(one, 4), 0.1, 1e-16);
    // and does not depend on how it is cut
    const Tetrahedron wide{{{0, 0, 0}, {3.5, 0, 0}, {0, 2.5, 0}, {0, 0, 4.5}}};
    const Found many = cells_of(wide, whole_piece(wide, {{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}}}));
    EXPECT_GT(many.size(), 10u);
    EXPECT_NEAR(sum_of(many, 4), 0.1, 1e-15);
}

TEST(Overlap, AnInvertedOneGivesTheSame)
{
    std::mt19937_64 engine(10);
    for (int trial = 0; trial < 20; ++trial) {
        Tetrahedron t = random_tetrahedron(engine, 3);
        const Found before = shares(t);
        std::swap(t.corner[2], t.corner[3]);
        const Found after = shares(t);
        ASSERT_EQ(before.size(), after.size());
        for (const auto& [cell, sums] : before) EXPECT_NEAR(share(after, cell), sums[0], 1e-15);
    }
}

TEST(Overlap, ASheetALineAndAPointAreTheLimitsOfTheirThickening)
{
    // a sheet: the unit square's half in the plane z = 0.5, all corners of a tetrahedron: thickness linear
    const Tetrahedron sheet{{{0.5, 0.5, 0.5}, {2.5, 0.5, 0.5}, {0.5, 2.5, 0.5}, {1.25, 1.5, 0.5}}};
    const double thickness = std::ldexp(1.0, -20);
    Tetrahedron solid = sheet;
    solid.corner[3].z += thickness;
    const Found flat = shares(sheet), thick = shares(solid);
    EXPECT_NEAR(sum_of(flat), 1, 1e-15);
    for (const auto& [cell, sums] : flat) EXPECT_NEAR(share(thick, cell), sums[0], 2e-6);
    // a line from x = 0 to 4 with corners at 0, 0, 4, 4: density of the simplex ~ x (4 - x)
    const Found line = shares({{{0, 0.5, 0.5}, {0, 0.5, 0.5}, {4, 0.5, 0.5}, {4, 0.5, 0.5}}});
    for (int i = 0; i < 4; ++i) {
        const auto below = [](double x) { return 6 * (2 * x * x - x * x * x / 3) / 64; };
        EXPECT_NEAR(share(line, {i, 0, 0}), below(i + 1) - below(i), 1e-15);
    }
    const Found point = shares({{{1.5, 2.5, -0.5}, {1.5, 2.5, -0.5}, {1.5, 2.5, -0.5}, {1.5, 2.5, -0.5}}});
    EXPECT_EQ(share(point, {1, 2, -1}), 1.0);
}

TEST(Overlap, DegenerateOnesOnPlanesBetweenCellsGoAboveThem)
{
    const Found point = shares({{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}});
    ASSERT_EQ(point.size(), 1u);
    EXPECT_EQ(share(point, {1, 2, 3}), 1.0);
    const Found sheet = shares({{{0, 0, 1}, {2, 0, 1}, {0, 2, 1}, {2, 2, 1}}});
    EXPECT_NEAR(sum_of(sheet), 1, 1e-15);
    for (const auto& [cell, sums] : sheet) EXPECT_EQ(cell[2], 1);
    EXPECT_EQ(sheet.size(), 4u);
}

TEST(Overlap, CornersAndFacesOnPlanesLeaveNothingOut)
{
    for (int turn = 0; turn < 27; ++turn) {
        const Vec3 at{static_cast<double>(turn % 3), static_cast<double>(turn / 3 % 3),
                      static_cast<double>(turn / 9)};
        Tetrahedron t{{{0, 0, 0}, {1, 1, 0}, {2, 1, 1}, {2, 3, 2}}};
        for (Vec3& corner : t.corner) corner = corner + at;
        const Found found = shares(t);
        const auto volume = moments_of(faces_of(t)).volume;
        EXPECT_NEAR(sum_of(found), 1, 1e-15);
        for (const auto& [cell, sums] : found)
            EXPECT_NEAR(sums[0], static_cast<double>(reference_overlap(t, cell).volume / volume), 1e-15);
    }
}

TEST(Overlap, AHugeOneFillsTheCellsWithin)
{
    const Tetrahedron t{{{-40, -40, -40}, {80, -40, -40}, {-40, 80, -40}, {-40, -40, 80}}};
    const double cell = 1 / (120.0 * 120 * 120 / 6);
    const IndexBox wanted{{{-30, -20}, {-25, -20}, {-30, -21}}};
    const Found found = shares(t, wanted);
    EXPECT_EQ(found.size(), 11u * 6 * 10);
    for (const auto& [at, sums] : found) EXPECT_NEAR(sums[0], cell, 1e-15);
}

TEST(Overlap, APartOfTheCellsIsThatPartOfAll)
{
    std::mt19937_64 engine(11);
    for (int trial = 0; trial < 50; ++trial) {
        const Tetrahedron t = random_tetrahedron(engine, 4);
        const IndexBox wanted{{{1, 2}, {0, 1}, {2, 2}}};
        const Found all = shares(t), part = shares(t, wanted);
        for (const auto& [cell, sums] : all) {
            const bool in = cell[0] >= 1 && cell[0] <= 2 && cell[1] <= 1 && cell[2] == 2;
            EXPECT_EQ(share(part, cell), in ? sums[0] : 0);
        }
    }
}

}  // namespace
}  // namespace aureole::test::overlap_test
