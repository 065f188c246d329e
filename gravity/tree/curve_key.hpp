// Keys of positions in the frame of a tree.
#pragma once

#include "gravity/tree/tree_view.hpp"
#include "sim/core/spatial/curve_keys.hpp"

namespace aureole::gravity::tree {

/// The number of a cell, 2^bits of them along the frame; positions that are NaN are in the first.
template <int bits, class Cell>
AUREOLE_HD inline Cell cell_in_frame(double x, double low, double cells_per_length)
{
    constexpr double finer = static_cast<double>(std::uint64_t{1} << (bits - key_bits));
    return cell_number<Cell>((x - low) * cells_per_length * finer, bits);
}

AUREOLE_HD inline std::uint64_t curve_key(Vec3 x, const Frame& frame)
{
    const double c = frame.cells_per_length;
    Index cell[3] = {cell_in_frame<key_bits, Index>(x.x, frame.low.x, c),
                     cell_in_frame<key_bits, Index>(x.y, frame.low.y, c),
                     cell_in_frame<key_bits, Index>(x.z, frame.low.z, c)};
    return hilbert_key(cell, key_bits);
}

AUREOLE_HD inline DeepKey deep_curve_key(Vec3 x, const Frame& frame)
{
    constexpr int bits = 2 * key_bits;
    const double c = frame.cells_per_length;
    std::uint64_t cell[3] = {cell_in_frame<bits, std::uint64_t>(x.x, frame.low.x, c),
                             cell_in_frame<bits, std::uint64_t>(x.y, frame.low.y, c),
                             cell_in_frame<bits, std::uint64_t>(x.z, frame.low.z, c)};
    return deep_hilbert_key(cell);
}

}  // namespace aureole::gravity::tree
