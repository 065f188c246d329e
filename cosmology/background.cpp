#include "cosmology/background.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "sim/core/error.hpp"
#include "sim/core/numerics/gauss_legendre.hpp"
#include "sim/core/units.hpp"

namespace aureole::cosmology {
namespace {

/// ln (a2 / a1), to rounding of its own size also where it is small.
double log_ratio(double a1, double a2)
{
    const double change = (a2 - a1) / a1;
    return std::abs(change) < 0.5 ? std::log1p(change) : std::log(a2 / a1);
}

/// The integral of `integrand`(a) d ln a. Integrands are like powers of a: in panels of this width five
/// points leave errors below those of rounding.
double over_ln_a(double a1, double a2, auto integrand)
{
    constexpr double widest = 0.25;
    const double width = log_ratio(a1, a2);
    if (!std::isfinite(width)) return std::numeric_limits<double>::quiet_NaN();
    const int n = 1 + static_cast<int>(std::abs(width) / widest);
    double sum = 0;
    for (int k = 0; k < n; ++k)
        sum += integral(width * k / n, width * (k + 1) / n,
                        [&](double ln_growth) { return integrand(a1 * std::exp(ln_growth)); });
    return sum;
}

}  // namespace

double radiation_density(double h, double t_cmb, double n_neutrinos)
{
    const double photons = 2.4728e-5 * std::pow(t_cmb / 2.7255, 4) / (h * h);
    return photons * (1 + n_neutrinos * 7.0 / 8 * std::pow(4.0 / 11, 4.0 / 3));
}

double hubble_rate_per_s(double h) { return h * 1e7 / (1e3 * kpc_cm); }

void expect_positive(double x, const char* what)
{
    if (!(x > 0 && std::isfinite(x)))
        throw ConfigError(fmt::format("{} is {}, expected a positive, finite number", what, x));
}

double critical_density(double hubble_rate, double gravitational_constant)
{
    return 3 * hubble_rate * hubble_rate / (8 * std::numbers::pi * gravitational_constant);
}

Background::Background(const Parameters& parameters)
    : parameters_(parameters), omega_k_(1 - parameters.omega_m - parameters.omega_r - parameters.omega_de)
{
    const Parameters& p = parameters_;
    expect_positive(p.omega_m, "cosmology: Omega_m");
    if (!(p.omega_r >= 0) || !std::isfinite(p.omega_r))
        throw ConfigError(fmt::format(
            "cosmology: Omega_r is {}; it must be a finite number that is zero or positive", p.omega_r));
    if (!std::isfinite(p.omega_de) || !std::isfinite(p.w0) || !std::isfinite(p.wa))
        throw ConfigError(fmt::format(
            "cosmology: dark energy has Omega_DE {}, w0 {} and wa {}; all of them must be finite numbers",
            p.omega_de, p.w0, p.wa));
}

double Background::dark_energy(double a) const
{
    const auto& [m, de, r, w0, wa] = parameters_;
    if (w0 == -1 && wa == 0) return de;
    return de * std::pow(a, -3 * (1 + w0 + wa)) * std::exp(-3 * wa * (1 - a));
}

double Background::expansion_squared(double a) const
{
    const Parameters& p = parameters_;
    return p.omega_r / (a * a * a * a) + p.omega_m / (a * a * a) + omega_k_ / (a * a) + dark_energy(a);
}

double Background::expansion(double a) const { return std::sqrt(expansion_squared(a)); }

double Background::expansion_slope(double a) const
{
    const Parameters& p = parameters_;
    const double change = -4 * p.omega_r / (a * a * a * a) - 3 * p.omega_m / (a * a * a) -
                          2 * omega_k_ / (a * a) - 3 * (1 + p.w0 + p.wa * (1 - a)) * dark_energy(a);
    return change / (2 * expansion_squared(a));
}

double Background::matter_fraction(double a) const
{
    return parameters_.omega_m / (a * a * a) / expansion_squared(a);
}

double Background::kick(double a1, double a2) const
{
    return over_ln_a(a1, a2, [this](double a) { return 1 / (a * expansion(a)); });
}

double Background::drift(double a1, double a2) const
{
    return over_ln_a(a1, a2, [this](double a) { return 1 / (a * a * expansion(a)); });
}

double Background::time(double a1, double a2) const
{
    return over_ln_a(a1, a2, [this](double a) { return 1 / expansion(a); });
}

double Background::age(double a) const
{
    constexpr double negligible = 1e-12;  // what came before is at most its power of 3/2 of the age
    return time(negligible * a, a);
}

double Background::scale_factor_at_age(double wanted) const
{
    constexpr double latest = 1e6;
    // Newton's steps in ln a, halves of the bracket where they leave it
    double low = 1e-12, high = 1;
    while (high < latest && age(high) < wanted) high *= 2;
    if (!(wanted > age(low)) || !(age(high) >= wanted))
        throw ConfigError(
            fmt::format("cosmology: a universe with Omega_m {}, Omega_DE {} and Omega_r {} does not have the "
                        "age of {} / H0 "
                        "at a scale factor from {} to {}",
                        parameters_.omega_m, parameters_.omega_de, parameters_.omega_r, wanted, low, latest));
    double a = std::sqrt(low * high);
    for (int step = 0; step < 200; ++step) {
        const double excess = age(a) - wanted;
        (excess < 0 ? low : high) = a;
        double next = a * std::exp(-excess * expansion(a));
        if (!(next > low && next < high)) next = std::sqrt(low * high);
        if (std::abs(next - a) <= 1e-15 * a) return next;
        a = next;
    }
    return a;
}

}  // namespace aureole::cosmology
