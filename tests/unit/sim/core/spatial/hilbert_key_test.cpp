#include "sim/core/spatial/curve_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "tests/support/point_sets.hpp"

namespace aureole::test::hilbert_key_test {
namespace {

using Cell = std::array<std::uint64_t, 3>;

constexpr std::uint64_t last_cell = (std::uint64_t{1} << key_bits) - 1;

std::uint64_t key_of(Cell cell)
{
    Index c[3] = {Index(cell[0]), Index(cell[1]), Index(cell[2])};
    return hilbert_key(c, key_bits);
}

DeepKey deep_key_of(Cell cell)
{
    std::uint64_t c[3] = {cell[0], cell[1], cell[2]};
    return deep_hilbert_key(c);
}

/// The cells corner + step * {0..side-1}^3.
std::vector<Cell> block(Cell corner, std::uint64_t step, std::uint64_t side)
{
    std::vector<Cell> cells;
    for (std::uint64_t i = 0; i < side; ++i)
        for (std::uint64_t j = 0; j < side; ++j)
            for (std::uint64_t k = 0; k < side; ++k)
                cells.push_back({corner[0] + i * step, corner[1] + j * step, corner[2] + k * step});
    return cells;
}

/// Neighbours along the curve have a face in common, and no two cells have the same key.
template <class Key>
void expect_no_jumps(const std::vector<Cell>& cells, std::uint64_t step, Key key)
{
    std::vector<std::pair<std::uint64_t, Cell>> curve;
    for (const Cell& cell : cells) curve.emplace_back(key(cell), cell);
    std::ranges::sort(curve);
    for (std::size_t i = 1; i < curve.size(); ++i) {
        ASSERT_NE(curve[i - 1].first, curve[i].first) << "place " << i;
        std::uint64_t steps = 0;
        for (int k = 0; k < 3; ++k) {
            const std::uint64_t a = curve[i - 1].second[k], b = curve[i].second[k];
            steps += (a > b ? a - b : b - a) / step;
        }
        ASSERT_EQ(steps, 1u) << "places " << i - 1 << " and " << i;
    }
}

TEST(HilbertKey, TheEightCellsOfTheTopLevelAreAGrayCode)
{
    constexpr std::uint64_t half = std::uint64_t{1} << (key_bits - 1);
    const auto octant = [](Cell cell) { return key_of(cell) >> (3 * key_bits - 3); };
    EXPECT_EQ(octant({0, 0, 0}), 0u);
    expect_no_jumps(block({0, 0, 0}, half, 2), half, octant);
}

TEST(HilbertKey, NeighboursAlongTheCurveAreNeighboursInSpaceOnCoarseGrids)
{
    for (const int levels : {1, 2, 3, 4, 5}) {
        SCOPED_TRACE(testing::Message() << levels << " levels");
        const std::uint64_t step = std::uint64_t{1} << (key_bits - levels);
        expect_no_jumps(block({0, 0, 0}, step, std::uint64_t{1} << levels), step, key_of);
    }
}

// blocks of 16^3 cells of the finest grid, anywhere: the curve visits one before it leaves it
TEST(HilbertKey, AlignedBlocksOfTheFinestGridAreRunsOfTheCurve)
{
    Uniform u(1);
    for (int trial = 0; trial < 20; ++trial) {
        SCOPED_TRACE(testing::Message() << "trial " << trial << ", seed = 1");
        Cell corner;
        for (std::uint64_t& c : corner) c = std::uint64_t(u() * double(last_cell)) / 16 * 16;
        const std::vector<Cell> cells = block(corner, 1, 16);
        expect_no_jumps(cells, 1, key_of);
        std::uint64_t least = ~std::uint64_t{0}, largest = 0;
        for (const Cell& cell : cells) {
            least = std::min(least, key_of(cell));
            largest = std::max(largest, key_of(cell));
        }
        EXPECT_EQ(largest - least, cells.size() - 1);
        EXPECT_EQ(least % cells.size(), 0u);
    }
}

TEST(HilbertKey, TheCurveRunsFromTheFirstCellToTheEndOfAnEdge)
{
    EXPECT_EQ(key_of({0, 0, 0}), 0u);
    std::uint64_t largest = 0;
    for (const Cell& corner : block({0, 0, 0}, last_cell, 2)) largest = std::max(largest, key_of(corner));
    EXPECT_EQ(largest, (std::uint64_t{1} << (3 * key_bits)) - 1);
}

TEST(HilbertKey, AFinerGridRefinesTheOrderOfACoarserOne)
{
    Uniform u(2);
    for (int trial = 0; trial < 10000; ++trial) {
        Cell cell, coarse;
        for (int k = 0; k < 3; ++k) cell[k] = std::uint64_t(u() * double(last_cell));
        const int dropped = 1 + trial % (key_bits - 1);
        for (int k = 0; k < 3; ++k) coarse[k] = cell[k] >> dropped << dropped;
        ASSERT_EQ(key_of(cell) >> 3 * dropped, key_of(coarse) >> 3 * dropped)
            << dropped << " levels dropped, seed = 2";
    }
}

TEST(DeepHilbertKey, ItsHighPartIsTheKeyOfTheCoarseCell)
{
    Uniform u(3);
    for (int trial = 0; trial < 10000; ++trial) {
        Cell cell, coarse;
        for (int k = 0; k < 3; ++k) {
            coarse[k] = std::uint64_t(u() * double(last_cell));
            cell[k] = coarse[k] << key_bits | std::uint64_t(u() * double(last_cell));
        }
        ASSERT_EQ(deep_key_of(cell).high, key_of(coarse)) << "seed = 3";
        ASSERT_LT(deep_key_of(cell).low, std::uint64_t{1} << (3 * key_bits));
    }
}

TEST(DeepHilbertKey, NeighboursAlongTheCurveAreNeighboursInSpace)
{
    Uniform u(4);
    for (int trial = 0; trial < 20; ++trial) {
        SCOPED_TRACE(testing::Message() << "trial " << trial << ", seed = 4");
        Cell corner;
        for (std::uint64_t& c : corner)
            c = std::uint64_t(u() * double(last_cell)) << key_bits | std::uint64_t(u() * 1e6) / 8 * 8;
        const std::vector<Cell> cells = block(corner, 1, 8);
        for (const Cell& cell : cells) ASSERT_EQ(deep_key_of(cell).high, deep_key_of(corner).high);
        expect_no_jumps(cells, 1, [](const Cell& cell) { return deep_key_of(cell).low; });
    }
}

}  // namespace
}  // namespace aureole::test::hilbert_key_test
