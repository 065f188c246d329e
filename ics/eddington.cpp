// Radii instead of potentials are the variable of integration: d psi = -(V / r) dr. Q is taken at the radii
// of the grid, so the integrand's singularity is always at the inner end of a cell. That cell is integrated
// in v, r = r_inner + v^2 width, which makes the integrand smooth; the others need no care. Differences of
// psi are sums over cells, of one sign: nothing cancels, however deep the centre lies.
#include "ics/distribution_function.hpp"

#include <cmath>
#include <numbers>

#include "ics/sphere.hpp"
#include "sim/core/gauss_legendre.hpp"

namespace aureole::ics {
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
