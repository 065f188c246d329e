#include "ics/distribution_function.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "ics/sphere.hpp"
#include "sim/core/numerics/gauss_legendre.hpp"

namespace aureole::ics {
namespace {

/// The derivative dy/dx at point k of a list from the parabola through it and its neighbours.
double slope_at(const std::vector<double>& x, const std::vector<double>& y, std::size_t k)
{
    const std::size_t last = x.size() - 1;
    const auto chord = [&](std::size_t j) { return (y[j + 1] - y[j]) / (x[j + 1] - x[j]); };
    if (k == 0 || k == last) return chord(k == 0 ? 0 : last - 1);
    const double before = x[k] - x[k - 1], after = x[k + 1] - x[k];
    return (chord(k - 1) * after + chord(k) * before) / (before + after);
}

/// 1 / r_a^2; 0 for an isotropic model.
double weight_of(std::optional<double> anisotropy_radius)
{
    return anisotropy_radius ? 1 / (*anisotropy_radius * *anisotropy_radius) : 0;
}

/// The largest share, over all radii, of the negative part of f in int f d3v ~ int f sqrt(psi - Q) dQ.
double negative_share(const EddingtonTable& table, double weight)
{
    const std::size_t n = table.radius.size();
    double largest = 0;
    for (std::size_t j = 0; j + 1 < n; ++j) {
        double negative = 0, positive = 0;
        for (std::size_t k = j + 1; k + 1 < n; ++k) {
            const double f = table.isotropic[k] + weight * table.radial[k];
            const double width = table.psi[k - 1] - table.psi[k + 1];
            (f < 0 ? negative : positive) += std::abs(f) * width * std::sqrt(table.psi[j] - table.psi[k]);
        }
        if (negative > largest * positive) largest = negative / positive;
    }
    return largest;
}

/// The cubic with values y and slopes d at the ends of a cell, at the part t of its width h.
double cubic(double t, double h, double y0, double y1, double d0, double d1)
{
    const double u = 1 - t;
    return y0 + (y1 - y0) * t * t * (3 - 2 * t) + h * t * u * (d0 * u - d1 * t);
}

}  // namespace

std::optional<NegativeAt> negative_at(const EddingtonTable& table, std::optional<double> anisotropy_radius,
                                      double negligible)
{
    const double weight = weight_of(anisotropy_radius);
    double worst = 0, allowed_weight = std::numeric_limits<double>::infinity();
    NegativeAt result{};
    for (std::size_t k = 0; k < table.radius.size(); ++k) {
        const double isotropic = table.isotropic[k] + table.isotropic_rounding[k];
        const double radial = table.radial[k] + table.radial_rounding[k];
        if (isotropic < 0)
            allowed_weight = 0;
        else if (radial < 0)
            allowed_weight = std::fmin(allowed_weight, -isotropic / radial);
        const double size = table.isotropic_rounding[k] + weight * table.radial_rounding[k];
        const double f = size > 0 ? (isotropic + weight * radial) / size : 0;
        if (f >= worst) continue;
        worst = f;
        result.radius = table.radius[k];
    }
    if (worst == 0 || (negligible > 0 && negative_share(table, weight) <= negligible)) return {};
    if (anisotropy_radius && allowed_weight > 0)
        result.least_anisotropy_radius = 1 / std::sqrt(allowed_weight);
    return result;
}

DistributionFunction::DistributionFunction(const EddingtonTable& table,
                                           std::optional<double> anisotropy_radius)
    : radius_(table.radius), psi_(table.psi), inverse_anisotropy_radius2_(weight_of(anisotropy_radius))
{
    const std::size_t n = radius_.size();
    for (std::size_t k = 0; k < n; ++k)
        f_.push_back(std::fmax(0.0, table.isotropic[k] + inverse_anisotropy_radius2_ * table.radial[k]));
    for (std::size_t k = 0; k < n; ++k) {
        slope_.push_back(slope_at(psi_, f_, k));
        gradient_.push_back(-slope_at(radius_, psi_, k));
        // radii beyond this one are less deep, so the bound of the inner end holds for a whole cell
        double bound = 0;
        for (std::size_t j = k + 1; j < n; ++j) bound = std::fmax(bound, 2 * (psi_[k] - psi_[j]) * f_[j]);
        bound_.push_back(1.02 * bound);  // f between the radii
    }
}

double DistributionFunction::psi(double radius) const
{
    if (radius >= radius_.back()) return 0;
    const double r = std::fmax(radius, radius_[0]);
    const auto above = std::upper_bound(radius_.begin() + 1, radius_.end() - 1, r);
    const auto k = static_cast<std::size_t>(above - radius_.begin()) - 1;
    const double h = radius_[k + 1] - radius_[k];
    return cubic((r - radius_[k]) / h, h, psi_[k], psi_[k + 1], -gradient_[k], -gradient_[k + 1]);
}

double DistributionFunction::value(double q) const
{
    if (q <= 0) return 0;
    const auto below = std::lower_bound(psi_.begin() + 1, psi_.end() - 1, q, std::greater<>());
    const auto k = static_cast<std::size_t>(below - psi_.begin()) - 1;  // psi_[k] >= q > psi_[k + 1]
    const double h = psi_[k + 1] - psi_[k], t = std::fmax(0.0, (q - psi_[k]) / h);
    return std::fmax(0.0, cubic(t, h, f_[k], f_[k + 1], slope_[k], slope_[k + 1]));
}

Vec3 DistributionFunction::velocity(Vec3 position, Random& random) const
{
    const double r = std::sqrt(dot(position, position)), depth = psi(r);
    const auto above = std::upper_bound(radius_.begin() + 1, radius_.end() - 1, r);
    const double bound = bound_[static_cast<std::size_t>(above - radius_.begin()) - 1];
    const double escape_speed = std::sqrt(2 * depth);
    for (;;) {
        const double u = escape_speed * random.uniform();
        if (bound * random.uniform() > u * u * value(depth - u * u / 2)) continue;
        const Vec3 isotropic = u * random.direction();
        const double shrink = 1 / std::sqrt(1 + r * r * inverse_anisotropy_radius2_);
        const Vec3 radial = dot(isotropic, position) / (r * r) * position;
        return radial + shrink * (isotropic - radial);
    }
}

// Radii instead of potentials are the variable of integration: d psi = -(V / r) dr. Q is taken at the radii
// of the grid, so the integrand's singularity is always at the inner end of a cell. That cell is integrated
// in v, r = r_inner + v^2 width, which makes the integrand smooth; the others need no care. Differences of
// psi are sums over cells, of one sign: nothing cancels, however deep the centre lies.

namespace {
using std::numbers::pi;

/// (d2 rho_Q / d psi2) V / r of rho and of r^2 rho.
struct Integrand {
    double isotropic, radial;
};

Integrand integrand(const Density& density, const Field& field, double r)
{
    const LocalDensity rho = density.at(r);
    const double mass = field.enclosed_mass(r);
    const double steepening = 4 * pi * r * r * r * field.density(r) / mass - 1;  // mu - 1
    const auto bracket = [&](double slope) { return slope * slope + rho.curvature - slope * steepening; };
    const double common = rho.value / mass;  // rho / V^2 times V / r
    return {common * bracket(rho.slope), common * r * r * bracket(rho.slope + 2)};
}

/// A term of the sum over a cell: integrand times weight, and psi less than at the cell's inner end.
struct Term {
    double drop, isotropic, radial;
};

struct Cell {
    std::array<Term, gauss_legendre.size()> plain, singular;
    double drop;  ///< of psi, from the inner to the outer end
};

Cell make_cell(const Density& density, const Field& field, double inner, double outer)
{
    const double width = outer - inner;
    const auto acceleration = [&](double r) { return field.enclosed_mass(r) / (r * r); };
    const auto term = [&](double r, double weight) {
        const Integrand value = integrand(density, field, r);
        return Term{integral(inner, r, acceleration), weight * value.isotropic, weight * value.radial};
    };
    Cell cell;
    for (std::size_t g = 0; g < gauss_legendre.size(); ++g) {
        const auto [at, weight] = gauss_legendre[g];
        cell.plain[g] = term(inner + at * width, weight * width);
        cell.singular[g] = term(inner + at * at * width, weight * 2 * at * width);
    }
    cell.drop = integral(inner, outer, acceleration);
    return cell;
}

/// f at the inner end of cell `first`.
struct Sums {
    double isotropic = 0, radial = 0, isotropic_size = 0, radial_size = 0;

    void add(const Term& term, double distance)
    {
        const double factor = 1 / std::sqrt(distance);
        isotropic += factor * term.isotropic;
        radial += factor * term.radial;
        isotropic_size += factor * std::abs(term.isotropic);
        radial_size += factor * std::abs(term.radial);
    }
};

Sums sums_from(const std::vector<Cell>& cells, std::size_t first)
{
    Sums sums;
    for (const Term& term : cells[first].singular) sums.add(term, term.drop);
    double distance = cells[first].drop;
    for (std::size_t c = first + 1; c < cells.size(); ++c) {
        for (const Term& term : cells[c].plain) sums.add(term, distance + term.drop);
        distance += cells[c].drop;
    }
    return sums;
}

}  // namespace

void Field::add(const Component& component, bool whole)
{
    const auto model = make_model(component);
    if (!model->sphere()) {
        auto density = model->monopole(component);
        auto mass = std::make_unique<MassTable>(*density, model->monopole_radii(component));
        parts_.push_back({std::move(mass), std::move(density), 0, std::numeric_limits<double>::infinity()});
        return;
    }
    const double radius = component.scale_radius;
    parts_.push_back({make_mass_model(component), make_density(component),
                      3 * component.mass / (4 * pi * radius * radius * radius),
                      whole ? std::numeric_limits<double>::infinity() : outer_radius(component)});
}

double Field::enclosed_mass(double radius) const
{
    double sum = 0;
    for (const Part& part : parts_) sum += part.mass->enclosed_mass(std::fmin(radius, part.outer));
    return sum;
}

double Field::density(double radius) const
{
    double sum = 0;
    for (const Part& part : parts_)
        if (radius <= part.outer) sum += part.density ? part.density->at(radius).value : part.uniform_density;
    return sum;
}

EddingtonTable invert(const Density& density, const Field& field, std::vector<double> radii)
{
    const std::size_t n = radii.size();
    std::vector<Cell> cells(n - 1);
    EddingtonTable table{std::move(radii),       std::vector<double>(n), std::vector<double>(n),
                         std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
#pragma omp parallel for
    for (std::size_t c = 0; c < n - 1; ++c)
        cells[c] = make_cell(density, field, table.radius[c], table.radius[c + 1]);
    for (std::size_t c = n - 1; c-- > 0;) table.psi[c] = table.psi[c + 1] + cells[c].drop;

    const double factor = 1 / (std::sqrt(8.0) * pi * pi), rounding = 1e-5 * factor;
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t c = 0; c < n - 1; ++c) {
        const Sums sums = sums_from(cells, c);
        table.isotropic[c] = factor * sums.isotropic;
        table.radial[c] = factor * sums.radial;
        table.isotropic_rounding[c] = rounding * sums.isotropic_size;
        table.radial_rounding[c] = rounding * sums.radial_size;
    }
    return table;
}

}  // namespace aureole::ics
