#include "ics/mass_table.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ics/density.hpp"
#include "ics/gauss_legendre.hpp"
#include "sim/core/portable_math.hpp"

namespace aureole::ics {
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
