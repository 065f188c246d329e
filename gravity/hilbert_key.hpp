// Places on the Hilbert curve as 64-bit keys, and deeper ones.
#pragma once

#include <cstdint>

#include "sim/core/spatial/hilbert.hpp"

namespace aureole::gravity {

inline constexpr int key_bits = 21;  ///< a dimension, of a 63-bit key

/// A place among 2^42 cells a dimension.
struct DeepKey {
    std::uint64_t high;  ///< the key among 2^21 cells a dimension
    std::uint64_t low;   ///< 63 further bits
};

/// Cell numbers of 21 bits; overwritten.
AUREOLE_HD inline std::uint64_t hilbert_key(std::uint32_t (&cell)[3])
{
    turn_into_hilbert(cell, key_bits);
    return interleaved(cell);
}

/// Cell numbers of 42 bits; overwritten.
AUREOLE_HD inline DeepKey deep_hilbert_key(std::uint64_t (&cell)[3])
{
    turn_into_hilbert(cell, 2 * key_bits);
    return {interleaved(cell, key_bits), interleaved(cell)};
}

}  // namespace aureole::gravity
