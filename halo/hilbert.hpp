// A Hilbert curve through a cube of any dimension (Hilbert 1891, by the method of Skilling 2004): cells that
// follow each other always share a face, so a run of points along the curve stays in one place. (A Morton
// curve jumps: a few of its runs have boxes that cross the whole cube.)
#pragma once

#include <cstdint>

#include "sim/core/backend.hpp"

namespace aureole::halo {

/// Bit p becomes the parity of all bits of x above p.
AUREOLE_HD inline std::uint32_t parity_above(std::uint32_t x)
{
    x >>= 1;
    for (int step = 1; step < 32; step *= 2) x ^= x >> step;
    return x;
}

/// Replaces coordinates of `bits` bits by others whose interleaved bits, those of axis 0 first, are the
/// cell's place along the curve. Cost: bits * axes.
template <int axes>
AUREOLE_HD void turn_into_hilbert(std::uint32_t (&x)[axes], int bits)
{
    for (int p = bits - 1; p > 0; --p) {
        const std::uint32_t below = (std::uint32_t{1} << p) - 1;
        for (int axis = 0; axis < axes; ++axis) {  // mirror the smaller cubes, or swap two of their axes
            const std::uint32_t mirror = 0 - (x[axis] >> p & 1);  // no branch: it would be guessed wrongly
            const std::uint32_t swapped = (x[0] ^ x[axis]) & below & ~mirror;
            x[0] ^= swapped | (below & mirror);
            x[axis] ^= swapped;
        }
    }
    for (int axis = 1; axis < axes; ++axis) x[axis] ^= x[axis - 1];  // from the Gray code to counting
    const std::uint32_t flips = parity_above(x[axes - 1]);
    for (int axis = 0; axis < axes; ++axis) x[axis] ^= flips;
}

}  // namespace aureole::halo
