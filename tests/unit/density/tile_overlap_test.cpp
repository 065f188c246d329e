// Tiles against the overlap with all cells at once: the same shares and moments, whatever the tile.
#include "density/tile_overlap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <vector>

namespace aureole::test {
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
    const CellBox full = bounding_cells(t);
    std::vector<double> scratch(overlap_scratch<carried>(full));
    overlap(whole_of<carried>(t), t.corner[0], full, full, scratch.data(),
            [&](const std::int64_t(&cell)[3], const double* sums) {
                found[{cell[0], cell[1], cell[2]}] = {sums, sums + n_sums<carried>};
            });
    return found;
}

/// The box of the tetrahedron in tiles of `size` cells along each axis.
template <int carried>
Found of_tiles(const Tetrahedron& t, int size)
{
    constexpr int n = n_sums<carried>;
    const FramedTetrahedron<carried> framed(t, whole_of<carried>(t));
    Found found;
    for (int x = 0; x < framed.cells[0]; x += size)
        for (int y = 0; y < framed.cells[1]; y += size)
            for (int z = 0; z < framed.cells[2]; z += size) {
                const int low[3] = {x, y, z};
                TileOverlap<carried> tile;
                for (int a = 0; a < 3; ++a)
                    tile.axis[a] = {framed.cells[a], framed.middle[a], low[a],
                                    std::min(size, framed.cells[a] - low[a])};
                const auto corner = [&](int c, int k) { return framed.corner[c][k]; };
                tile.count_pieces(corner);
                std::vector<double> rows(static_cast<std::size_t>(tile.rows() * tile.row_doubles()));
                for (int r = 0; r < tile.rows(); ++r)
                    tile.row(r, corner, rows.data() + r * tile.row_doubles());
                for (int i = 0; i < tile.axis[0].n; ++i)
                    for (int j = 0; j < tile.axis[1].n; ++j)
                        for (int k = 0; k < tile.axis[2].n; ++k) {
                            double sums[n];
                            tile.cell(i, j, k, rows.data(), sums);
                            found[{framed.first[0] + x + i, framed.first[1] + y + j,
                                   framed.first[2] + z + k}] = {sums, sums + n};
                        }
            }
    return found;
}

template <int carried>
void expect_same(const Tetrahedron& t)
{
    const Found expected = of_overlap<carried>(t);
    for (const int size : {1, 3, 4}) {
        const Found found = of_tiles<carried>(t, size);
        for (const auto& [cell, sums] : found) {
            const auto at = expected.find(cell);
            for (std::size_t s = 0; s < sums.size(); ++s)
                EXPECT_NEAR(sums[s], at == expected.end() ? 0 : at->second[s], 4e-15) << "tile of " << size;
        }
        for (const auto& [cell, sums] : expected) EXPECT_EQ(found.count(cell), 1u);
    }
}

double multiple(double x) { return std::ldexp(std::rint(std::ldexp(x, 44)), -44); }

TEST(TileOverlap, CellsAreThoseOfTheWholeOverlap)
{
    std::mt19937_64 engine(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (const double size : {0.3, 1.0, 2.5, 9.0})
        for (int k = 0; k < 60; ++k) {
            Tetrahedron t;
            for (Vec3& corner : t.corner)
                corner = {multiple(size * uniform(engine) - 3), multiple(size * uniform(engine)),
                          multiple(size * uniform(engine) + 100)};
            expect_same<0>(t);
            expect_same<3>(t);
        }
}

TEST(TileOverlap, SheetsLinesPointsAndCornersOnPlanesAreTheSame)
{
    std::mt19937_64 engine(8);
    std::uniform_int_distribution<int> coarse(0, 8);
    for (int k = 0; k < 400; ++k) {  // half cells: flat, inverted and coincident corners, planes hit exactly
        Tetrahedron t;
        for (Vec3& corner : t.corner)
            corner = {0.5 * coarse(engine) - 2, 0.5 * (coarse(engine) / 2), 1.0 * (coarse(engine) / 3)};
        expect_same<0>(t);
        expect_same<3>(t);
    }
}

}  // namespace
}  // namespace aureole::test
