// Places on the Hilbert curve: Skilling's passes over the bits of three cell numbers (2004, AIP Conf. Proc.
// 707, 381). The curve has no jumps, so particles in its order are compact groups. The leading bits of a
// place depend on the leading bits of the cell numbers only: a finer grid refines the order of a coarser one.
#pragma once

#include <cstdint>

#include "sim/core/backend.hpp"

namespace aureole::gravity {

inline constexpr int key_bits = 21;  ///< a dimension, of a 63-bit key

/// A place among 2^42 cells a dimension.
struct DeepKey {
    std::uint64_t high;  ///< the key among 2^21 cells a dimension
    std::uint64_t low;   ///< 63 further bits
};

namespace detail {

/// The low 21 bits of v, two zeros between neighbours. T: 64-bit numbers, or a vector of them.
template <class T>
AUREOLE_HD inline T spread_bits(T v)
{
    v &= 0x1fffffu;
    v = (v | v << 32) & 0x001f00000000ffffu;
    v = (v | v << 16) & 0x001f0000ff0000ffu;
    v = (v | v << 8) & 0x100f00f00f00f00fu;
    v = (v | v << 4) & 0x10c30c30c30c30c3u;
    return (v | v << 2) & 0x1249249249249249u;
}

/// Turns cell numbers of `bits` bits into the three interleaved parts of their place. Cell: unsigned numbers,
/// or a vector of them.
template <int bits, class Cell>
AUREOLE_HD inline void to_interleaved_place(Cell (&cell)[3])
{
    for (int level = bits - 1; level > 0; --level) {  // undo the turns and swaps of the coarser levels
        const Cell below = ~((~Cell{}) << level);
        for (int k = 0; k < 3; ++k) {
            const Cell turned = Cell{} - (cell[k] >> level & 1);  // all bits or none
            const Cell swap = (cell[0] ^ cell[k]) & below & ~turned;
            cell[0] ^= (below & turned) | swap;
            cell[k] ^= swap;
        }
    }
    cell[1] ^= cell[0];  // Gray code to number
    cell[2] ^= cell[1];
    Cell flip{};
    for (int level = bits - 1; level > 0; --level)
        flip ^= (Cell{} - (cell[2] >> level & 1)) & ~((~Cell{}) << level);
    for (int k = 0; k < 3; ++k) cell[k] ^= flip;
}

template <class Cell>
AUREOLE_HD inline std::uint64_t interleaved(const Cell (&part)[3], int skip)
{
    return spread_bits<std::uint64_t>(part[0] >> skip) << 2 |
           spread_bits<std::uint64_t>(part[1] >> skip) << 1 | spread_bits<std::uint64_t>(part[2] >> skip);
}

}  // namespace detail

/// Cell numbers of 21 bits; overwritten.
AUREOLE_HD inline std::uint64_t hilbert_key(std::uint32_t (&cell)[3])
{
    detail::to_interleaved_place<key_bits>(cell);
    return detail::interleaved(cell, 0);
}

/// Cell numbers of 42 bits; overwritten.
AUREOLE_HD inline DeepKey deep_hilbert_key(std::uint64_t (&cell)[3])
{
    detail::to_interleaved_place<2 * key_bits>(cell);
    return {detail::interleaved(cell, key_bits), detail::interleaved(cell, 0)};
}

}  // namespace aureole::gravity
