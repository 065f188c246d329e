#include "ics/disk/vertical_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/core/numerics/gauss_legendre.hpp"
#include "sim/core/numerics/portable_math.hpp"

namespace aureole::ics {
namespace {

/// Heights from the plane to the edge, close together near the plane. An exponential profile has a
/// logarithmic f at rest in the plane: its heights begin a little above.
std::vector<double> heights_of(const VerticalProfile& profile)
{
    constexpr int n = 96;
    constexpr double bend = 4.5;
    const auto sinh2 = [](double x) { return portable::exp(x) - portable::exp(-x); };
    const double first = 1e-3 * profile.height();
    std::vector<double> z;
    for (int k = 0; k <= n; ++k)
        z.push_back(first + (profile.edge() - first) * sinh2(bend * k / n) / sinh2(bend));
    return z;
}

/// The cell of a growing list in which x lies.
std::size_t cell_of(const std::vector<double>& list, double x)
{
    const auto above = std::upper_bound(list.begin() + 1, list.end() - 1, x);
    return static_cast<std::size_t>(above - list.begin()) - 1;
}

double mixed(double a, double b, double t) { return a + t * (b - a); }

}  // namespace

VerticalColumn::VerticalColumn(const VerticalProfile& profile, const GalacticField& field, double radius)
    : profile_(profile), z_(heights_of(profile))
{
    for (const auto& point : field.column(radius, z_)) {
        potential_.push_back(point.potential);
        slope_.push_back(point.slope);
    }
}

double VerticalColumn::potential(double z) const
{
    const std::size_t k = cell_of(z_, z);
    const double h = z_[k + 1] - z_[k], t = (z - z_[k]) / h, u = 1 - t;
    return potential_[k] + (potential_[k + 1] - potential_[k]) * t * t * (3 - 2 * t) +
           h * t * u * (slope_[k] * u - slope_[k + 1] * t);
}

double VerticalColumn::value(double from) const
{
    const double energy = potential(from);
    // z = from + u^2: no singular end; panels as wide as the cells that begin beyond `from`
    const auto integrand = [&](double u) {
        const double z = from + u * u, depth = potential(z) - energy;
        return depth > 0 ? -profile_.slope(z) * 2 * u / std::sqrt(depth) : 0.0;
    };
    double sum = 0, u = 0;
    for (double z = from; z < z_.back();) {
        z = std::fmin(z + std::fmax(profile_.height() / 2, (z - from) / 2), z_.back());
        const double to = std::sqrt(z - from);
        sum += integral_24(u, to, integrand);
        u = to;
    }
    return sum / (std::numbers::pi * std::numbers::sqrt2);
}

double VerticalColumn::dispersion2(double z) const
{
    const auto weight = [&](double s) {
        const std::size_t k = cell_of(z_, s);
        const double h = z_[k + 1] - z_[k], t = (s - z_[k]) / h, u = 1 - t;
        const double chord = (potential_[k + 1] - potential_[k]) / h;
        return profile_.density(s) *
               (6 * chord * t * u + slope_[k] * u * (1 - 3 * t) + slope_[k + 1] * t * (3 * t - 2));
    };
    double sum = 0;
    for (double from = z; from < z_.back();) {
        const double to = std::fmin(z_[cell_of(z_, from) + 1], z_.back());
        sum += integral(from, to > from ? to : z_.back(), weight);
        from = to > from ? to : z_.back();
    }
    return sum / profile_.density(z);
}

VerticalDistribution::VerticalDistribution(const VerticalProfile& profile, const GalacticField& field,
                                           std::vector<double> radii)
    : radius_(std::move(radii)),
      ln_potential_(radius_.size()),
      ln_value_(radius_.size()),
      ln_bound_(radius_.size()),
      ln_dispersion2_(radius_.size())
{
    std::vector<std::optional<VerticalColumn>> made(radius_.size());
    const int n = static_cast<int>(radius_.size());
    const auto logarithm = [](double x) { return portable::log(std::fmax(x, 1e-290)); };
#pragma omp parallel for schedule(dynamic, 1)
    for (int k = 0; k < n; ++k) {
        made[k].emplace(profile, field, radius_[k]);
        for (double potential : made[k]->potentials()) ln_potential_[k].push_back(logarithm(potential));
        for (double z : made[k]->heights()) {
            ln_value_[k].push_back(logarithm(made[k]->value(z)));
            ln_dispersion2_[k].push_back(logarithm(made[k]->dispersion2(z)));
        }
        ln_bound_[k] = ln_value_[k];
        for (std::size_t i = ln_bound_[k].size() - 1; i-- > 0;)
            ln_bound_[k][i] = std::fmax(ln_bound_[k][i], ln_bound_[k][i + 1]);
    }
    for (auto& column : made) columns_.push_back(std::move(*column));
}

VerticalDistribution::Place VerticalDistribution::place_of(double radius) const
{
    const double r = std::clamp(radius, radius_.front(), radius_.back());
    const auto above = std::upper_bound(radius_.begin() + 1, radius_.end() - 1, r);
    const auto k = static_cast<std::size_t>(above - radius_.begin()) - 1;
    return {k, (r - radius_[k]) / (radius_[k + 1] - radius_[k])};
}

double VerticalDistribution::dispersion2(double radius, double z) const
{
    const auto [k, t] = place_of(radius);
    const std::size_t i = cell_of(columns_[k].heights(), z);
    const std::vector<double>& heights = columns_[k].heights();
    const double s = std::clamp((z - heights[i]) / (heights[i + 1] - heights[i]), 0.0, 1.0);
    const auto of = [&](const std::vector<double>& logarithm) {
        return mixed(logarithm[i], logarithm[i + 1], s);
    };
    return portable::exp(mixed(of(ln_dispersion2_[k]), of(ln_dispersion2_[k + 1]), t));
}

double VerticalDistribution::velocity(double radius, double z, Random& random) const
{
    const auto [k, t] = place_of(radius);
    const VerticalColumn &inner = columns_[k], &outer = columns_[k + 1];
    const std::vector<double>& heights = inner.heights();
    const std::size_t last = heights.size() - 1;
    const double height = std::clamp(z, heights.front(), heights.back());
    const auto mean = [t = t](double a, double b) { return mixed(a, b, t); };
    const auto ln_of = [height](const VerticalColumn& column) {
        return portable::log(std::fmax(column.potential(height), 1e-290));
    };
    const auto ln_potential = [&](std::size_t i) {
        return mean(ln_potential_[k][i], ln_potential_[k + 1][i]);
    };
    const double here = portable::exp(mean(ln_of(inner), ln_of(outer)));
    const std::size_t cell = cell_of(heights, height);
    const double ln_bound = mean(ln_bound_[k][cell], ln_bound_[k + 1][cell]);
    const double fastest = std::sqrt(std::fmax(0.0, 2 * (portable::exp(ln_potential(last)) - here)));
    if (!(fastest > 0)) return 0;
    for (;;) {
        const double v = fastest * (2 * random.uniform() - 1), ln_energy = portable::log(here + v * v / 2);
        // f between the heights whose potentials enclose the energy
        std::size_t low = cell, high = last;
        while (high - low > 1) {
            const std::size_t half = (low + high) / 2;
            (ln_potential(half) <= ln_energy ? low : high) = half;
        }
        const double p = ln_potential(low), q = ln_potential(low + 1);
        const double s = std::clamp((ln_energy - p) / (q - p), 0.0, 1.0);
        const double ln_f = mixed(mean(ln_value_[k][low], ln_value_[k + 1][low]),
                                  mean(ln_value_[k][low + 1], ln_value_[k + 1][low + 1]), s);
        if (random.uniform() <= portable::exp(std::fmin(0.0, ln_f - ln_bound))) return v;
    }
}

}  // namespace aureole::ics
