// Tiles against the overlap with all cells at once: the same shares and moments, whatever the tile; nearly
// the same with pieces in float.
#include "density/deposit/tile_overlap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <vector>

namespace aureole::test::tile_overlap_test {
namespace {

using namespace density;

using Cell = std::array<std::int64_t, 3>;
using Found = std::map<Cell, std::vector<double>>;

template <int carried>
Piece<carried> whole_of(const Tetrahedron& t)
{
    if constexpr (carried == 0)
        return whole_piece(t);
    else
        return whole_piece(t, {{{0.5, -0.25, 0.125}, {-0.5, 0.75, 0.5}, {0.25, 0.25, -1}, {0, -0.5, 0.25}}});
}

template <int carried>
Found of_overlap(const Tetrahedron& t)
{
    Found found;
    const IndexBox full = bounding_cells(t);
    std::vector<double> scratch(overlap_scratch<carried>(full));
    overlap(whole_of<carried>(t), t.corner[0], full, full, scratch.data(),
            [&](const std::int64_t(&cell)[3], const double* sums) {
                found[{cell[0], cell[1], cell[2]}] = {sums, sums + n_sums<carried>};
            });
    return found;
}

/// Fixed-point sums of one tile.
template <int carried, class Real>
void add_tile(const FramedTetrahedron<carried>& t, const int (&low)[3], const int (&n)[3], Found& found,
              std::map<Cell, std::vector<std::int64_t>>& fixed)
{
    const auto corner = [&](int c, int k) { return static_cast<Real>(t.corner[c][k]); };
    const auto inside = [&](int a, int i) { return i >= low[a] && i < low[a] + n[a]; };
    const PieceSpan x_span(corner(0, 0), corner(1, 0), corner(2, 0), corner(3, 0), t.cells[0]);
    const AxisParts x_parts(x_span, low[0], n[0]);
    for (int a = 0; a < x_parts.count(); ++a) {
        const AxisPart x(x_parts, a);
        for (int m = 0; m < slab_pieces(x, corner); ++m) {
            const SlabPiece<carried, Real> piece = slab_piece<carried, Real>(x, m, corner);
            const PieceSpan y_span(piece.corner[0][0], piece.corner[1][0], piece.corner[2][0],
                                   piece.corner[3][0], t.cells[1]);
            const AxisParts y_parts(y_span, low[1], n[1]);
            for (int b = 0; b < y_parts.count(); ++b) {
                const AxisPart y(y_parts, b);
                PieceChain<1 + carried, Real> row = row_pieces<carried, Real>(
                    y, [&](int c, int k) { return piece.corner[c][k]; }, piece.share);
                for (int part = 0; part < row.count; ++part) {
                    if (part > 0) row.advance(part - 1);
                    for_each_cell<carried>(
                        row.corner, row.share_of(part), t.cells[2], low[2], n[2],
                        [&](int k, const std::int64_t* sums) {
                            const auto give = [&](int i, int j, int sign) {
                                if (!inside(0, i) || !inside(1, j)) return;
                                auto& cell = fixed[{t.first[0] + i, t.first[1] + j, t.first[2] + k}];
                                cell.resize(n_sums<carried>);
                                for (std::size_t s = 0; s < cell.size(); ++s) cell[s] += sign * sums[s];
                            };
                            give(x.to(), y.to(), 1);
                            if (!x.whole) give(x.from(), y.to(), -1);
                            if (!y.whole) give(x.to(), y.from(), -1);
                            if (!x.whole && !y.whole) give(x.from(), y.from(), 1);
                        });
                }
            }
        }
    }
    for (const auto& [cell, sums] : fixed) {
        auto& to = found[cell];
        to.clear();
        for (const std::int64_t s : sums) to.push_back(static_cast<double>(s) * 0x1p-62);
    }
}

/// The box of the tetrahedron in tiles of `size` cells along each axis.
template <int carried, class Real>
Found of_tiles(const Tetrahedron& t, int size)
{
    const FramedTetrahedron<carried> framed(t, whole_of<carried>(t));
    Found found;
    std::map<Cell, std::vector<std::int64_t>> fixed;
    for (int x = 0; x < framed.cells[0]; x += size)
        for (int y = 0; y < framed.cells[1]; y += size)
            for (int z = 0; z < framed.cells[2]; z += size) {
                const int low[3] = {x, y, z};
                int n[3];
                for (int a = 0; a < 3; ++a) n[a] = std::min(size, framed.cells[a] - low[a]);
                add_tile<carried, Real>(framed, low, n, found, fixed);
            }
    std::int64_t sum = 0;
    for (const auto& [cell, sums] : fixed) sum += sums[0];
    EXPECT_EQ(sum, to_fixed(1.0)) << "cells add up exactly";
    return found;
}

/// The difference of a float's share or moment: a few roundings, and those of the corners' places.
template <class Real>
constexpr double difference = 4e-15;
template <>
constexpr double difference<float> = 1e-6;

template <int carried, class Real>
void expect_same(const Tetrahedron& t)
{
    const Found expected = of_overlap<carried>(t);
    for (const int size : {1, 3, 4}) {
        const Found found = of_tiles<carried, Real>(t, size);
        for (const auto& [cell, sums] : found) {
            const auto at = expected.find(cell);
            for (std::size_t s = 0; s < sums.size(); ++s)
                EXPECT_NEAR(sums[s], at == expected.end() ? 0 : at->second[s], difference<Real>)
                    << "tile of " << size;
        }
        for (const auto& [cell, sums] : expected)
            if (sums[0] > difference<Real>) {
                EXPECT_EQ(found.count(cell), 1u);
            }
    }
}

double multiple(double x) { return std::ldexp(std::rint(std::ldexp(x, 44)), -44); }

/// Of random places within a cube of that many cells.
Tetrahedron random_tetrahedron(double size, std::mt19937_64& engine)
{
    std::uniform_real_distribution<double> uniform(0, 1);
    Tetrahedron t;
    for (Vec3& corner : t.corner)
        corner = {multiple(size * uniform(engine) - 3), multiple(size * uniform(engine)),
                  multiple(size * uniform(engine) + 100)};
    return t;
}

/// Corners on half cells: flat, inverted and coincident ones, planes hit exactly.
Tetrahedron coarse_tetrahedron(std::mt19937_64& engine)
{
    std::uniform_int_distribution<int> coarse(0, 8);
    Tetrahedron t;
    for (Vec3& corner : t.corner)
        corner = {0.5 * coarse(engine) - 2, 0.5 * (coarse(engine) / 2), 1.0 * (coarse(engine) / 3)};
    return t;
}

template <class Real>
class TileOverlap : public testing::Test {
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(TileOverlap, Reals);

TYPED_TEST(TileOverlap, CellsAreThoseOfTheWholeOverlap)
{
    std::mt19937_64 engine(7);
    for (const double size : {0.3, 1.0, 2.5, 9.0})
        for (int k = 0; k < 60; ++k) {
            const Tetrahedron t = random_tetrahedron(size, engine);
            expect_same<0, TypeParam>(t);
            expect_same<3, TypeParam>(t);
        }
}

TYPED_TEST(TileOverlap, SheetsLinesPointsAndCornersOnPlanesAreTheSame)
{
    std::mt19937_64 engine(8);
    for (int k = 0; k < 400; ++k) {
        const Tetrahedron t = coarse_tetrahedron(engine);
        expect_same<0, TypeParam>(t);
        expect_same<3, TypeParam>(t);
    }
}

}  // namespace
}  // namespace aureole::test::tile_overlap_test
