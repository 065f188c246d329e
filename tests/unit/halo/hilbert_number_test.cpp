// The curve that members of a list are sorted along visits every cell once, and neighbours one after the
// other.
#include "halo/resident_centres/hilbert_number.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <vector>

namespace aureole::test {
namespace {

using halo::resident::hilbert_number;

TEST(HilbertNumber, OfTheEightCellsOfACubeByHand)
{
    // the Gray code: one coordinate changes from each to the next, the last one first
    const std::array<std::array<std::uint32_t, 3>, 8> path{
        {{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1}, {1, 0, 0}}};
    for (std::uint64_t k = 0; k < 8; ++k) EXPECT_EQ(hilbert_number(path[k][0], path[k][1], path[k][2], 1), k);
}

TEST(HilbertNumber, VisitsEveryCellOnceAndGoesToANeighbour)
{
    for (const int bits : {1, 2, 3, 5}) {
        const std::uint32_t side = 1u << bits;
        std::vector<std::array<int, 3>> cell(std::size_t{side} * side * side, {-1, -1, -1});
        for (std::uint32_t x = 0; x < side; ++x)
            for (std::uint32_t y = 0; y < side; ++y)
                for (std::uint32_t z = 0; z < side; ++z) {
                    const std::uint64_t at = hilbert_number(x, y, z, bits);
                    ASSERT_LT(at, cell.size());
                    ASSERT_EQ(cell[at][0], -1) << "twice";
                    cell[at] = {static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)};
                }
        for (std::size_t k = 1; k < cell.size(); ++k) {
            int steps = 0;
            for (std::size_t axis = 0; axis < 3; ++axis) steps += std::abs(cell[k][axis] - cell[k - 1][axis]);
            ASSERT_EQ(steps, 1) << bits << " " << k;
        }
    }
}

TEST(HilbertNumber, OfCoarserCellsAreTheLeadingBits)
{
    for (std::uint32_t x = 0; x < 16; ++x)
        for (std::uint32_t y = 0; y < 16; ++y)
            EXPECT_EQ(hilbert_number(x, y, 5, 4) >> 3, hilbert_number(x >> 1, y >> 1, 5 >> 1, 3));
}

}  // namespace
}  // namespace aureole::test
