// The curve visits every cell of a cube once and goes from face to face.
#include "sim/core/spatial/curve_keys.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

namespace aureole::test::curve_keys_test {
namespace {

/// Cells of a cube of 2^bits per side, axis after axis, by their place along the curve.
template <int axes>
std::vector<std::uint32_t> cells_along_curve(int bits)
{
    const std::uint32_t n = std::uint32_t{1} << (axes * bits), none = n;
    std::vector<std::uint32_t> cell(n, none);
    for (std::uint32_t c = 0; c < n; ++c) {
        std::uint32_t x[axes];
        for (int axis = 0; axis < axes; ++axis) x[axis] = c >> (axis * bits) & ((1u << bits) - 1);
        turn_into_hilbert(x, bits);
        std::uint32_t place = 0;
        for (int bit = bits - 1; bit >= 0; --bit)
            for (int axis = 0; axis < axes; ++axis) place = place << 1 | (x[axis] >> bit & 1);
        EXPECT_LT(place, n);
        EXPECT_EQ(cell[place], none) << "place " << place << " is taken";
        cell[place] = c;
    }
    return cell;
}

template <int axes>
void expect_steps_through_faces(int bits)
{
    const std::vector<std::uint32_t> cell = cells_along_curve<axes>(bits);
    for (std::size_t k = 1; k < cell.size(); ++k) {
        int steps = 0;
        for (int axis = 0; axis < axes; ++axis) {
            const int from = static_cast<int>(cell[k - 1] >> (axis * bits) & ((1u << bits) - 1));
            const int to = static_cast<int>(cell[k] >> (axis * bits) & ((1u << bits) - 1));
            steps += std::abs(to - from);
        }
        ASSERT_EQ(steps, 1) << "from place " << k - 1;
    }
}

TEST(Hilbert, TheCurveThroughASquareIsAU)
{
    EXPECT_EQ(cells_along_curve<2>(1), (std::vector<std::uint32_t>{0, 2, 3, 1}));
}

TEST(Hilbert, CellsThatFollowEachOtherShareAFace)
{
    for (int bits = 1; bits <= 5; ++bits) expect_steps_through_faces<3>(bits);
    for (int bits = 1; bits <= 3; ++bits) expect_steps_through_faces<6>(bits);
}

TEST(Hilbert, SmallCubesAreEnteredOneAfterTheOther)
{
    const std::vector<std::uint32_t> fine = cells_along_curve<3>(3);
    for (std::size_t octant = 0; octant < 8; ++octant) {
        const auto octant_of = [](std::uint32_t c) {
            return (c >> 8 & 1) << 2 | (c >> 5 & 1) << 1 | (c >> 2 & 1);
        };
        for (std::size_t k = 0; k < 64; ++k)
            EXPECT_EQ(octant_of(fine[64 * octant + k]), octant_of(fine[64 * octant]));
    }
}

/// The bits of several numbers by turns, the first leading, in a plain loop.
template <int axes>
std::uint64_t by_turns(const std::uint32_t (&cell)[axes], int bits)
{
    std::uint64_t key = 0;
    for (int bit = bits - 1; bit >= 0; --bit)
        for (const std::uint32_t c : cell) key = key << 1 | (c >> bit & 1);
    return key;
}

TEST(MortonKey, InterleavesBitsWithThoseOfTheFirstAxisLeading)
{
    const std::uint32_t unit[3] = {1, 0, 0}, far[3] = {0, 0, 2};
    EXPECT_EQ(morton_key(unit), 4u);
    EXPECT_EQ(morton_key(far), 8u);
    for (std::uint32_t seed = 1; seed < 200; ++seed) {
        const std::uint32_t a = seed * 2654435761u, b = a * 2246822519u, c = b * 3266489917u;
        const std::uint32_t three[3] = {a >> 11, b >> 11, c >> 11};
        EXPECT_EQ(morton_key(three), by_turns(three, key_bits));
        const std::uint32_t six[6] = {a >> 22, b >> 22, c >> 22, a & 1023, b & 1023, c & 1023};
        EXPECT_EQ(morton_key(six), by_turns(six, phase_key_bits));
    }
}

TEST(CellNumber, StaysWithinTheCubeWhateverItIsAsked)
{
    EXPECT_EQ(cell_number(0.99, 21), 0u);
    EXPECT_EQ(cell_number(1.0, 21), 1u);
    EXPECT_EQ(cell_number(-3.0, 21), 0u);
    EXPECT_EQ(cell_number(std::nan(""), 21), 0u);
    EXPECT_EQ(cell_number(2097152.0, 21), 2097151u);
    EXPECT_EQ(cell_number(1e300, 21), 2097151u);
    EXPECT_EQ(cell_number<std::uint64_t>(0x1p42, 42), (std::uint64_t{1} << 42) - 1);
}

}  // namespace
}  // namespace aureole::test::curve_keys_test
