#include "ics/disk/disk_equilibrium.hpp"

#include <algorithm>
#include <cmath>

#include "ics/check_config.hpp"
#include "ics/sphere.hpp"
#include "sim/core/numerics/portable_math.hpp"

namespace aureole::ics {
namespace {

/// Streams apart, as those of spheres.
enum Purpose : std::uint32_t { draw_position, draw_velocity };

/// Radii of the columns and of the corrections, in scale lengths.
constexpr double first_row = 0.03, last_row = 14;
constexpr int n_rows = 48;

std::vector<double> row_radii(double scale_length)
{
    std::vector<double> radii;
    const double step = portable::log(last_row / first_row) / (n_rows - 1);
    for (int k = 0; k < n_rows; ++k) radii.push_back(scale_length * first_row * portable::exp(k * step));
    return radii;
}

/// A surface density as that of a sphere with the same mass inside each radius, so that one table serves
/// both.
class AsSphere final : public Density {
public:
    explicit AsSphere(std::function<double(double)> surface_density)
        : surface_density_(std::move(surface_density))
    {
    }
    LocalDensity at(double radius) const override { return {surface_density_(radius) / (2 * radius), -1, 0}; }

private:
    std::function<double(double)> surface_density_;
};

std::unique_ptr<MassTable> mass_table(std::function<double(double)> surface_density, double scale_length)
{
    std::vector<double> radii{1e-5 * scale_length};
    while (radii.back() < last_orbit * scale_length)
        radii.push_back(std::fmin(radii.back() * (1 + 1.0 / 64), last_orbit * scale_length));
    return std::make_unique<MassTable>(AsSphere(std::move(surface_density)), std::move(radii));
}

}  // namespace

DiskEquilibrium::DiskEquilibrium(const Config& config, std::size_t number)
    : config_(config.components[number].own.get<DiskConfig>()),
      velocity_factor_(config.components[number].velocity_factor),
      profile_(disk_profile(config.components[number])),
      field_(config, number, config_.scale_length),
      // splines are poor in their last cells: these lie beyond the last orbit
      curve_(place_of(config, number), field_, first_orbit * config_.scale_length,
             1.5 * last_orbit * config_.scale_length),
      sigma_0_(central_dispersion()),
      target_{[this](double radius) { return profile_.surface_density(radius); },
              [this](double radius) { return asked_sigma(radius); }},
      vertical_(profile_.vertical, field_, row_radii(config_.scale_length))
{
    if (config_.method == DiskMethod::distribution_function) {
        expect_warm(place_of(config, number));
        planar_.emplace(curve_, target_, row_radii(config_.scale_length));
    }
    radii_ = mass_table(
        [this](double radius) {
            return profile_.surface_density(radius) * (planar_ ? planar_->density_ratio(radius) : 1);
        },
        config_.scale_length);
}

DiskEquilibrium::~DiskEquilibrium() = default;

void DiskEquilibrium::expect_warm(const std::string& place) const
{
    constexpr double least_share = 5e-3;  // colder ones are lost in the errors of the splines of the curve
    const double least = least_share * std::sqrt(curve_.at(2.5 * config_.scale_length).speed2);
    if (sigma_0_ < least)
        refuse(place,
               fmt::format("disk.sigma_0 is {:.3g} (from disk.q, where that is given), expected at least "
                           "{:.3g} with disk.method df; moments takes colder disks",
                           sigma_0_, least));
}

double DiskEquilibrium::asked_sigma(double radius) const
{
    constexpr double least = 0.01;
    const double share = portable::exp(std::fmax(-500.0, -radius / (2 * config_.scale_length)));
    return sigma_0_ * std::fmax(least, share);
}

double DiskEquilibrium::central_dispersion() const
{
    if (config_.sigma_0) return *config_.sigma_0;
    constexpr double toomre = 3.36, default_radius = 2.5;
    const double radius = config_.q_radius.value_or(default_radius * config_.scale_length);
    const double sigma =
        *config_.q * toomre * profile_.surface_density(radius) / std::sqrt(curve_.at(radius).kappa2);
    return sigma * portable::exp(radius / (2 * config_.scale_length));
}

PlanarVelocity DiskEquilibrium::planar_velocity(double radius, Random& random) const
{
    if (planar_) return planar_->velocity(radius, random);
    const PlanarMoments moments = epicyclic_moments(curve_, target_, radius);
    const double radial = moments.sigma_r * random.normal();
    return {radial, moments.mean_phi + moments.sigma_phi * random.normal()};
}

PhaseSpacePoint DiskEquilibrium::sample(std::uint64_t seed, std::uint64_t id) const
{
    Random place(seed, id, draw_position), motion(seed, id, draw_velocity);
    const double inside = place.uniform(), turns = place.uniform();
    return at({inside, turns, place.uniform()}, motion);
}

PhaseSpacePoint DiskEquilibrium::sample_quiet(const QuietStart& quiet, std::uint64_t orbit,
                                              std::uint64_t seed, std::uint64_t id) const
{
    Random motion(seed, id, draw_velocity);
    return at(quiet.place(orbit, seed, id), motion);
}

PhaseSpacePoint DiskEquilibrium::at(std::array<double, 3> place, Random& motion) const
{
    const double last = last_orbit * config_.scale_length;
    const double radius = radii_->radius_enclosing(place[0] * radii_->enclosed_mass(last));
    const portable::SinCos azimuth = portable::sin_cos_of_turns(place[1]);
    const VerticalProfile& vertical = profile_.vertical;
    const double side = 2 * place[2] - 1;
    const double height = vertical.height_holding(std::abs(side) * vertical.inside(vertical.edge()));

    const PlanarVelocity v = planar_velocity(radius, motion);
    const double v_z = planar_ ? vertical_.velocity(radius, height, motion)
                               : std::sqrt(vertical_.dispersion2(radius, height)) * motion.normal();
    const Vec3 outward{azimuth.cos, azimuth.sin, 0}, along{-azimuth.sin, azimuth.cos, 0};
    return {radius * outward + Vec3{0, 0, std::copysign(height, side)},
            velocity_factor_ * (v.radial * outward + v.azimuthal * along + Vec3{0, 0, v_z})};
}

std::optional<double> DiskEquilibrium::flatness() const
{
    const double radius = 2 * config_.scale_length, axis = 1e-3 * config_.scale_length;
    if (!(field_.sphere_pull(radius) > 0)) return {};
    const double there = field_.in_plane(radius).potential - field_.in_plane(axis).potential;
    constexpr int n = 100;
    std::vector<double> heights;
    for (int k = 1; k <= n; ++k) heights.push_back(radius * k / n);
    const auto column = field_.column(axis, heights);
    for (int k = 1; k < n; ++k) {
        const double below = column[k - 1].potential, above = column[k].potential;
        if (above >= there)
            return (heights[k - 1] + (there - below) / (above - below) * (heights[k] - heights[k - 1])) /
                   radius;
    }
    return 1.0;
}

PlanarMoments DiskEquilibrium::planar_moments(double radius) const
{
    return planar_ ? planar_->moments_at(radius) : epicyclic_moments(curve_, target_, radius);
}

double DiskEquilibrium::sigma_z(double radius) const { return std::sqrt(vertical_.dispersion2(radius, 0)); }

double DiskEquilibrium::toomre_q(double radius) const
{
    constexpr double toomre = 3.36;
    const PlanarMoments moments = planar_moments(radius);
    return moments.sigma_r * std::sqrt(curve_.at(radius).kappa2) / (toomre * moments.surface_density);
}

}  // namespace aureole::ics
