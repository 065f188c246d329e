#include "gravity/treepm/split_pair.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace aureole::gravity::treepm {
namespace {

using std::numbers::pi;

/// (erf u - 2 u / sqrt(pi) exp(-u^2)) / u^3 and erf(u) / u, y = u^2; series where closed forms lose digits.
double of_force(double y)
{
    if (y < 0.5) {
        double sum = 0, term = 4 / std::sqrt(pi);
        for (int k = 0; k < 24; ++k) {
            sum += term / (2 * k + 3);
            term *= -y / (k + 1);
        }
        return sum;
    }
    const double u = std::sqrt(y);
    return (std::erf(u) - 2 * u / std::sqrt(pi) * std::exp(-y)) / (u * y);
}
double of_potential(double y)
{
    const double u = std::sqrt(y);
    return u < 1e-8 ? 2 / std::sqrt(pi) : std::erf(u) / u;
}

/// Coefficients of powers of t for f((t + 1) / 2 largest), by interpolation at Chebyshev's points.
std::vector<double> polynomial(int degree, double largest, const std::function<double(double)>& f)
{
    const int n = degree + 1;
    std::vector<double> result(n), last(n), here(n);  // T_(k-1) and T_k as powers of t
    std::vector<double> values;
    for (int j = 0; j < n; ++j) values.push_back(f((std::cos(pi * (j + 0.5) / n) + 1) / 2 * largest));
    last[0] = 1;
    here[1] = 1;
    for (int k = 0; k < n; ++k) {
        double coefficient = 0;
        for (int j = 0; j < n; ++j) {
            const double angle = pi * (j + 0.5) / n;
            coefficient += values[j] * std::cos(k * angle);
        }
        coefficient *= (k == 0 ? 1.0 : 2.0) / n;
        const std::vector<double>& chebyshev = k == 0 ? last : here;
        for (int j = 0; j < n; ++j) result[j] += coefficient * chebyshev[j];
        if (k == 0) continue;
        std::vector<double> next(n);
        for (int j = 0; j < n; ++j) next[j] = (j > 0 ? 2 * here[j - 1] : 0) - last[j];
        last = here;
        here = next;
    }
    return result;
}

}  // namespace

SplitCoefficients split_coefficients(double split, double reach, int degree)
{
    const double largest = reach * reach / (4 * split * split), unit = 1 / (2 * split);
    return {polynomial(degree, largest, [unit](double y) { return unit * unit * unit * of_force(y); }),
            polynomial(degree, largest, [unit](double y) { return unit * of_potential(y); }),
            2 / (reach * reach)};
}

SplitCoefficients split_coefficients(const CompactSplit& split, double reach, int degree)
{
    const double largest = reach * reach;
    return {polynomial(degree, largest, [&split](double r2) { return split.force(r2); }),
            polynomial(degree, largest, [&split](double r2) { return split.potential(r2); }), 2 / largest};
}

SplitCoefficients SplitPair::coefficients(double reach, int terms, double unit) const
{
    return shape_ == SplitShape::compact
               ? split_coefficients(CompactSplit(split_ / unit, cut_ / unit), reach, terms)
               : split_coefficients(split_ / unit, reach, terms);
}

SplitPair::SplitPair(double split, double cut, SplitShape shape) : split_(split), cut_(cut), shape_(shape)
{
    const SplitCoefficients found = coefficients(beyond_cut * cut, degree, 1);
    std::ranges::copy(found.force, force_.begin());
    std::ranges::copy(found.potential, potential_.begin());
    per_square_ = found.per_square;
}

}  // namespace aureole::gravity::treepm
