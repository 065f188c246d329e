#include "sim/analysis/sky_map.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

using std::numbers::pi;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// g h0 to g h4.
std::array<double, 5> projections(const std::vector<double>& masses, const std::vector<double>& velocities,
                                  double v, double sigma)
{
    std::array<double, 5> sums{};
    double mass = 0;
    for (std::size_t i = 0; i < masses.size(); ++i) {
        const double y = (velocities[i] - v) / sigma, y2 = y * y, w = masses[i] * std::exp(-y2 / 2);
        mass += masses[i];
        sums[0] += w;
        sums[1] += w * std::numbers::sqrt2 * y;
        sums[2] += w * (2 * y2 - 1) / std::numbers::sqrt2;
        sums[3] += w * (2 * y2 - 3) * y / std::numbers::sqrt3;
        sums[4] += w * ((4 * y2 - 12) * y2 + 3) / std::sqrt(24.0);
    }
    for (double& sum : sums) sum *= std::numbers::sqrt2 / mass;  // 2 sqrt(pi) / sqrt(2 pi)
    return sums;
}

struct Moments {
    double mass = 0, mean = nan, dispersion = nan;
};

Moments moments_of(const std::vector<double>& masses, const std::vector<double>& velocities)
{
    Moments m;
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < masses.size(); ++i) {
        m.mass += masses[i];
        sum += masses[i] * velocities[i];
    }
    if (!(m.mass > 0)) return m;
    m.mean = sum / m.mass;
    if (masses.size() < 2) return m;
    for (std::size_t i = 0; i < masses.size(); ++i) {
        const double d = velocities[i] - m.mean;
        squares += masses[i] * d * d;
    }
    m.dispersion = std::sqrt(squares / m.mass);
    return m;
}

/// The particles of each pixel, in their order: those of pixel k are list[first[k]] to list[first[k + 1] -
/// 1].
struct Pixels {
    std::vector<std::size_t> first, list;
};

Pixels pixels_of(const SkyParticles& sky, const MapSettings& settings)
{
    const auto side = static_cast<std::size_t>(settings.pixels);
    const double scale = settings.pixels / settings.width;
    std::vector<std::size_t> pixel(sky.x.size(), side * side);
#pragma omp parallel for
    for (std::size_t i = 0; i < sky.x.size(); ++i) {
        const double x = (sky.x[i] + settings.width / 2) * scale, y = (sky.y[i] + settings.width / 2) * scale;
        if (x >= 0 && y >= 0 && x < settings.pixels && y < settings.pixels)
            pixel[i] = static_cast<std::size_t>(y) * side + static_cast<std::size_t>(x);
    }
    Pixels result;
    result.first.assign(side * side + 2, 0);
    for (const std::size_t p : pixel) ++result.first[p + 1];
    for (std::size_t k = 0; k <= side * side; ++k) result.first[k + 1] += result.first[k];
    std::vector<std::size_t> next(result.first.begin(), result.first.end() - 1);
    result.list.resize(pixel.size());
    for (std::size_t i = 0; i < pixel.size(); ++i) result.list[next[pixel[i]]++] = i;
    return result;
}

std::vector<double>& add_column(Table& table, const char* name, const char* meaning, Dimension dimension)
{
    table.columns.push_back({name, meaning, dimension, 1, std::vector<double>(table.rows, nan)});
    return std::get<std::vector<double>>(table.columns.back().values);
}

}  // namespace

SkyParticles on_sky(const DiskParticles& disk, const SkyView& view)
{
    AUREOLE_EXPECT(std::isfinite(view.inclination) && std::isfinite(view.azimuth),
                   "view of inclination {} and azimuth {}, expected finite angles", view.inclination,
                   view.azimuth);
    const double i = view.inclination * pi / 180, a = view.azimuth * pi / 180;
    const Vec3 towards{std::sin(i) * std::cos(a), std::sin(i) * std::sin(a), std::cos(i)};
    const Vec3 right{-std::sin(a), std::cos(a), 0};
    const Vec3 up{-std::cos(i) * std::cos(a), -std::cos(i) * std::sin(a), std::sin(i)};
    SkyParticles sky;
    const std::size_t n = disk.size();
    sky.mass = disk.mass;
    sky.x.resize(n);
    sky.y.resize(n);
    sky.velocity.resize(n);
#pragma omp parallel for
    for (std::size_t k = 0; k < n; ++k) {
        sky.x[k] = dot(disk.position[k], right);
        sky.y[k] = dot(disk.position[k], up);
        sky.velocity[k] = -dot(disk.velocity[k], towards);
    }
    return sky;
}

LineOfSight gauss_hermite(const std::vector<double>& masses, const std::vector<double>& velocities)
{
    const Moments start = moments_of(masses, velocities);
    LineOfSight line{start.mean, start.dispersion, nan, nan};
    constexpr int most_steps = 100;
    constexpr double small = 1e-8;
    for (int step = 0; step < most_steps && line.dispersion > 0; ++step) {
        const std::array<double, 5> h = projections(masses, velocities, line.velocity, line.dispersion);
        if (!(h[0] > 0)) break;
        const double h1 = h[1] / h[0], h2 = h[2] / h[0];
        if (std::abs(h1) < small && std::abs(h2) < small)
            return {line.velocity, line.dispersion, h[3] / h[0], h[4] / h[0]};
        // to first order in both
        line.velocity += std::numbers::sqrt2 * h1 * line.dispersion;
        line.dispersion *= std::fmin(2.0, std::fmax(0.5, 1 + std::numbers::sqrt2 * h2));
    }
    return {nan, nan, nan, nan};
}

Table sky_map(const SkyParticles& sky, const MapSettings& settings)
{
    AUREOLE_EXPECT(settings.width > 0 && std::isfinite(settings.width),
                   "a map of width {}, expected a positive length", settings.width);
    AUREOLE_EXPECT(settings.pixels > 0, "a map of {} pixels a side, expected at least 1", settings.pixels);
    const auto side = static_cast<std::size_t>(settings.pixels);
    const Pixels pixels = pixels_of(sky, settings);
    Table table{side * side, {}};
    table.columns.reserve(10);  // references stay
    const Dimension length{.length = 1}, velocity{.velocity = 1}, none{};
    auto& x = add_column(table, "X", "Of the pixel's centre.", length);
    auto& y = add_column(table, "Y", "Of the pixel's centre.", length);
    table.columns.push_back({"Count", "Particles.", none, 1, std::vector<std::int64_t>(table.rows, 0)});
    auto& count = std::get<std::vector<std::int64_t>>(table.columns.back().values);
    auto& density = add_column(table, "SurfaceDensity", "Mass over area.", {.length = -2, .mass = 1});
    auto& mean = add_column(table, "MeanVelocity", "Along the line of sight, away positive.", velocity);
    auto& dispersion = add_column(table, "Dispersion", "About it.", velocity);
    auto& line_v = add_column(table, "LineVelocity", "V with h1 = 0 (van der Marel & Franx 1993).", velocity);
    auto& line_s = add_column(table, "LineDispersion", "sigma with h2 = 0.", velocity);
    auto& h3 = add_column(table, "H3", "Gauss-Hermite coefficient.", none);
    auto& h4 = add_column(table, "H4", "Gauss-Hermite coefficient.", none);
    const double size = settings.width / settings.pixels;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t k = 0; k < table.rows; ++k) {
        x[k] = (static_cast<double>(k % side) + 0.5) * size - settings.width / 2;
        y[k] = (static_cast<double>(k / side) + 0.5) * size - settings.width / 2;
        std::vector<double> masses, velocities;
        for (std::size_t j = pixels.first[k]; j < pixels.first[k + 1]; ++j) {
            masses.push_back(sky.mass[pixels.list[j]]);
            velocities.push_back(sky.velocity[pixels.list[j]]);
        }
        const Moments m = moments_of(masses, velocities);
        count[k] = static_cast<std::int64_t>(masses.size());
        density[k] = m.mass / (size * size);
        mean[k] = m.mean;
        dispersion[k] = m.dispersion;
        if (masses.size() < least_for_shape) continue;
        const LineOfSight line = gauss_hermite(masses, velocities);
        line_v[k] = line.velocity;
        line_s[k] = line.dispersion;
        h3[k] = line.h3;
        h4[k] = line.h4;
    }
    return table;
}

namespace {

/// (1 - q^2) / (1 + q^2) times the cosine and the sine of twice the position angle: what second moments give.
struct Ellipse {
    double plus = 0, cross = 0;

    double strength() const { return std::hypot(plus, cross); }
    double ratio() const { return std::sqrt((1 - strength()) / (1 + strength())); }
    double angle() const
    {
        const double half = std::atan2(cross, plus) / 2;
        return half < 0 ? half + pi : half;
    }
};

/// What lies between the ellipses of semi-major axes a0 and a1.
struct EllipticalRing {
    double mass = 0, xx = 0, xy = 0, yy = 0, cos4 = 0;
    std::int64_t count = 0;
};

EllipticalRing ring_of(const SkyParticles& sky, const Ellipse& shape, double a0, double a1)
{
    EllipticalRing ring;
    const double c = std::cos(shape.angle()), s = std::sin(shape.angle()), q = shape.ratio();
    for (std::size_t i = 0; i < sky.x.size(); ++i) {
        const double along = c * sky.x[i] + s * sky.y[i], across = (c * sky.y[i] - s * sky.x[i]) / q;
        const double a2 = along * along + across * across;
        if (!(a2 >= a0 * a0 && a2 < a1 * a1)) continue;
        const double m = sky.mass[i], two = (along * along - across * across) / a2;
        ++ring.count;
        ring.mass += m;
        ring.xx += m * sky.x[i] * sky.x[i] / a2;
        ring.xy += m * sky.x[i] * sky.y[i] / a2;
        ring.yy += m * sky.y[i] * sky.y[i] / a2;
        ring.cos4 += m * (2 * two * two - 1);
    }
    return ring;
}

/// The shape of a ring's own moments less `shape`.
Ellipse step_from(const Ellipse& shape, const EllipticalRing& ring)
{
    const double trace = ring.xx + ring.yy;
    return {(ring.xx - ring.yy) / trace - shape.plus, 2 * ring.xy / trace - shape.cross};
}

/// Iterates the shape of the ring, with steps that learn from the last two how much too short they are (Irons
/// & Tuck 1969): where the density falls slowly the moments of a ring are mostly those of its own edges.
struct FittedRing {
    Ellipse shape;
    EllipticalRing ring;
    bool converged = false;
};

FittedRing fitted_ring(const SkyParticles& sky, double a0, double a1, std::int64_t least)
{
    constexpr int most_steps = 60;
    constexpr double small = 1e-4, roundest = 0.98, longest = 20;
    FittedRing fit;
    Ellipse before;
    double factor = 1;
    for (int n = 0; n < most_steps; ++n) {
        fit.ring = ring_of(sky, fit.shape, a0, a1);
        if (fit.ring.count < least) return fit;
        const Ellipse step = step_from(fit.shape, fit.ring);
        fit.converged = step.strength() < std::fmax(small, 1.0 / static_cast<double>(fit.ring.count));
        if (fit.converged) return fit;
        const double plus = step.plus - before.plus, cross = step.cross - before.cross;
        const double change = plus * plus + cross * cross;
        if (n > 0 && change > 0)
            factor = std::fmin(
                longest, std::fmax(0.3, -factor * (before.plus * plus + before.cross * cross) / change));
        Ellipse next{fit.shape.plus + factor * step.plus, fit.shape.cross + factor * step.cross};
        const double shrink = std::fmin(1.0, roundest / std::fmax(1e-300, next.strength()));
        fit.shape = {shrink * next.plus, shrink * next.cross};
        before = step;
    }
    fit.ring = ring_of(sky, fit.shape, a0, a1);
    return fit;
}

}  // namespace

Table ellipse_table(const SkyParticles& sky, double inner, double outer, int rings)
{
    AUREOLE_EXPECT(inner > 0 && outer > inner && std::isfinite(outer) && rings > 0,
                   "{} ellipses between {} and {}, expected growing radii above 0", rings, inner, outer);
    Table table{static_cast<std::size_t>(rings), {}};
    table.columns.reserve(7);
    const Dimension none{};
    auto& axis = add_column(table, "SemiMajorAxis", "Geometric mean of both edges.", {.length = 1});
    table.columns.push_back({"Count", "Particles.", none, 1, std::vector<std::int64_t>(table.rows, 0)});
    auto& count = std::get<std::vector<std::int64_t>>(table.columns.back().values);
    auto& density = add_column(table, "SurfaceDensity", "Mass over area.", {.length = -2, .mass = 1});
    auto& ratio = add_column(table, "AxisRatio", "b/a (Zemp et al. 2011).", none);
    auto& angle = add_column(table, "PositionAngle", "Of the major axis, radians from x.", none);
    auto& a4 = add_column(table, "A4", "Mean of cos(4 psi): pointed above 0, boxy below.", none);
    table.columns.push_back(
        {"Converged", "1 where the iteration ended.", none, 1, std::vector<std::int64_t>(table.rows, 0)});
    auto& converged = std::get<std::vector<std::int64_t>>(table.columns.back().values);
    constexpr std::int64_t least = 100;
    const double step = std::log(outer / inner) / rings;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t k = 0; k < table.rows; ++k) {
        const double a0 = inner * std::exp(static_cast<double>(k) * step), a1 = a0 * std::exp(step);
        axis[k] = std::sqrt(a0 * a1);
        const auto [shape, ring, ends] = fitted_ring(sky, a0, a1, least);
        converged[k] = ends;
        count[k] = ring.count;
        density[k] = ring.mass / (pi * shape.ratio() * (a1 * a1 - a0 * a0));
        if (ring.count < least) continue;
        ratio[k] = shape.ratio();
        angle[k] = shape.angle();
        a4[k] = ring.cos4 / ring.mass;
    }
    return table;
}

}  // namespace aureole::run
