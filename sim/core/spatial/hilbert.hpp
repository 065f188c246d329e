// Places along a Hilbert curve through the cells of a cube (Hilbert 1891), by Skilling's passes over the bits
// of the cells' numbers (2004, AIP Conf. Proc. 707, 381). Cells that follow each other share a face, so what
// follows the curve stays in compact groups. (A Morton curve jumps: a few of its runs have boxes that cross
// the whole cube.) The leading bits of a place depend on the leading bits of the cell numbers only: a finer
// grid refines the order of a coarser one.
#pragma once

#include <cstdint>

#include "sim/core/backend.hpp"

namespace aureole {

/// The low 21 bits of v, two zeros between neighbours. T: 64-bit numbers, or a vector of them.
template <class T>
AUREOLE_HD inline T spread_by_3(T v)
{
    v &= 0x1fffffu;
    v = (v | v << 32) & 0x001f00000000ffffu;
    v = (v | v << 16) & 0x001f0000ff0000ffu;
    v = (v | v << 8) & 0x100f00f00f00f00fu;
    v = (v | v << 4) & 0x10c30c30c30c30c3u;
    return (v | v << 2) & 0x1249249249249249u;
}

/// 21 bits of each of three numbers, from bit `skip` on, those of the first leading.
template <class Cell>
AUREOLE_HD inline std::uint64_t interleaved(const Cell (&part)[3], int skip = 0)
{
    return spread_by_3<std::uint64_t>(part[0] >> skip) << 2 |
           spread_by_3<std::uint64_t>(part[1] >> skip) << 1 | spread_by_3<std::uint64_t>(part[2] >> skip);
}

/// Bit p becomes the parity of the bits of x above p; x has `bits` bits.
template <class Cell>
AUREOLE_HD inline Cell parity_above(Cell x, int bits)
{
    x = x >> 1;
    for (int step = 1; step < bits; step *= 2) x ^= x >> step;
    return x;
}

/// Replaces a cell's numbers of `bits` bits by others whose interleaved bits, those of axis 0 first, are its
/// place along the curve. Cell: unsigned numbers, or a vector of them. Cost: bits * axes.
template <int axes, class Cell>
AUREOLE_HD inline void turn_into_hilbert(Cell (&cell)[axes], int bits)
{
    for (int level = bits - 1; level > 0; --level) {
        const Cell below = ~((~Cell{}) << level);
        for (int k = 0; k < axes; ++k) {  // mirror the smaller cubes, or swap two of their axes
            const Cell mirror =
                Cell{} - (cell[k] >> level & 1);  // all bits or none: a branch would be guessed
            const Cell swapped = (cell[0] ^ cell[k]) & below & ~mirror;
            cell[0] ^= (below & mirror) | swapped;
            cell[k] ^= swapped;
        }
    }
    for (int k = 1; k < axes; ++k) cell[k] ^= cell[k - 1];  // from the Gray code to counting
    const Cell flips = parity_above(cell[axes - 1], bits);
    for (int k = 0; k < axes; ++k) cell[k] ^= flips;
}

}  // namespace aureole
