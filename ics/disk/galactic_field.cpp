#include "ics/disk/galactic_field.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ics/check_config.hpp"
#include "ics/sphere.hpp"
#include "sim/core/numerics/gauss_legendre.hpp"
#include "sim/core/numerics/portable_math.hpp"

namespace aureole::ics {

using std::numbers::pi;

GalacticField::GalacticField(const Config& config, std::size_t number, double scale)
    : disks_{disk_profile(config.components[number])}
{
    for (std::size_t k : companions(config, number)) {
        const Component& other = config.components[k];
        if (make_model(other)->is_round())
            spheres_.add(other, false);
        else
            disks_.push_back(disk_profile(other));
    }
    constexpr double ratio = 1 + 1.0 / 64;
    for (double r = 1e-6 * scale; r < 1e5 * scale; r *= ratio) radius_.push_back(r);
    const std::size_t n = radius_.size();
    potential_.resize(n);
    const auto pull = [&](double r) { return spheres_.enclosed_mass(r) / (r * r); };
    std::vector<double> growth(n);
#pragma omp parallel for
    for (std::size_t k = 1; k < n; ++k) growth[k] = integral(radius_[k - 1], radius_[k], pull);
    potential_[n - 1] = -spheres_.enclosed_mass(radius_[n - 1]) / radius_[n - 1];
    for (std::size_t k = n - 1; k-- > 0;) potential_[k] = potential_[k + 1] - growth[k + 1];
}

double GalacticField::sphere_potential(double r) const
{
    if (r >= radius_.back()) return potential_.back() * radius_.back() / r;
    if (r <= radius_[0]) return potential_[0];
    const auto above = std::upper_bound(radius_.begin() + 1, radius_.end() - 1, r);
    const auto k = static_cast<std::size_t>(above - radius_.begin()) - 1;
    // the integral from the nearer end of the cell: exact to rounding also between the radii
    return potential_[k] +
           integral(radius_[k], r, [&](double s) { return spheres_.enclosed_mass(s) / (s * s); });
}

PlaneSample GalacticField::in_plane(double radius) const
{
    const double pull = sphere_pull(radius), density = spheres_.density(radius);
    PlaneSample sum{sphere_potential(radius), radius * radius * pull, pull + 4 * pi * density, pull};
    for (const DiskProfile& disk : disks_) {
        const PlaneField field = field_in_plane(disk, radius);
        sum.potential += field.potential;
        sum.speed2 += radius * field.slope;
        sum.kappa2 += field.curvature + 3 * field.slope / radius;
        sum.nu2 += 4 * pi * disk.surface_density(radius) * disk.vertical.density(0) - field.curvature -
                   field.slope / radius;
    }
    return sum;
}

std::vector<GalacticField::ColumnPoint> GalacticField::column(double radius,
                                                              std::span<const double> heights) const
{
    std::vector<double> z{0.0};
    z.insert(z.end(), heights.begin(), heights.end());
    std::vector<ColumnPoint> result(heights.size(), ColumnPoint{});
    const double in_plane = sphere_potential(radius);
    for (std::size_t i = 0; i < heights.size(); ++i) {
        const double r = std::sqrt(radius * radius + heights[i] * heights[i]);
        result[i] = {sphere_potential(r) - in_plane, sphere_pull(r) * heights[i]};
    }
    for (const DiskProfile& disk : disks_) {
        const std::vector<DiskField> above = field_above(disk, radius, z);
        for (std::size_t i = 0; i < heights.size(); ++i) {
            result[i].potential += above[i + 1].potential - above[0].potential;
            result[i].slope += above[i + 1].vertical;
        }
    }
    return result;
}

struct RotationCurve::Columns {
    std::vector<double> radius, x, potential, momentum, kappa, nu, energy;
};

RotationCurve::Columns RotationCurve::make_columns(const std::string& where, const GalacticField& field,
                                                   double first_radius, double last_radius)
{
    constexpr int n = 220;
    Columns c;
    std::vector<PlaneSample> samples(n);
    const double step = portable::log(last_radius / first_radius) / (n - 1);
    for (int k = 0; k < n; ++k) c.radius.push_back(first_radius * portable::exp(k * step));
#pragma omp parallel for schedule(dynamic, 4)
    for (int k = 0; k < n; ++k) samples[k] = field.in_plane(c.radius[k]);
    for (int k = 0; k < n; ++k) {
        const auto [potential, speed2, kappa2, nu2] = samples[k];
        if (!(speed2 > 0 && kappa2 > 0))
            refuse(where, fmt::format("circular orbits at radius {:.4g} are unstable in the total potential: "
                                      "there is no disk of nearly circular orbits",
                                      c.radius[k]));
        c.x.push_back(portable::log(c.radius[k]));
        c.potential.push_back(potential);
        c.momentum.push_back(c.radius[k] * std::sqrt(speed2));
        c.kappa.push_back(std::sqrt(kappa2));
        c.nu.push_back(std::sqrt(std::fmax(0.0, nu2)));
        c.energy.push_back(potential + speed2 / 2);
    }
    return c;
}

RotationCurve::RotationCurve(const std::string& where, const GalacticField& field, double first_radius,
                             double last_radius)
    : RotationCurve(make_columns(where, field, first_radius, last_radius))
{
}

RotationCurve::RotationCurve(const Columns& c)
    : radii_(c.radius),
      potential_(c.x, c.potential),
      momentum_(c.x, c.momentum),
      kappa_(c.x, c.kappa),
      nu_(c.x, c.nu),
      guiding_(c.energy, c.x),
      last_energy_(c.energy.back())
{
}

PlaneSample RotationCurve::at(double radius) const
{
    const double x = portable::log(std::clamp(radius, radii_.front(), radii_.back()));
    const double speed = momentum_.at(x).value / std::clamp(radius, radii_.front(), radii_.back());
    const double kappa = kappa_.at(x).value, nu = nu_.at(x).value;
    return {potential_.at(x).value, speed * speed, kappa * kappa, nu * nu};
}

double RotationCurve::frequency(double x) const { return angular_momentum(x) * portable::exp(-2 * x); }

double RotationCurve::guiding(double energy) const
{
    return std::fmax(guiding_.at(energy).value, portable::log(radii_.front()));
}

}  // namespace aureole::ics
