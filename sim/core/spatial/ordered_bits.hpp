// Doubles as integers of the same order, so that integer atomics find the least and the largest.
#pragma once

#include <cstdint>
#include <cstring>

#include "sim/core/backend.hpp"

namespace aureole {

namespace detail {
inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
}

/// A 64-bit pattern that sorts like the number it stands for. Not for NaN.
AUREOLE_HD inline std::uint64_t ordered_bits(double x)
{
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits & detail::sign_bit ? ~bits : bits | detail::sign_bit;
}

AUREOLE_HD inline double from_ordered_bits(std::uint64_t bits)
{
    bits = bits & detail::sign_bit ? bits & ~detail::sign_bit : ~bits;
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

}  // namespace aureole
