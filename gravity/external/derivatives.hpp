// Numbers that carry derivatives (forward differentiation), so that a potential is written once and its
// accelerations and densities follow to rounding. Host and device.
#pragma once

#include <cmath>

#include "sim/core/vec3.hpp"

namespace aureole::gravity {

/// A value with its gradient in space.
struct Gradient {
    double value = 0;
    Vec3 slope{};

    AUREOLE_HD constexpr Gradient(double constant = 0) : value(constant) {}
    AUREOLE_HD constexpr Gradient(double f, Vec3 df) : value(f), slope(df) {}

    /// g(f) for the values of g and g' at f.
    AUREOLE_HD Gradient through(double g, double dg, double) const { return {g, dg * slope}; }
};

AUREOLE_HD inline Gradient operator+(Gradient a, Gradient b)
{
    return {a.value + b.value, a.slope + b.slope};
}
AUREOLE_HD inline Gradient operator-(Gradient a, Gradient b)
{
    return {a.value - b.value, a.slope - b.slope};
}
AUREOLE_HD inline Gradient operator*(Gradient a, Gradient b)
{
    return {a.value * b.value, a.value * b.slope + b.value * a.slope};
}

/// A value with its first two derivatives along one axis.
struct Taylor {
    double value = 0, first = 0, second = 0;

    AUREOLE_HD constexpr Taylor(double constant = 0) : value(constant) {}
    AUREOLE_HD constexpr Taylor(double f, double df, double ddf) : value(f), first(df), second(ddf) {}

    /// g(f) for the values of g, g' and g'' at f.
    AUREOLE_HD Taylor through(double g, double dg, double ddg) const
    {
        return {g, dg * first, dg * second + ddg * first * first};
    }
};

AUREOLE_HD inline Taylor operator+(Taylor a, Taylor b)
{
    return {a.value + b.value, a.first + b.first, a.second + b.second};
}
AUREOLE_HD inline Taylor operator-(Taylor a, Taylor b)
{
    return {a.value - b.value, a.first - b.first, a.second - b.second};
}
AUREOLE_HD inline Taylor operator*(Taylor a, Taylor b)
{
    return {a.value * b.value, a.first * b.value + a.value * b.first,
            a.second * b.value + 2 * a.first * b.first + a.value * b.second};
}

template <class T>
AUREOLE_HD T inverse(T f)
{
    const double g = 1 / f.value;
    return f.through(g, -g * g, 2 * g * g * g);
}
template <class T>
AUREOLE_HD T operator/(T a, T b)
{
    return a * inverse(b);
}

/// At 0 the derivatives are taken to be 0: a radius has none there, and by symmetry no direction is
/// preferred.
template <class T>
AUREOLE_HD T root(T f)
{
    const double g = std::sqrt(f.value);
    const double half = g > 0 ? 0.5 / g : 0.0;
    return f.through(g, half, g > 0 ? -half / (2 * f.value) : 0.0);
}
template <class T>
AUREOLE_HD T logarithm(T f)
{
    const double g = 1 / f.value;
    return f.through(std::log(f.value), g, -g * g);
}
/// ln(1 + f), without cancellation for small f.
template <class T>
AUREOLE_HD T log_one_plus(T f)
{
    const double g = 1 / (1 + f.value);
    return f.through(std::log1p(f.value), g, -g * g);
}
template <class T>
AUREOLE_HD T exponential(T f)
{
    const double g = std::exp(f.value);
    return f.through(g, g, g);
}
template <class T>
AUREOLE_HD T magnitude(T f)
{
    return f.value < 0 ? T(0.0) - f : f;
}

/// ln(1 + u) / u for u >= 0. Below a tenth by its series: differences would cancel in the derivatives.
template <class T>
AUREOLE_HD T log_one_plus_over(T u)
{
    constexpr double series_below = 0.1;
    const double x = u.value;
    if (x < series_below) {
        constexpr int n_terms = 20;  // the first that is left out is 0.1^20 / 21
        double g = 0, dg = 0, ddg = 0;
        for (int k = n_terms - 1; k >= 0; --k) {  // Horner's rule for the sum of (-x)^k / (k + 1)
            ddg = ddg * x + 2 * dg;
            dg = dg * x + g;
            g = g * x + (k % 2 == 0 ? 1.0 : -1.0) / (k + 1);
        }
        return u.through(g, dg, ddg);
    }
    const double g = std::log1p(x) / x, dg = (1 / (1 + x) - g) / x;
    return u.through(g, dg, (-1 / ((1 + x) * (1 + x)) - 2 * dg) / x);
}

/// ln cosh u, which does not overflow.
template <class T>
AUREOLE_HD T log_cosh(T u)
{
    const double size = std::abs(u.value), t = std::tanh(u.value);
    const double g = size + std::log1p(std::exp(-2 * size)) - 0.69314718055994530942;
    return u.through(g, t, 1 - t * t);
}

}  // namespace aureole::gravity
