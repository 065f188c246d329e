// Fixed-point sums of several ranks are added by reductions of plain 64-bit integers, which lose the carry
// between the two words of a FixedSum. In between, sums are therefore two digits: 48 bits below, and all
// above. Up to 2^16 ranks add without a loss.
#pragma once

#include "sim/core/backend.hpp"
#include "sim/core/sums/fixed_sum.hpp"

namespace aureole::density {

/// In place, of sums in exec's memory, in stream order; the words then are digits.
void to_digits(Exec exec, FixedSum* sums, std::size_t n);
/// Back again, after the digits of all ranks have been added.
void from_digits(Exec exec, FixedSum* sums, std::size_t n);

}  // namespace aureole::density
