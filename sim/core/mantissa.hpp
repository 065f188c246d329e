// Numbers with fewer binary digits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace aureole {

inline constexpr int all_mantissa_bits = 52;  ///< of a double, behind the leading one

/// The number nearest to x whose binary fraction has at most `bits` digits (1 to 52) behind the leading one;
/// of two the one whose last digit is even. The relative error is at most 2^-(bits + 1) for normal numbers.
/// What is not finite, and what would become infinite, stays as it is. Rounding twice changes nothing more.
inline double rounded_mantissa(double x, int bits)
{
    if (bits >= all_mantissa_bits || !std::isfinite(x)) return x;
    const int dropped = all_mantissa_bits - bits;
    const auto from = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t last = from >> dropped & 1, half = std::uint64_t{1} << (dropped - 1);
    const double rounded = std::bit_cast<double>((from + half - 1 + last) >> dropped << dropped);
    return std::isfinite(rounded) ? rounded : x;
}

}  // namespace aureole
