#include "ics/disk/planar_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/core/numerics/portable_math.hpp"

namespace aureole::ics {
namespace {

constexpr int n_radial = 80, n_azimuthal = 160, rounds = 12;
constexpr double widest = 8;  // dispersions

/// y at x between the points of growing x_k, linear; constant beyond them.
double interpolated(const std::vector<double>& x, const std::vector<double>& y, double at)
{
    if (at <= x.front()) return y.front();
    if (at >= x.back()) return y.back();
    const auto above = std::upper_bound(x.begin() + 1, x.end() - 1, at);
    const auto k = static_cast<std::size_t>(above - x.begin()) - 1;
    const double t = (at - x[k]) / (x[k + 1] - x[k]);
    return y[k] + t * (y[k + 1] - y[k]);
}

/// The middle of cell `k` of n equal ones from low to high.
double middle(double low, double high, int k, int n) { return low + (high - low) * (k + 0.5) / n; }

}  // namespace

PlanarDistribution::PlanarDistribution(const RotationCurve& curve, const PlanarTarget& target,
                                       std::vector<double> radii)
    : curve_(curve),
      target_(target),
      radii_(std::move(radii)),
      density_factor_(radii_.size(), 1.0),
      dispersion_factor_(radii_.size(), 1.0),
      rows_(radii_.size()),
      moments_(radii_.size())
{
    for (double radius : radii_) x_.push_back(portable::log(radius));
    const int n = static_cast<int>(radii_.size());
#pragma omp parallel for schedule(dynamic, 1)
    for (int k = 0; k < n; ++k) rows_[k] = make_row(radii_[k]);
    for (int round = 0; round <= rounds; ++round) {
#pragma omp parallel for schedule(dynamic, 1)
        for (int k = 0; k < n; ++k) moments_[k] = measure(rows_[k]);
        if (round == rounds) break;
        for (int k = 0; k < n; ++k) {
            const auto step = [](double wanted, double found) {
                return found > 0 ? std::clamp(wanted / found, 0.5, 2.0) : 2.0;
            };
            density_factor_[k] *= step(target_.surface_density(radii_[k]), moments_[k].surface_density);
            dispersion_factor_[k] *= step(target_.sigma_r(radii_[k]), moments_[k].sigma_r);
        }
    }
#pragma omp parallel for schedule(dynamic, 1)
    for (int k = 0; k < n; ++k) tighten(rows_[k]);
    for (int k = 0; k < n; ++k)
        density_ratio_.push_back(moments_[k].surface_density / target_.surface_density(radii_[k]));
}

PlanarDistribution::VelocityBox PlanarDistribution::first_box(double radius) const
{
    const PlaneSample here = curve_.at(radius);
    const double fastest = std::sqrt(std::fmax(0.0, 2 * (curve_.last_energy() - here.potential)));
    const double circular = std::sqrt(here.speed2), reach = widest * target_.sigma_r(radius);
    return {std::fmin(reach, fastest), std::fmax(0.0, circular - reach),
            std::fmin(fastest, circular + reach)};
}

PlanarDistribution::Row PlanarDistribution::make_row(double radius) const
{
    Row row{first_box(radius), std::vector<Node>(n_radial * n_azimuthal), 0};
    const double potential = curve_.at(radius).potential;
    for (int i = 0; i < n_azimuthal; ++i)
        for (int j = 0; j < n_radial; ++j) {
            const double v_phi = middle(row.box.low, row.box.high, i, n_azimuthal);
            const double v_r = middle(0, row.box.radial, j, n_radial);
            const double energy = potential + (v_r * v_r + v_phi * v_phi) / 2;
            Node& node = row.nodes[i * n_radial + j];
            if (energy > curve_.last_energy()) {
                node = {x_.back(), -1e300};
                continue;
            }
            const double x = curve_.guiding(energy), momentum = curve_.angular_momentum(x);
            node = {x, curve_.frequency(x) * std::fmin(0.0, radius * v_phi - momentum)};
        }
    return row;
}

double PlanarDistribution::node_value(const Node& node) const
{
    const double radius = portable::exp(node.x);
    const double s = target_.sigma_r(radius) * interpolated(x_, dispersion_factor_, node.x), s2 = s * s;
    const double exponent = node.exponent / s2;
    if (exponent < -60) return 0;
    const double gamma = 2 * curve_.frequency(node.x) / curve_.kappa(node.x);
    return gamma * target_.surface_density(radius) * interpolated(x_, density_factor_, node.x) /
           (2 * std::numbers::pi * s2) * portable::exp(exponent);
}

double PlanarDistribution::value(double radius, PlanarVelocity v) const
{
    return value(radius, curve_.at(radius).potential, v);
}

double PlanarDistribution::value(double radius, double potential, PlanarVelocity v) const
{
    if (v.azimuthal <= 0) return 0;
    const double energy = potential + (v.radial * v.radial + v.azimuthal * v.azimuthal) / 2;
    if (energy > curve_.last_energy()) return 0;
    const double x = curve_.guiding(energy), momentum = curve_.angular_momentum(x);
    return node_value({x, curve_.frequency(x) * std::fmin(0.0, radius * v.azimuthal - momentum)});
}

PlanarMoments PlanarDistribution::measure(const Row& row) const
{
    double sum = 0, radial2 = 0, phi = 0, phi2 = 0;
    for (int i = 0; i < n_azimuthal; ++i) {
        const double v_phi = middle(row.box.low, row.box.high, i, n_azimuthal);
        double here = 0, here_radial2 = 0;
        for (int j = 0; j < n_radial; ++j) {
            const double f = node_value(row.nodes[i * n_radial + j]);
            const double v_r = middle(0, row.box.radial, j, n_radial);
            here += f;
            here_radial2 += f * v_r * v_r;
        }
        sum += here;
        radial2 += here_radial2;
        phi += here * v_phi;
        phi2 += here * v_phi * v_phi;
    }
    const double cell = 2 * row.box.radial / n_radial * (row.box.high - row.box.low) / n_azimuthal;
    if (!(sum > 0)) return {0, 0, 0, 0};
    const double mean = phi / sum;
    return {sum * cell, mean, std::sqrt(radial2 / sum), std::sqrt(std::fmax(0.0, phi2 / sum - mean * mean))};
}

/// Shrinks the box to where f matters, and forgets the nodes.
void PlanarDistribution::tighten(Row& row) const
{
    constexpr double negligible = 1e-9;
    std::vector<double> values;
    for (const Node& node : row.nodes) values.push_back(node_value(node));
    row.bound = *std::max_element(values.begin(), values.end());
    int low = n_azimuthal, high = 0, out = 0;
    for (int i = 0; i < n_azimuthal; ++i)
        for (int j = 0; j < n_radial; ++j) {
            if (values[i * n_radial + j] < negligible * row.bound) continue;
            low = std::min(low, i);
            high = std::max(high, i);
            out = std::max(out, j);
        }
    const VelocityBox box = row.box;
    const double width = (box.high - box.low) / n_azimuthal;
    row.box = {box.radial * std::min(out + 2, n_radial) / n_radial, box.low + width * std::max(low - 1, 0),
               box.low + width * std::min(high + 2, n_azimuthal)};
    row.nodes = {};
}

std::size_t PlanarDistribution::cell_of(double radius) const
{
    const auto above = std::upper_bound(radii_.begin() + 1, radii_.end() - 1, radius);
    return static_cast<std::size_t>(above - radii_.begin()) - 1;
}

double PlanarDistribution::density_ratio(double radius) const
{
    return interpolated(x_, density_ratio_, portable::log(radius));
}

PlanarMoments PlanarDistribution::moments_at(double radius) const
{
    const double x = portable::log(radius);
    const auto member = [&](auto of) {
        std::vector<double> values;
        for (std::size_t k = 0; k < radii_.size(); ++k) values.push_back(of(moments_[k], radii_[k]));
        return interpolated(x_, values, x);
    };
    const double sigma = target_.sigma_r(radius);
    const auto over_asked = [&](double PlanarMoments::*m) {
        return sigma * member([&](const PlanarMoments& p, double r) { return p.*m / target_.sigma_r(r); });
    };
    return {target_.surface_density(radius) * density_ratio(radius),
            member([](const PlanarMoments& p, double) { return p.mean_phi; }),
            over_asked(&PlanarMoments::sigma_r), over_asked(&PlanarMoments::sigma_phi)};
}

PlanarDistribution::Misses PlanarDistribution::largest_misses(double from, double to) const
{
    Misses largest{};
    for (std::size_t k = 0; k < radii_.size(); ++k) {
        if (radii_[k] < from || radii_[k] > to) continue;
        largest.surface_density = std::fmax(largest.surface_density, std::abs(density_ratio_[k] - 1));
        largest.sigma_r =
            std::fmax(largest.sigma_r, std::abs(moments_[k].sigma_r / target_.sigma_r(radii_[k]) - 1));
    }
    return largest;
}

PlanarVelocity PlanarDistribution::velocity(double radius, Random& random) const
{
    constexpr double margin = 1.2;  // f between the nodes and between the radii
    const std::size_t k = cell_of(radius);
    const Row &inner = rows_[k], &outer = rows_[k + 1];
    const double radial = std::fmax(inner.box.radial, outer.box.radial);
    // nearer to the centre than the first row bodies may be slower than there
    const double low = radius < radii_.front() ? 0 : std::fmin(inner.box.low, outer.box.low);
    const double high = std::fmax(inner.box.high, outer.box.high);
    const double bound = margin * std::fmax(inner.bound, outer.bound);
    const PlaneSample here = curve_.at(radius);
    const double potential = here.potential;
    // beyond the last row the box moves with the circular speed
    const double shift =
        radius > radii_.back() ? std::sqrt(here.speed2) - std::sqrt(curve_.at(radii_.back()).speed2) : 0;
    for (;;) {
        const double across = radial * (2 * random.uniform() - 1);
        const PlanarVelocity v{across, low + shift + (high - low) * random.uniform()};
        if (bound * random.uniform() <= value(radius, potential, v)) return v;
    }
}

PlanarMoments epicyclic_moments(const RotationCurve& curve, const PlanarTarget& target, double radius)
{
    const PlaneSample here = curve.at(radius);
    const double sigma = target.sigma_r(radius), sigma2 = sigma * sigma;
    const double share = here.kappa2 * radius * radius / (4 * here.speed2);  // kappa^2 / 4 Omega^2
    constexpr double step = 1.0 / 1024;
    const auto pressure = [&](double r) {
        const double s = target.sigma_r(r);
        return portable::log(target.surface_density(r) * s * s);
    };
    const double slope = (pressure(radius * (1 + step)) - pressure(radius * (1 - step))) /
                         portable::log((1 + step) / (1 - step));
    const double mean2 = here.speed2 + sigma2 * (1 - share + slope);
    return {target.surface_density(radius), std::sqrt(std::fmax(0.0, mean2)), sigma,
            sigma * std::sqrt(share)};
}

}  // namespace aureole::ics
