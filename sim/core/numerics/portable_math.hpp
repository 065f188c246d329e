// Elementary functions from + - * / and sqrt alone, so that results are equal bit for bit on every machine:
// the C library picks other code paths per processor and changes its last bits between versions. Accurate to
// 2 ulp (sines of radians near a multiple of pi: to 1e-25 per half turn).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "sim/core/backend.hpp"

namespace aureole::portable {

struct SinCos {
    double sin, cos;
};

SinCos sin_cos(double radians);         ///< |radians| up to 1e6
SinCos sin_cos_of_turns(double turns);  ///< of 2 pi turns; exact at quarter turns; |turns| up to 1e9
double log(double x);                   ///< x positive, finite, not subnormal
double exp(double x);                   ///< |x| up to 700; 0 below
double cbrt(double x);                  ///< x zero or positive, finite, not subnormal

/// The natural logarithm of a positive, finite number, to 2 ulp. Without branches, so that a compiler takes
/// several at once; of other numbers something.
AUREOLE_HD inline double log_in_loops(double x)
{
    // ln 2 in two parts: the first has 28 bits, so its products with exponents are exact
    constexpr double ln2_high = 0x1.62e42fep-1, ln2_low = 0x1.f473de6af278fp-30;
    constexpr double half_sqrt2 = 0.70710678118654757;
    const double larger = x * 0x1p54;
    const bool subnormal = x < 0x1p-1022;
    const double normal = subnormal ? larger : x;
    std::uint64_t bits;
    std::memcpy(&bits, &normal, sizeof bits);
    // x = 2^exponent m with m in [sqrt(1/2), sqrt(2)); log m = 2 artanh((m - 1) / (m + 1))
    const std::uint64_t exponent_bits = bits >> 52 | 0x4330000000000000,
                        part = (bits & 0x000fffffffffffff) | 0x3fe0000000000000;
    double exponent, m;
    std::memcpy(&exponent, &exponent_bits, sizeof exponent);  // 2^52 more
    std::memcpy(&m, &part, sizeof m);
    const bool low = m < half_sqrt2;
    const double twice = 2 * m;
    exponent = (exponent - 0x1p52) - ((subnormal ? 1076.0 : 1022.0) + (low ? 1.0 : 0.0));
    m = low ? twice : m;
    const double s = (m - 1) / (m + 1);
    const double s2 = s * s;
    double tail = 0;
    for (int k = 11; k >= 1; --k) tail = s2 * (1.0 / (2 * k + 1) + tail);
    return exponent * ln2_high + (2 * s + (2 * s * tail + exponent * ln2_low));
}

/// exp(x) for |x| up to 700, to 2 ulp.
AUREOLE_HD inline double exp_in_loops(double x)
{
    constexpr double ln2_high = 0x1.62e42fep-1, ln2_low = 0x1.f473de6af278fp-30, per_ln2 = 1.4426950408889634;
    // x = k ln 2 + t with |t| <= ln 2 / 2: the first term left out of the series is below 1e-17
    const auto k = static_cast<std::int64_t>(x * per_ln2 + (x < 0 ? -0.5 : 0.5));
    const double t = (x - static_cast<double>(k) * ln2_high) - static_cast<double>(k) * ln2_low;
    double tail = 0;
    for (int n = 14; n >= 2; --n) tail = (1 + tail) * t * (1.0 / n);
    const std::int64_t bits = (k + 1023) << 52;
    double scale;
    std::memcpy(&scale, &bits, sizeof scale);
    return scale * (1 + (t + t * tail));
}

}  // namespace aureole::portable

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
