#include "gravity/scf/coefficients.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/core/error.hpp"

namespace aureole::gravity::scf {
namespace {

using Real = long double;

/// |I_0l| from l = 0 up: Gamma(2w) / (16^w Gamma(w)^2) grows by 4 w (2 w + 1) / (16 w^2) ... for each unit of
/// w.
std::vector<Real> lowest_norms(const Basis& basis)
{
    const Real eta = eta_of(basis.family), pi = std::numbers::pi_v<Real>;
    const bool hernquist = basis.family == Family::hernquist_ostriker;
    Real w = hernquist ? 1.5L : 1.0L;
    Real gammas = hernquist ? 8 / pi / 64 : 1.0L / 16;  // Gamma(2 w) / (16^w Gamma(w)^2)
    std::vector<Real> norms;
    for (int l = 0; l <= basis.l_max; ++l) {
        norms.push_back(pi / (2 * eta) * gammas * (4 * w * w - 1) / w);
        for (int unit = 0; unit < (hernquist ? 2 : 1); ++unit) {
            gammas *= 2 * w * (2 * w + 1) / (16 * w * w);
            w += 1;
        }
    }
    return norms;
}

void fill_radial(Tables& tables, std::vector<Real>& radial_weight)
{
    const Basis& basis = tables.basis;
    const Real eta = eta_of(basis.family);
    const std::vector<Real> lowest = lowest_norms(basis);
    for (int l = 0; l <= basis.l_max; ++l) {
        const Real w = 0.5L + eta * (2 * l + 1);
        Real norm = lowest[static_cast<std::size_t>(l)];
        Real scale = 1, previous = 0;  // C_n = scale g_n
        for (int n = 0; n <= basis.n_max; ++n) {
            const std::size_t k = tables.row(l) + static_cast<std::size_t>(n);
            tables.norm[k] = static_cast<double>(std::sqrt(norm));
            radial_weight[k] = scale / std::sqrt(norm);
            const Real next = n == 0 ? 2 * w : previous * (n + 2 * w - 1) / (n + 1);
            tables.alpha[k] = static_cast<double>(2 * (n + w) * scale / ((n + 1) * next));
            const Real here = 4 * (n + w) * (n + w) - 1, there = 4 * (n + 1 + w) * (n + 1 + w) - 1;
            norm *= (2 * w + n) / (n + 1) * (there / here) * (n + w) / (n + 1 + w);
            previous = scale;
            scale = next;
        }
    }
}

/// tau: Q_lm = tau q_lm, where r^(l-m) d^m P_l / dx^m = (-1)^m Q_lm.
void fill_angular(Tables& tables, std::vector<Real>& angular_weight)
{
    const int l_max = tables.basis.l_max, side = l_max + 1;
    const auto at = [side](int l, int m) {
        return static_cast<std::size_t>(l) * static_cast<std::size_t>(side) + static_cast<std::size_t>(m);
    };
    std::vector<Real> tau(angular_weight.size(), 0);
    Real diagonal = 1;
    for (int m = 0; m <= l_max; ++m) {
        tau[at(m, m)] = diagonal;
        for (int l = m; l < l_max; ++l) {
            const Real next =
                l == m ? (2 * m + 1) * tau[at(l, m)] : tau[at(l - 1, m)] * Real(l + m) / Real(l - m + 1);
            tau[at(l + 1, m)] = next;
            tables.axial[at(l, m)] =
                static_cast<double>((2 * l + 1) * tau[at(l, m)] / (Real(l - m + 1) * next));
        }
        diagonal *= -(2 * m + 1);
    }
    for (int l = 0; l <= l_max; ++l) {
        Real factorials = 1;  // (l - m)! / (l + m)!
        for (int m = 0; m <= l; ++m) {
            const Real norm =
                std::sqrt((2 * l + 1) / (4 * std::numbers::pi_v<Real>)*factorials * (m == 0 ? 1 : 2));
            angular_weight[at(l, m)] = norm * tau[at(l, m)];
            if (m < l)
                tables.rise_z[at(l, m)] =
                    static_cast<double>(Real(l + m) * tau[at(l - 1, m)] / tau[at(l, m)]);
            if (m + 1 < l)
                tables.rise_r[at(l, m)] = static_cast<double>(tau[at(l - 1, m + 1)] / tau[at(l, m)] / 2);
            if (m < l) factorials /= Real(l - m) * Real(l + m + 1);
        }
    }
}

}  // namespace

void check_basis(const Basis& basis, const char* what)
{
    const auto refuse = [&](const char* key, double found, const char* expected) {
        throw ConfigError(fmt::format("{}: {} is {}, expected {}", what, key, found, expected));
    };
    if (basis.n_max < 0 || basis.n_max > largest_n)
        refuse("n_max", basis.n_max, "a radial order from 0 to 64");
    if (basis.l_max < 0 || basis.l_max > largest_l)
        refuse("l_max", basis.l_max, "an angular order from 0 to 64");
    if (!(basis.scale_radius > 0) || !std::isfinite(basis.scale_radius))
        refuse("scale_radius", basis.scale_radius, "a positive length");
}

Tables make_tables(const Basis& basis, const Symmetry& symmetry)
{
    check_basis(basis, "the basis of an expansion");
    Tables tables;
    tables.basis = basis;
    const std::size_t side = static_cast<std::size_t>(basis.l_max + 1);
    const std::size_t width = static_cast<std::size_t>(basis.n_max + 1);
    tables.alpha.assign(side * width, 0);
    tables.norm.assign(side * width, 0);
    for (auto* table : {&tables.axial, &tables.rise_z, &tables.rise_r}) table->assign(side * side, 0);
    tables.weight.assign(basis.size(), 0);

    std::vector<Real> radial(side * width), angular(side * side);
    fill_radial(tables, radial);
    fill_angular(tables, angular);
    const Real eta = eta_of(basis.family);
    for (int l = 0; l <= basis.l_max; ++l) {
        const Real common = -std::sqrt(4 * std::numbers::pi_v<Real>) * std::exp2(-2 * eta * l);
        for (int m = 0; m <= l; ++m) {
            if (!symmetry.keeps(l, m)) continue;
            const Real factor =
                common * angular[static_cast<std::size_t>(l) * side + static_cast<std::size_t>(m)];
            for (const bool sine : {false, true}) {
                if (sine && m == 0) continue;
                for (int n = 0; n <= basis.n_max; ++n)
                    tables.weight[basis.index(n, slot_of(l, m, sine))] =
                        static_cast<double>(factor * radial[tables.row(l) + static_cast<std::size_t>(n)]);
            }
        }
    }
    return tables;
}

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
