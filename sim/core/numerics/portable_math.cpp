#include "sim/core/numerics/portable_math.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace aureole::portable {
namespace {

// ln 2 in two parts: the first has 28 bits, so its products with exponents are exact
constexpr double ln2_high = 0x1.62e42fep-1, ln2_low = 0x1.f473de6af278fp-30;

/// Taylor series on |theta| <= pi / 4: the first terms left out are below 1e-17.
SinCos sin_cos_of_octant(double theta)
{
    const double t2 = theta * theta;
    double s = 1, c = 1;
    for (int k = 8; k >= 1; --k) s = 1 - s * t2 / (2 * k * (2 * k + 1));
    for (int k = 9; k >= 1; --k) c = 1 - c * t2 / (2 * k * (2 * k - 1));
    return {theta * s, c};
}

/// `theta` further by that many quarter turns.
SinCos turned(SinCos theta, double quarters)
{
    switch (static_cast<std::int64_t>(quarters) & 3) {
        case 0:
            return theta;
        case 1:
            return {theta.cos, -theta.sin};
        case 2:
            return {-theta.sin, -theta.cos};
        default:
            return {-theta.cos, theta.sin};
    }
}

}  // namespace

SinCos sin_cos(double radians)
{
    // pi / 2 in two parts: the first has 33 bits, so its products with small integers are exact
    constexpr double half_pi_high = 0x1.921fb544p+0, half_pi_low = 0x1.0b4611a626331p-34;
    const double quarters = std::rint(radians * (2 / std::numbers::pi));
    return turned(sin_cos_of_octant((radians - quarters * half_pi_high) - quarters * half_pi_low), quarters);
}

SinCos sin_cos_of_turns(double turns)
{
    turns -= std::rint(turns);  // whole turns change nothing, and may not fit an integer
    const double quarters = std::rint(4 * turns);
    return turned(sin_cos_of_octant(2 * std::numbers::pi * (turns - quarters / 4)), quarters);
}

double log(double x) { return log_in_loops(x); }

double exp(double x)
{
    if (x < -700) return 0;
    // x = k ln 2 + t with |t| <= ln 2 / 2: the first term left out of the series is below 1e-17
    const double k = std::rint(x / std::numbers::ln2);
    const double t = (x - k * ln2_high) - k * ln2_low;
    double tail = 0;
    for (int n = 14; n >= 2; --n) tail = (1 + tail) * t / n;
    return std::ldexp(1 + (t + t * tail), static_cast<int>(k));
}

double cbrt(double x)
{
    if (x == 0) return 0;
    int exponent = 0;
    double m = std::frexp(x, &exponent);
    while (exponent % 3 != 0) {
        m *= 2;
        --exponent;
    }
    double y = 0.7 + 0.35 * m;  // m in [1/2, 4): at most 30 % off, and Newton squares the error
    for (int i = 0; i < 6; ++i) y -= (y - m / (y * y)) / 3;
    return std::ldexp(y, exponent / 3);
}

}  // namespace aureole::portable
