#include "sim/core/numerics/cubic_spline.hpp"

#include <algorithm>

#include "sim/core/error.hpp"

namespace aureole {

CubicSpline::CubicSpline(std::span<const double> x, std::span<const double> y)
    : x_(x.begin(), x.end()), y_(y.begin(), y.end()), curvature_(x.size(), 0.0)
{
    const std::size_t n = x_.size();
    AUREOLE_EXPECT(n >= 2 && y_.size() == n,
                   "a spline has {} abscissae and {} values, expected two or more of each", n, y_.size());
    for (std::size_t i = 1; i < n; ++i)
        AUREOLE_EXPECT(x_[i] > x_[i - 1], "abscissa {} of a spline is {} after {}, expected them to rise", i,
                       x_[i], x_[i - 1]);
    // the tridiagonal system of continuous slopes, by elimination downwards and substitution upwards
    std::vector<double> above(n, 0.0);
    for (std::size_t i = 1; i + 1 < n; ++i) {
        const double left = x_[i] - x_[i - 1], right = x_[i + 1] - x_[i];
        const double jump = (y_[i + 1] - y_[i]) / right - (y_[i] - y_[i - 1]) / left;
        const double pivot = 2 * (left + right) - left * above[i - 1];
        above[i] = right / pivot;
        curvature_[i] = (6 * jump - left * curvature_[i - 1]) / pivot;
    }
    for (std::size_t i = n - 1; i-- > 1;) curvature_[i] -= above[i] * curvature_[i + 1];
}

CubicSpline::Sample CubicSpline::at(double x) const
{
    const double inside = std::clamp(x, x_.front(), x_.back());
    const auto upper = std::upper_bound(x_.begin() + 1, x_.end() - 1, inside);
    const std::size_t i = static_cast<std::size_t>(upper - x_.begin()) - 1;
    const double h = x_[i + 1] - x_[i], b = (inside - x_[i]) / h, a = 1 - b;
    const double value = a * y_[i] + b * y_[i + 1] +
                         ((a * a * a - a) * curvature_[i] + (b * b * b - b) * curvature_[i + 1]) * h * h / 6;
    const double slope = (y_[i + 1] - y_[i]) / h +
                         ((3 * b * b - 1) * curvature_[i + 1] - (3 * a * a - 1) * curvature_[i]) * h / 6;
    return {value + (x - inside) * slope, slope};
}

}  // namespace aureole
