#include "ics/disk/bessel.hpp"

#include <cmath>
#include <numbers>

#include "sim/core/numerics/portable_math.hpp"

namespace aureole::ics {
namespace {

/// The power series, where it does not cancel.
BesselPair by_series(double x)
{
    const double step = -x * x / 4;
    double term = 1, j0 = 1, j1 = 1;
    for (int m = 1; m <= 16; ++m) {
        term *= step / (m * m);
        j0 += term;
        j1 += term / (m + 1);
    }
    return {j0, j1 * x / 2};
}

/// Miller's recurrence downwards from an order at which J is negligible; J0 + 2 (J2 + J4 + ...) = 1.
BesselPair by_recurrence(double x)
{
    constexpr int first = 60;
    double above = 0, here = 1e-290, sum = 0;
    for (int n = first; n > 0; --n) {
        if (n % 2 == 0) sum += 2 * here;
        const double below = 2 * n / x * here - above;
        above = here;
        here = below;
    }
    sum += here;
    return {here / sum, above / sum};
}

/// The amplitudes of cos(x - phase) and of -sin(x - phase) in Hankel's expansion for large x.
struct Amplitudes {
    double even, odd;
};

Amplitudes hankel(double four_order2, double x)
{
    double term = 1;
    Amplitudes sum{1, 0};
    for (int k = 1; k <= 24; ++k) {
        const double odd = 2 * k - 1;
        term *= (four_order2 - odd * odd) / (k * 8 * x);
        (k % 2 ? sum.odd : sum.even) += k % 4 < 2 ? term : -term;
    }
    return sum;
}

BesselPair by_asymptotics(double x)
{
    const portable::SinCos turn = portable::sin_cos(x);
    const double root = std::sqrt(1 / (std::numbers::pi * x));
    // cos and sin of x - pi/4 and of x - 3 pi/4, times sqrt 2
    const double c = turn.cos + turn.sin, s = turn.sin - turn.cos;
    const Amplitudes zero = hankel(0, x), one = hankel(4, x);
    return {root * (zero.even * c - zero.odd * s), root * (one.even * s + one.odd * c)};
}

}  // namespace

BesselPair bessel(double x)
{
    if (x < 2) return by_series(x);
    return x < 25 ? by_recurrence(x) : by_asymptotics(x);
}

}  // namespace aureole::ics
