// Keys along space-filling curves through the cells of a cube: Morton's (1966), which interleaves the bits of
// the cell numbers, and Hilbert's (1891), by Skilling's passes over those bits (2004, AIP Conf. Proc. 707,
// 381). Cells that follow each other along Hilbert's curve share a face, so that runs of it are compact; a
// few runs of Morton's have boxes that cross the whole cube. The leading bits of a key depend on the leading
// bits of the cell numbers only: a finer grid refines the order of a coarser one.
#pragma once

#include <cstdint>

#include "sim/core/backend.hpp"

namespace aureole {

inline constexpr int key_bits = 21;        ///< an axis, of a 63-bit key of three axes
inline constexpr int phase_key_bits = 10;  ///< an axis, of a 60-bit key of six axes

/// The number of the cell that holds coordinate `x`, in units of cells; clamped into [0, 2^bits), 0 for NaN.
template <class Cell = std::uint32_t>
AUREOLE_HD inline Cell cell_number(double x, int bits)
{
    const double end = static_cast<double>(std::uint64_t{1} << bits);
    if (!(x > 0)) return 0;
    return x < end ? static_cast<Cell>(x) : static_cast<Cell>(end) - 1;
}

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

/// The low 10 bits of v, five zeros between neighbours: halves of five bits, each moved to 0, 6, 12, 18, 24.
AUREOLE_HD inline std::uint64_t spread_by_6(std::uint64_t v)
{
    v &= 0x3ffu;
    v = (v | v << 25) & 0x00000007c000001fu;
    v = (v | v << 10) & 0x00001c00c0007003u;
    v = (v | v << 5) & 0x00030410400c1041u;
    return (v | v << 5) & 0x0041041041041041u;
}

/// Interleaves 21 bits of each of three cell numbers, from bit `skip` on, those of the first axis leading.
template <class Cell>
AUREOLE_HD inline std::uint64_t morton_key(const Cell (&cell)[3], int skip = 0)
{
    return spread_by_3<std::uint64_t>(cell[0] >> skip) << 2 |
           spread_by_3<std::uint64_t>(cell[1] >> skip) << 1 | spread_by_3<std::uint64_t>(cell[2] >> skip);
}

/// Interleaves 10 bits of each of six cell numbers, from bit `skip` on, those of the first axis leading.
template <class Cell>
AUREOLE_HD inline std::uint64_t morton_key(const Cell (&cell)[6], int skip = 0)
{
    return spread_by_6(cell[0] >> skip) << 5 | spread_by_6(cell[1] >> skip) << 4 |
           spread_by_6(cell[2] >> skip) << 3 | spread_by_6(cell[3] >> skip) << 2 |
           spread_by_6(cell[4] >> skip) << 1 | spread_by_6(cell[5] >> skip);
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
/// place along Hilbert's curve. Cell: unsigned numbers, or a vector of them. Cost: bits * axes.
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

/// The place of a cell along Hilbert's curve among 2^bits cells an axis: three axes with at most key_bits, or
/// six with at most phase_key_bits. The cell numbers are overwritten.
template <int axes>
AUREOLE_HD inline std::uint64_t hilbert_key(std::uint32_t (&cell)[axes], int bits)
{
    turn_into_hilbert(cell, bits);
    return morton_key(cell);
}

/// A place among 2^42 cells an axis.
struct DeepKey {
    std::uint64_t high;  ///< the key among 2^21 cells an axis
    std::uint64_t low;   ///< 63 further bits
};

/// The place of a cell along Hilbert's curve; cell numbers of 42 bits, overwritten.
AUREOLE_HD inline DeepKey deep_hilbert_key(std::uint64_t (&cell)[3])
{
    turn_into_hilbert(cell, 2 * key_bits);
    return {morton_key(cell, key_bits), morton_key(cell)};
}

}  // namespace aureole
