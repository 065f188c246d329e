#include <algorithm>
#include <cmath>
#include <numbers>

#include "ics/density.hpp"
#include "ics/sphere.hpp"
#include "sim/core/gauss_legendre.hpp"
#include "sim/core/portable_math.hpp"

namespace aureole::ics {
namespace {

/// Second derivatives of the spline through (s, y), equal at both rows of the first and of the last cell: the
/// usual tridiagonal system, eliminated forward.
std::vector<double> spline_curvatures(const std::vector<double>& s, const std::vector<double>& y)
{
    const std::size_t n = s.size();
    std::vector<double> curvature(n, 0.0), right(n, 0.0), upper(n, 0.0);
    for (std::size_t k = 1; k + 1 < n; ++k) {
        const double before = s[k] - s[k - 1], after = s[k + 1] - s[k];
        double diagonal = 2 * (before + after);
        if (k == 1) diagonal += before;
        if (k + 2 == n) diagonal += after;
        const double pivot = diagonal - (k == 1 ? 0 : before * upper[k - 1]);
        const double jump = (y[k + 1] - y[k]) / after - (y[k] - y[k - 1]) / before;
        upper[k] = k + 2 == n ? 0 : after / pivot;
        right[k] = (6 * jump - before * right[k - 1]) / pivot;
    }
    for (std::size_t k = n - 1; k-- > 1;) curvature[k] = right[k] - upper[k] * curvature[k + 1];
    curvature[0] = curvature[1];
    curvature[n - 1] = curvature[n - 2];
    return curvature;
}

}  // namespace

DensitySpline::DensitySpline(const DensityTable& table, double scale)
{
    for (double radius : table.radius) s_.push_back(portable::log(radius * scale));
    for (double density : table.density) y_.push_back(portable::log(density));
    curvature_ = spline_curvatures(s_, y_);
    first_ = within_cell(0, s_[0]);
    inner_slope_ = std::fmin(0.0, first_.slope - first_.curvature / 2);
}

LocalDensity DensitySpline::within_cell(std::size_t k, double s) const
{
    const double h = s_[k + 1] - s_[k], chord = (y_[k + 1] - y_[k]) / h, t = s - s_[k];
    const double c0 = curvature_[k], c1 = curvature_[k + 1], third = (c1 - c0) / h;
    const double slope = chord - h * (2 * c0 + c1) / 6;
    return {portable::exp(y_[k] + t * (slope + t * (c0 / 2 + t * third / 6))),
            slope + t * (c0 + t * third / 2), c0 + t * third};
}

LocalDensity DensitySpline::at(double radius) const
{
    const double s = portable::log(radius);
    if (s < s_[0]) {
        const double x2 = portable::exp(2 * (s - s_[0])), change = (first_.slope - inner_slope_) * x2;
        return {first_.value *
                    portable::exp(inner_slope_ * (s - s_[0]) + (first_.slope - inner_slope_) * (x2 - 1) / 2),
                inner_slope_ + change, 2 * change};
    }
    const auto above = std::upper_bound(s_.begin() + 1, s_.end() - 1, s);
    return within_cell(static_cast<std::size_t>(above - s_.begin()) - 1, s);
}

namespace {

constexpr double sphere_area = 4 * std::numbers::pi;

/// The cell [k, k + 1] of a growing list in which x lies.
std::size_t cell_of(const std::vector<double>& list, double x)
{
    const auto above = std::upper_bound(list.begin() + 1, list.end() - 1, x);
    return static_cast<std::size_t>(above - list.begin()) - 1;
}

}  // namespace

MassTable::MassTable(const Density& density, std::vector<double> radii) : radius_(std::move(radii))
{
    const auto shell = [&](double r) { return sphere_area * r * r * density.at(r).value; };
    for (double r : radius_) growth_.push_back(shell(r));
    // inside the first radius a power law, to the edge of what can matter
    mass_.push_back(radius_[0] * growth_[0] / (3 + density.at(radius_[0]).slope));
    for (std::size_t k = 1; k < radius_.size(); ++k)
        mass_.push_back(mass_.back() + integral(radius_[k - 1], radius_[k], shell));
}

double MassTable::mass_in_cell(std::size_t k, double r) const
{
    const double h = radius_[k + 1] - radius_[k], t = (r - radius_[k]) / h, u = 1 - t;
    return mass_[k] + (mass_[k + 1] - mass_[k]) * t * t * (3 - 2 * t) +
           h * t * u * (growth_[k] * u - growth_[k + 1] * t);
}

double MassTable::enclosed_mass(double r) const
{
    if (r >= radius_.back()) return mass_.back();
    const double x = r / radius_[0];
    return x <= 1 ? mass_[0] * x * x * x : mass_in_cell(cell_of(radius_, r), r);
}

double MassTable::radius_enclosing(double mass) const
{
    if (mass <= mass_[0]) return radius_[0] * portable::cbrt(mass / mass_[0]);
    if (mass >= mass_.back()) return radius_.back();
    const std::size_t k = cell_of(mass_, mass);
    double low = radius_[k], high = radius_[k + 1];
    while (true) {
        const double middle = (low + high) / 2;
        if (!(middle > low && middle < high)) return middle;
        (mass_in_cell(k, middle) < mass ? low : high) = middle;
    }
}

}  // namespace aureole::ics
