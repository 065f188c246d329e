// Sums of doubles that are equal bit for bit in any order of their terms and however these are cut among
// threads, parts and ranks: each term is rounded to a multiple of one small unit and added as integers. Three
// digits spare their carries, so that plain integer sums of a message library add them too.
#pragma once

#include <cstdint>
#include <cstring>

#include "sim/core/sums/fixed_sum.hpp"

namespace aureole {

namespace detail {

AUREOLE_HD inline std::uint64_t bits_of(double x)
{
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

}  // namespace detail

/// The exponent of a number for OrderFreeSum: |term| is below 2^exponent. A maximum of exponents is
/// order-free. That of zero is the least; infinite and undefined numbers have the greatest.
AUREOLE_HD inline std::int32_t sum_exponent(double term)
{
    const std::uint64_t bits = detail::bits_of(term) & 0x7fffffffffffffffu;
    const auto biased = static_cast<std::int32_t>(bits >> 52);
    return bits == 0 ? -1075 : biased == 0 ? -1022 : biased - 1022;
}

/// 2^exponent, exponents from -1074 to 1023.
AUREOLE_HD inline double power_of_two(std::int32_t exponent)
{
    const std::uint64_t bits = exponent >= -1022 ? static_cast<std::uint64_t>(exponent + 1023) << 52
                                                 : std::uint64_t{1} << (exponent + 1074);
    double power;
    std::memcpy(&power, &bits, sizeof power);
    return power;
}

/// Terms below 2^exponent, each rounded to a multiple of 2^(exponent - 100): the error of N terms is at most
/// N 2^-101 of the largest possible one. `exponent` is the greatest sum_exponent() of all terms and is the
/// same for all sums that are added; it is no part of the sum. 2^22 terms may be added before settle() is
/// needed. Zero when all digits are.
struct OrderFreeSum {
    static constexpr int bits = 40, n_digits = 3, finest = 100;
    static constexpr std::int32_t least_exponent = -974, greatest_exponent = 1024;
    static constexpr std::uint32_t unsettled_terms = 1u << 22;

    std::int64_t digit[n_digits];  ///< the finest first

    /// A finite term. Terms of less than half a unit are lost.
    AUREOLE_HD void add(double term, std::int32_t exponent)
    {
        if (term == 0) return;
        const std::uint64_t raw = detail::bits_of(term);
        const auto biased = static_cast<std::int32_t>(raw >> 52 & 0x7ff);
        const std::uint64_t fraction = raw & 0xfffffffffffffu;
        std::uint64_t mantissa = biased ? fraction | std::uint64_t{1} << 52 : fraction;
        // |term| = mantissa 2^place, and in units mantissa 2^shift
        const std::int32_t place = (biased ? biased : 1) - 1075, shift = place - (clamped(exponent) - finest);
        if (shift < -53) return;
        if (shift < 0) {
            mantissa = (mantissa + (std::uint64_t{1} << (-shift - 1))) >> -shift;
            put(mantissa, 0, raw >> 63);
        } else {
            put(mantissa, shift, raw >> 63);
        }
    }

    AUREOLE_HD void add(const OrderFreeSum& other)
    {
        for (int k = 0; k < n_digits; ++k) digit[k] += other.digit[k];
    }

    /// Carries, after which the finer digits are from 0 to below 2^40. The value is as before.
    AUREOLE_HD void settle()
    {
        for (int k = 0; k + 1 < n_digits; ++k) {
            digit[k + 1] += digit[k] >> bits;
            digit[k] &= (std::int64_t{1} << bits) - 1;
        }
    }

    /// The sum, rounded once.
    AUREOLE_HD double value(std::int32_t exponent) const
    {
        OrderFreeSum sum = *this;
        sum.settle();
        const Int128 one = 1;
        const Int128 upper = sum.digit[2] * (one << bits) + sum.digit[1];
        const std::int32_t unit = clamped(exponent) - finest;
        constexpr Int128 small = one << 80;
        if (upper < small && upper > -small)
            return scaled(static_cast<double>(upper * (one << bits) + sum.digit[0]), unit);
        // beyond 2^80 the finest digit decides ties only
        return scaled(static_cast<double>(upper * 2 + (sum.digit[0] != 0 ? 1 : 0)), unit + bits - 1);
    }

private:
    AUREOLE_HD static std::int32_t clamped(std::int32_t exponent)
    {
        return exponent < least_exponent ? least_exponent : exponent;
    }
    AUREOLE_HD static double scaled(double x, std::int32_t exponent)
    {
        const std::int32_t half = exponent / 2;  // in two steps: 2^exponent itself may not be a number
        return x * power_of_two(half) * power_of_two(exponent - half);
    }
    /// Adds mantissa 2^shift, shift from 0 to 67.
    AUREOLE_HD void put(std::uint64_t mantissa, std::int32_t shift, std::uint64_t negative)
    {
        constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
        const std::int32_t first = shift / bits, within = shift % bits;
        // 53 bits moved by up to 39: 92 bits, three digits
        const std::uint64_t low = mantissa << within & mask;
        const std::uint64_t middle = mantissa >> (bits - within) & mask;
        const std::uint64_t high = within > 0 ? mantissa >> (bits - within) >> bits : 0;
        const std::uint64_t parts[n_digits] = {low, middle, high};
        for (int k = 0; k < n_digits && first + k < n_digits; ++k) {
            const auto part = static_cast<std::int64_t>(parts[k]);
            digit[first + k] += negative ? -part : part;
        }
    }
};

}  // namespace aureole
