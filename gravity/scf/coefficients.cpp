#include "gravity/scf/coefficients.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/core/error.hpp"

namespace aureole::gravity::scf {
namespace {

/// result = factor(n, l, m) * given
template <class Factor>
std::vector<double> scaled(const Tables& tables, const std::vector<double>& given, Factor factor)
{
    const Basis& basis = tables.basis;
    AUREOLE_EXPECT(given.size() == basis.size(), "{} coefficients, expected {}", given.size(), basis.size());
    std::vector<double> result(given.size());
    for (int l = 0; l <= basis.l_max; ++l)
        for (int k = 0; k <= 2 * l; ++k)
            for (int n = 0; n <= basis.n_max; ++n) {
                const std::size_t i = basis.index(n, l * l + k);
                result[i] = factor(n, l, (k + 1) / 2) * given[i];
            }
    return result;
}

}  // namespace

std::vector<double> to_lowing(const Tables& tables, const std::vector<double>& orthonormal)
{
    return scaled(tables, orthonormal, [&](int n, int l, int m) {
        return -(m == 0 ? 1 : std::numbers::sqrt2) / tables.norm_of(n, l);
    });
}

std::vector<double> from_lowing(const Tables& tables, const std::vector<double>& s_and_t)
{
    return scaled(tables, s_and_t, [&](int n, int l, int m) {
        return -tables.norm_of(n, l) / (m == 0 ? 1 : std::numbers::sqrt2);
    });
}

double potential_energy(const Basis& basis, const std::vector<double>& orthonormal)
{
    double sum = 0;
    for (double a : orthonormal) sum += a * a;
    return -sum / (2 * basis.scale_radius);
}

Coefficients interpolate(const CoefficientSeries& series, double time)
{
    AUREOLE_EXPECT(!series.moments.empty(), "a series of coefficients without a moment");
    const auto after = std::ranges::upper_bound(series.moments, time, {}, &Coefficients::time);
    if (after == series.moments.begin()) return series.moments.front();
    if (after == series.moments.end()) return series.moments.back();
    const Coefficients &from = *(after - 1), &to = *after;
    const double share = (time - from.time) / (to.time - from.time);
    Coefficients result{time, (1 - share) * from.centre + share * to.centre, from.values};
    for (std::size_t i = 0; i < result.values.size(); ++i)
        result.values[i] = (1 - share) * from.values[i] + share * to.values[i];
    return result;
}

std::vector<double> density_coefficients(const Tables& tables, const std::vector<double>& orthonormal)
{
    const double eta = eta_of(tables.basis.family);
    return scaled(tables, orthonormal, [&](int n, int l, int) {
        const double w = 0.5 + eta * (2 * l + 1);
        return (4 * (n + w) * (n + w) - 1) / (4 * eta * eta) / (4 * std::numbers::pi);
    });
}

double density(const Basis& basis, double radius, double potential_of_density_coefficients)
{
    const double s = radius / basis.scale_radius;
    const bool hernquist = basis.family == Family::hernquist_ostriker;
    const double u = hernquist ? s : s * s;
    const double shape = (hernquist ? 1 / s : 1) / ((1 + u) * (1 + u));
    return -potential_of_density_coefficients * shape / (basis.scale_radius * basis.scale_radius);
}

}  // namespace aureole::gravity::scf
