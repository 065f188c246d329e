// Sums of many terms that are equal bit for bit in any order of the terms, hence for any number of threads:
// fixed-point numbers, whose additions commute. FixedSum is for atomic additions from anywhere, SplitSum for
// sums in registers and vector lanes, where a carry with each addition would cost too much.
#pragma once

#include <cstdint>

#include "sim/core/atomics.hpp"
#include "sim/core/backend.hpp"

namespace aureole {

__extension__ using Int128 = __int128;

/// A fraction of the unit, in 2^-62. It is truncated; the caller decides what becomes of the rest.
template <class Real>
AUREOLE_HD std::int64_t to_fixed(Real fraction)
{
    return static_cast<std::int64_t>(fraction * Real{0x1p62});
}

/// Terms between -1 and 1 of a unit, kept to 2^-62, in two limbs of 64 bits: the low one holds 2^64 of them,
/// the high one the carries. Exact up to 2^64 units. Zero when all bits are.
struct FixedSum {
    std::uint64_t low;
    std::int64_t high;

    /// In 2^-62 units.
    AUREOLE_HD Int128 whole() const
    {
        return static_cast<Int128>(high) * (static_cast<Int128>(1) << 64) + low;
    }
    /// In units.
    AUREOLE_HD double value() const { return static_cast<double>(whole()) * 0x1p-62; }
};

/// By one thread at a time.
inline void add(FixedSum& sum, const FixedSum& other)
{
    sum.high += other.high + (sum.low + other.low < other.low ? 1 : 0);
    sum.low += other.low;
}

/// From any thread, at any time.
AUREOLE_HD inline void atomic_add(FixedSum* sum, std::int64_t term)
{
    const auto bits = static_cast<std::uint64_t>(term);
    const std::uint64_t before = atomic_add(&sum->low, bits);
    const std::int64_t carry = (term < 0 ? -1 : 0) + (before + bits < before ? 1 : 0);
    if (carry != 0) atomic_add(&sum->high, carry);
}

/// Positive terms in units (the caller multiplies by a power of two), each cut to 2^-31. The sum must stay
/// below 2^62.
struct SplitSum {
    std::int64_t whole = 0, part = 0;  ///< part counts 2^-31

    AUREOLE_HD void add(double term_in_units)
    {
        const auto integer = static_cast<std::int64_t>(term_in_units);
        whole += integer;
        part += static_cast<std::int64_t>((term_in_units - static_cast<double>(integer)) * 0x1p31);
    }
    /// In units.
    AUREOLE_HD double value() const
    {
        const std::int64_t carried = whole + (part >> 31);  // below 2^62: one rounding, then what is left
        return static_cast<double>(carried) + static_cast<double>(part & 0x7fffffff) * 0x1p-31;
    }
};

}  // namespace aureole
