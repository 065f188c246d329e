// Sums that do not depend on their order: fixed-point numbers of two 64-bit limbs. A term is a fraction
// between -1 and 1 of a unit, kept to 2^-62; the low limb holds 2^64 of them, the high limb the carries.
// Integer additions commute, so the bits repeat for any number of threads. Exact up to 2^64 units.
#pragma once

#include <cstdint>

#include "sim/core/atomics.hpp"
#include "sim/core/backend.hpp"

namespace aureole::density {

__extension__ using Int128 = __int128;

/// A fraction of the unit as a multiple of 2^-62, truncated. The caller assigns what truncation loses.
template <class Real>
AUREOLE_HD std::int64_t to_fixed(Real fraction)
{
    return static_cast<std::int64_t>(fraction * Real{0x1p62});
}

/// A sum of fractions. All bits zero is the sum 0.
struct FixedSum {
    std::uint64_t low;
    std::int64_t high;

    /// The sum in 2^-62 of the unit.
    AUREOLE_HD Int128 whole() const
    {
        return static_cast<Int128>(high) * (static_cast<Int128>(1) << 64) + low;
    }
    /// The sum in units.
    AUREOLE_HD double value() const { return static_cast<double>(whole()) * 0x1p-62; }
};

/// Adds `other`; one thread at a time.
inline void add(FixedSum& sum, const FixedSum& other)
{
    sum.high += other.high + (sum.low + other.low < other.low ? 1 : 0);
    sum.low += other.low;
}

/// Adds a term; any number of threads at a time.
AUREOLE_HD inline void atomic_add(FixedSum* sum, std::int64_t term)
{
    const auto bits = static_cast<std::uint64_t>(term);
    const std::uint64_t before = aureole::atomic_add(&sum->low, bits);
    const std::int64_t carry = (term < 0 ? -1 : 0) + (before + bits < before ? 1 : 0);
    if (carry != 0) aureole::atomic_add(&sum->high, carry);
}

}  // namespace aureole::density
