#include "gravity/mesh/compact_split.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/numerics/gauss_legendre.hpp"

namespace aureole::gravity {
namespace {

/// I_order(x) / (x / 2)^order by its series in y = x^2 / 4, which may be negative.
double bessel_i(int order, double y)
{
    double sum = 0, term = 1;
    for (int k = 1; k < 200; ++k) {
        sum += term;
        term *= y / (k * (k + order));
        if (std::abs(term) < 1e-17 * std::abs(sum)) break;
    }
    return sum;
}

/// The integral of t^2 I_0(x sqrt(1 - t^2)) over [0, 1], (cosh x - sinh(x) / x) / x^2, for x^2 of any sign.
double window_mode(double x2)
{
    if (std::abs(x2) < 0.01) return 1.0 / 3 + x2 / 30 + x2 * x2 / 840 + x2 * x2 * x2 / 45360;
    const double x = std::sqrt(std::abs(x2));
    return x2 > 0 ? (std::cosh(x) - std::sinh(x) / x) / x2 : (std::cos(x) - std::sin(x) / x) / x2;
}

}  // namespace

CompactSplit::CompactSplit(double scale, double cut) : cut_(cut), beta_(0.5 * (cut / scale) * (cut / scale))
{
    AUREOLE_EXPECT(scale > 0 && cut > scale && cut < 8 * scale,
                   "a split of forces at {} that ends at {}, expected an end between 1 and 8 times the split",
                   scale, cut);
    norm_ = window_mode(beta_ * beta_);
}

double CompactSplit::mode(double k) const
{
    const double x = k * cut_;
    return window_mode(beta_ * beta_ - x * x) / norm_;
}

double CompactSplit::curvature() const
{
    const double x = beta_;  // above 0.5, as the cut is above the scale
    // the derivative of window_mode() by x^2
    const double slope = ((x * x + 3) * std::sinh(x) - 3 * x * std::cosh(x)) / (2 * x * x * x * x * x);
    return slope * cut_ * cut_ / norm_;
}

double CompactSplit::force(double r2) const
{
    const double y = r2 / (cut_ * cut_);
    double sum = 0;
    for (const auto& [t, weight] : gauss_legendre_24)
        sum += weight * t * t * bessel_i(0, 0.25 * beta_ * beta_ * (1 - y * t * t));
    return sum / (norm_ * cut_ * cut_ * cut_);
}

double CompactSplit::potential(double r2) const
{
    const double q2 = 1 - r2 / (cut_ * cut_);
    return r2 * force(r2) + 0.5 * q2 * bessel_i(1, 0.25 * beta_ * beta_ * q2) / (norm_ * cut_);
}

}  // namespace aureole::gravity
