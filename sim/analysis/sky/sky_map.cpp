// Maps: particles in the order of their pixels, whose lines of sight are cut into pieces for the threads.
#include "sim/analysis/sky/sky_map.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "sim/analysis/disk_loops.hpp"
#include "sim/analysis/sky/sky_loops.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/key_order.hpp"
#include "sim/core/table_columns.hpp"

namespace aureole::run {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

/// Moments of all lines, in the order of the pixels that have particles, and shapes of those with at least
/// `least` particles. `mass` and `velocity` are in the memory of the backend.
std::vector<SkyLine> measured_lines(Exec exec, const double* mass, const double* velocity,
                                    const std::vector<IndexRange>& ranges, std::size_t least)
{
    std::vector<SkyLine> lines;
    std::vector<LinePiece> pieces;
    for (const IndexRange& range : ranges) {
        const auto number = static_cast<Index>(lines.size()), first = static_cast<Index>(pieces.size());
        for (Index i = range.begin; i < range.end; i += std::min(line_piece, range.end - i))
            pieces.push_back({number, i, i + std::min(line_piece, range.end - i)});
        lines.push_back({range.begin,
                         range.end,
                         first,
                         static_cast<Index>(pieces.size()),
                         0,
                         no_value,
                         no_value,
                         {no_value, no_value, no_value, no_value},
                         range.size() >= least ? 1u : 0u});
    }
    Buffer<SkyLine> line(exec.backend, lines);
    const Buffer<LinePiece> piece(exec.backend, pieces);
    Buffer<double> sums(exec.backend, line_terms * pieces.size());
    const SkyLines all{mass,
                       velocity,
                       static_cast<Index>(lines.size()),
                       static_cast<Index>(pieces.size()),
                       line.data(),
                       piece.data(),
                       sums.data()};
    find_moments(exec, all);
    constexpr int most_steps = 100, steps_at_once = 4;
    Index left = 1;
    for (int step = 0; step < most_steps && left > 0; step += steps_at_once) {
        for (int k = 0; k < steps_at_once; ++k) improve_shapes(exec, all);
        Buffer<Index> n(exec.backend, std::vector<Index>{0});
        count_fitting(exec, all, n.data());
        left = n.to_vector()[0];
    }
    lines = line.to_vector();
    for (SkyLine& of : lines)
        if (of.fitting || std::isnan(of.shape.h3)) of.shape = {no_value, no_value, no_value, no_value};
    return lines;
}

/// The particles of each pixel side by side, in their order.
struct Pixels {
    std::vector<Index> first;  ///< those of pixel k are first[k] to first[k + 1]
    Buffer<double> mass, velocity;
};

Pixels pixels_of(Exec exec, const SkyPoints& sky, const MapSettings& settings)
{
    const auto n_pixels = static_cast<Index>(settings.pixels) * static_cast<Index>(settings.pixels);
    KeyOrder order(exec, sky.n);
    find_pixels(exec, sky, settings.width, settings.pixels, order.keys(), order.order());
    order.sort(static_cast<int>(std::bit_width(n_pixels)));
    Buffer<Index> first(exec.backend, std::size_t{n_pixels} + 1);
    find_firsts(exec, sky.n, order.keys(), n_pixels, first.data());
    Pixels pixels{first.to_vector(), {exec.backend, sky.n}, {exec.backend, sky.n}};
    gather(exec, sky.n, order.order(),
           {{sky.mass, sky.velocity, nullptr}, {pixels.mass.data(), pixels.velocity.data(), nullptr}});
    return pixels;
}

}  // namespace

SkyParticles on_sky(Exec exec, const DiskView& disk, const DiskFrame& frame, const SkyView& view)
{
    AUREOLE_EXPECT(std::isfinite(view.inclination) && std::isfinite(view.azimuth),
                   "view of inclination {} and azimuth {}, expected finite angles", view.inclination,
                   view.azimuth);
    constexpr double degree = std::numbers::pi / 180;
    const double i = view.inclination * degree, a = view.azimuth * degree;
    const Vec3 towards{std::sin(i) * std::cos(a), std::sin(i) * std::sin(a), std::cos(i)};
    const Vec3 right{-std::sin(a), std::cos(a), 0};
    const Vec3 up{-std::cos(i) * std::cos(a), -std::cos(i) * std::sin(a), std::sin(i)};
    const auto turned = [&](Vec3 v) {  // from the axes of the frame
        return v.x * frame.x_axis + v.y * frame.y_axis + v.z * frame.axis;
    };
    const std::size_t n = disk.n;
    SkyParticles sky{{exec.backend, n}, {exec.backend, n}, {exec.backend, n}, {exec.backend, n}};
    project(exec, disk, {frame.centre, frame.velocity, turned(right), turned(up), turned(towards)},
            {sky.mass.data(), sky.x.data(), sky.y.data(), sky.velocity.data()});
    return sky;
}

LineOfSight gauss_hermite(const std::vector<double>& masses, const std::vector<double>& velocities)
{
    if (masses.empty()) return {no_value, no_value, no_value, no_value};
    const IndexRange all{0, static_cast<Index>(masses.size())};
    return measured_lines({}, masses.data(), velocities.data(), {all}, 0)[0].shape;
}

Table sky_map(Exec exec, const SkyPoints& sky, const MapSettings& settings)
{
    AUREOLE_EXPECT(settings.width > 0 && std::isfinite(settings.width),
                   "a map of width {}, expected a positive length", settings.width);
    AUREOLE_EXPECT(settings.pixels > 0, "a map of {} pixels a side, expected at least 1", settings.pixels);
    const auto side = static_cast<std::size_t>(settings.pixels);
    Table table{side * side, {}};
    table.columns.reserve(10);  // references stay
    const Dimension length{.length = 1}, velocity{.velocity = 1}, none{};
    auto& x = add_column(table, "X", "Of the pixel's centre.", length);
    auto& y = add_column(table, "Y", "Of the pixel's centre.", length);
    auto& count = add_column<std::int64_t>(table, "Count", "Particles.");
    auto& density = add_column(table, "SurfaceDensity", "Mass over area.", {.length = -2, .mass = 1});
    auto& mean = add_column(table, "MeanVelocity", "Along the line of sight, away positive.", velocity);
    auto& dispersion = add_column(table, "Dispersion", "About it.", velocity);
    auto& line_v = add_column(table, "LineVelocity", "V with h1 = 0 (van der Marel & Franx 1993).", velocity);
    auto& line_s = add_column(table, "LineDispersion", "sigma with h2 = 0.", velocity);
    auto& h3 = add_column(table, "H3", "Gauss-Hermite coefficient.", none);
    auto& h4 = add_column(table, "H4", "Gauss-Hermite coefficient.", none);
    const double size = settings.width / settings.pixels;
    const Pixels pixels = pixels_of(exec, sky, settings);
    std::vector<IndexRange> ranges;
    std::vector<std::size_t> pixel_of;
    for (std::size_t k = 0; k < table.rows; ++k) {
        x[k] = (static_cast<double>(k % side) + 0.5) * size - settings.width / 2;
        y[k] = (static_cast<double>(k / side) + 0.5) * size - settings.width / 2;
        density[k] = 0;
        if (pixels.first[k] == pixels.first[k + 1]) continue;
        ranges.push_back({pixels.first[k], pixels.first[k + 1]});
        pixel_of.push_back(k);
    }
    const std::vector<SkyLine> lines =
        measured_lines(exec, pixels.mass.data(), pixels.velocity.data(), ranges, least_for_shape);
    for (std::size_t l = 0; l < lines.size(); ++l) {
        const SkyLine& line = lines[l];
        const std::size_t k = pixel_of[l];
        count[k] = line.end - line.begin;
        density[k] = line.mass / (size * size);
        mean[k] = line.mean;
        dispersion[k] = line.dispersion;
        line_v[k] = line.shape.velocity;
        line_s[k] = line.shape.dispersion;
        h3[k] = line.shape.h3;
        h4[k] = line.shape.h4;
    }
    return table;
}

std::size_t sky_bytes(Backend where, std::size_t n, int pixels)
{
    const auto n_pixels = static_cast<std::size_t>(pixels) * static_cast<std::size_t>(pixels);
    const std::size_t order = KeyOrder::bytes(where, n), n_lines = std::min(n, n_pixels);
    const std::size_t piece = sizeof(LinePiece) + line_terms * sizeof(double);
    const std::size_t lines = n_lines * sizeof(SkyLine) + (n / line_piece + n_lines) * piece + sizeof(Index);
    const std::size_t first = (n_pixels + 1) * sizeof(Index);
    // of rings, each of which may look at all pieces
    constexpr std::size_t rings = 32;
    const std::size_t ring = sizeof(RingTask) + (n / ring_piece + 2) * sizeof(EllipticalRing) * 2;
    const std::size_t edges = (n / ring_piece + 1) * sizeof(double);
    return std::max(2 * n * sizeof(double) + std::max(order + first, lines),
                    3 * n * sizeof(double) + std::max(order + edges, rings * ring));
}

}  // namespace aureole::run
