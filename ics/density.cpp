#include "ics/density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ics/density_tails.hpp"
#include "ics/sphere.hpp"
#include "sim/core/numerics/gauss_legendre.hpp"
#include "sim/core/numerics/portable_math.hpp"

namespace aureole::ics {
namespace {

using std::numbers::pi;

/// rho = rho_0 x^-inner (1 + x)^(inner - outer), x = r / a: Hernquist (1, 4), NFW (1, 3).
class DoublePowerLaw final : public Density {
public:
    DoublePowerLaw(double amplitude, double scale_radius, int outer)
        : amplitude_(amplitude), a_(scale_radius), outer_(outer)
    {
    }

    LocalDensity at(double radius) const override
    {
        const double x = radius / a_, y = 1 / (1 + x), steeper = outer_ - 1;
        double value = amplitude_ / x;
        for (int k = 1; k < outer_; ++k) value *= y;
        return {value, -1 - steeper * x * y, -steeper * x * y * y};
    }

private:
    double amplitude_, a_;
    int outer_;
};

class PlummerDensity final : public Density {
public:
    PlummerDensity(double mass, double scale_radius)
        : central_(3 * mass / (4 * pi * scale_radius * scale_radius * scale_radius)), a_(scale_radius)
    {
    }

    LocalDensity at(double radius) const override
    {
        const double x2 = radius / a_ * (radius / a_), y = 1 / (1 + x2);
        return {central_ * y * y * std::sqrt(y), -5 * x2 * y, -10 * x2 * y * y};
    }

private:
    double central_, a_;
};

/// Whether the tail has no beginning.
bool falls_by_itself(const Component& c)
{
    if (c.model.name == "einasto" || c.model.name == "sersic") return true;
    return c.model == Model::nfw && c.own.get<TailConfig>().tail == Tail::gaussian;
}

}  // namespace

double tail_radius(const Component& c)
{
    return c.truncation_radius ? *c.truncation_radius : c.table.radius.back() * c.scale_radius;
}

std::unique_ptr<Density> plummer_density(double mass, double a)
{
    return std::make_unique<PlummerDensity>(mass, a);
}

std::unique_ptr<Density> hernquist_density(double mass, double a)
{
    return std::make_unique<DoublePowerLaw>(mass / (2 * pi * a * a * a), a, 4);
}

std::unique_ptr<Density> nfw_density(const Component& c)
{
    auto shape = std::make_unique<DoublePowerLaw>(1, c.scale_radius, 3);
    return falls_by_itself(c) ? with_gaussian(std::move(shape), c) : with_tail(std::move(shape), c);
}

std::unique_ptr<Density> table_density(const Component& c)
{
    return with_tail(std::make_unique<DensitySpline>(c.table, c.scale_radius), c);
}

std::unique_ptr<Density> make_density(const Component& c)
{
    const auto model = make_model(c);
    return model->sphere() ? model->sphere()->density(c) : nullptr;
}

std::vector<double> radial_grid(const Component& c, const Density& density)
{
    constexpr double ratio = 1 + 1.0 / 64, negligible = 1e-13, farthest = 1e8;
    const auto model = make_model(c);
    const bool has_tail = model->sphere() && model->sphere()->has_tail() && !falls_by_itself(c);
    const double own = has_tail ? tail_radius(c) : c.scale_radius;
    const auto mass_near = [&](double r) { return r * r * r * density.at(r).value; };
    double largest = mass_near(own);
    std::vector<double> radii{own};
    while (radii.back() > own / (farthest * farthest * farthest)) {
        radii.push_back(radii.back() / ratio);
        const double here = mass_near(radii.back());
        largest = std::fmax(largest, here);
        if (here < negligible * largest) break;
    }
    std::reverse(radii.begin(), radii.end());
    while (radii.back() < own * farthest && mass_near(radii.back()) > negligible * largest)
        radii.push_back(radii.back() * ratio);
    // the curvature jumps where a tail begins, so f has a root's edge there: cells halved towards it resolve
    // it
    if (has_tail)
        for (double step = 1.0 / 128; step > 1e-5; step /= 2)
            for (double side : {-1, 1}) radii.push_back(own * (1 + side * step));
    std::sort(radii.begin(), radii.end());
    return radii;
}

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
