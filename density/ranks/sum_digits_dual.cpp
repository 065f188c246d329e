#include "density/ranks/sum_digits.hpp"

#include <algorithm>

#include "sim/core/for_each_dual.hpp"

namespace aureole::density {
namespace {

constexpr int digit_bits = 48;
constexpr std::uint64_t digit_mask = (std::uint64_t{1} << digit_bits) - 1;

/// Number of sums in one pass: a pass counts by Index.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

}  // namespace

void to_digits(Exec exec, FixedSum* sums, std::size_t n)
{
    for (std::size_t begin = 0; begin < n; begin += most_at_once) {
        FixedSum* const from = sums + begin;
        for_each(exec, static_cast<Index>(std::min(most_at_once, n - begin)), [=] AUREOLE_HD(Index i) {
            const FixedSum sum = from[i];
            const std::uint64_t above =
                static_cast<std::uint64_t>(sum.high) << (64 - digit_bits) | sum.low >> digit_bits;
            from[i] = {sum.low & digit_mask, static_cast<std::int64_t>(above)};
        });
    }
}

void from_digits(Exec exec, FixedSum* sums, std::size_t n)
{
    for (std::size_t begin = 0; begin < n; begin += most_at_once) {
        FixedSum* const from = sums + begin;
        for_each(exec, static_cast<Index>(std::min(most_at_once, n - begin)), [=] AUREOLE_HD(Index i) {
            const std::uint64_t below = from[i].low;
            const std::int64_t above = from[i].high + static_cast<std::int64_t>(below >> digit_bits);
            from[i] = {static_cast<std::uint64_t>(above) << digit_bits | (below & digit_mask),
                       above >> (64 - digit_bits)};
        });
    }
}

}  // namespace aureole::density
