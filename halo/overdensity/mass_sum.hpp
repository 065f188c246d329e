// Exact sums of masses as integers, and the test of a sphere against a density: the same on both backends,
// bit for bit, in any order of additions.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "sim/core/backend.hpp"

namespace aureole::halo {

/// A sum of masses, times 2^mass_exponent: exact but for what is below 2^-94 of all mass.
struct MassSum {
    std::uint64_t high, low;
};

/// 2 to this, times n masses of at most `largest`, is below 2^94. `largest` is finite and above 0.
inline int mass_exponent(double largest, Index n)
{
    constexpr int digits = 94;
    return digits - (std::ilogb(largest) + 1) - static_cast<int>(std::bit_width(n));
}

AUREOLE_HD inline MassSum operator+(MassSum a, MassSum b)
{
    const std::uint64_t low = a.low + b.low;
    return {a.high + b.high + (low < a.low ? 1 : 0), low};
}

AUREOLE_HD inline MassSum operator-(MassSum a, MassSum b)
{
    return {a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low};
}

AUREOLE_HD inline bool is_zero(MassSum a) { return (a.high | a.low) == 0; }

/// mass * 2^exponent, above 0 and below 2^94; what is below 1 is dropped.
AUREOLE_HD inline MassSum to_sum(double mass, int exponent)
{
    constexpr int digits = 52, bias = 1023;
    constexpr std::uint64_t leading = std::uint64_t{1} << digits;
    std::uint64_t bits;
    std::memcpy(&bits, &mass, sizeof bits);
    const int power = static_cast<int>(bits >> digits);
    const std::uint64_t integer = (bits & (leading - 1)) | (power > 0 ? leading : 0);
    const int shift = (power > 0 ? power : 1) - bias - digits + exponent;
    if (shift <= -digits - 1) return {0, 0};
    if (shift <= 0) return {0, integer >> -shift};
    if (shift < 64) return {integer >> (64 - shift), integer << shift};
    return {integer << (shift - 64), 0};
}

AUREOLE_HD inline double to_mass(MassSum sum, int exponent)
{
    return scalbn(static_cast<double>(sum.high) * 0x1p64 + static_cast<double>(sum.low), -exponent);
}

constexpr double sphere_volume = 4.18879020478639098462;  ///< of radius 1

/// Of the sphere of this squared radius. Rises with it, also when rounded.
AUREOLE_HD inline double volume(double squared) { return sphere_volume * squared * sqrt(squared); }

/// Of the sphere in which `mass` has this mean density.
AUREOLE_HD inline double radius_of(double mass, double density)
{
    return cbrt(mass / (sphere_volume * density));
}

/// Whether the mean density of `mass` in the sphere of this squared radius is at least `density`.
AUREOLE_HD inline bool reaches(double mass, double density, double squared)
{
    return mass >= density * volume(squared);
}

}  // namespace aureole::halo
