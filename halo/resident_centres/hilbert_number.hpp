// Places along a Hilbert curve through the cells of a cube (Hilbert 1891): cells that follow each other
// touch, so members that follow each other are neighbours. Cost: a dozen operations a level.
#pragma once

#include <cstdint>

#include "sim/core/backend.hpp"

namespace aureole::halo::resident {

/// A cell's coordinates, and what turns them from the frame of an octant to that of its part.
struct HilbertFrame {
    std::uint32_t x, y, z;

    /// Of the bits in `below`: `other` up turns x over, down makes the two trade places (Skilling 2004).
    AUREOLE_HD void turn(std::uint32_t HilbertFrame::*other, int level)
    {
        const std::uint32_t below = (1u << level) - 1;
        if (this->*other >> level & 1) {
            x ^= below;
        } else {
            const std::uint32_t differing = (x ^ this->*other) & below;
            x ^= differing;
            this->*other ^= differing;
        }
    }
};

/// The place of a cell among those of a cube of 2^bits an axis, from the coarsest level down: three bits
/// each, the octant's number in Gray code, turned over wherever an odd number of octants above were.
AUREOLE_HD inline std::uint64_t hilbert_number(std::uint32_t x, std::uint32_t y, std::uint32_t z, int bits)
{
    HilbertFrame cell{x, y, z};
    std::uint64_t number = 0;
    std::uint32_t over = 0;
    for (int level = bits - 1; level >= 0; --level) {
        const std::uint32_t first = cell.x >> level & 1;
        const std::uint32_t second = first ^ (cell.y >> level & 1);
        const std::uint32_t third = second ^ (cell.z >> level & 1);
        number = number << 3 | (first ^ over) << 2 | (second ^ over) << 1 | (third ^ over);
        over ^= third;
        // the turns of y and z see x as the ones before left it
        cell.turn(&HilbertFrame::x, level);
        cell.turn(&HilbertFrame::y, level);
        cell.turn(&HilbertFrame::z, level);
    }
    return number;
}

}  // namespace aureole::halo::resident
