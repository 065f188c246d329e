// A sum of positive terms as an integer number of units: the same in any order of terms.
#pragma once

#include <cstdint>

#include "sim/core/backend.hpp"

namespace aureole::halo {

/// Each term is multiplied by a unit (a power of two) and cut to 2^-31. The sum must stay below 2^62.
struct FixedSum {
    std::int64_t whole = 0, part = 0;  ///< part counts 2^-31

    AUREOLE_HD void add(double term_in_units)
    {
        const auto integer = static_cast<std::int64_t>(term_in_units);
        whole += integer;
        part += static_cast<std::int64_t>((term_in_units - static_cast<double>(integer)) * 0x1p31);
    }
    AUREOLE_HD double value() const
    {
        const std::int64_t carried = whole + (part >> 31);  // below 2^62: one rounding, then what is left
        return static_cast<double>(carried) + static_cast<double>(part & 0x7fffffff) * 0x1p-31;
    }
};

}  // namespace aureole::halo
