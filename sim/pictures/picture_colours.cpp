#include "sim/pictures/picture_colours.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace aureole {
namespace {

using Channels = std::array<double, 3>;

constexpr Channels white{0.95047, 1.0, 1.08883};  // D65
constexpr double darkest = 2, lightest = 97;

double decoded(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }
double encoded(double v) { return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055; }

Channels to_linear_rgb(Lab c)
{
    const auto inverse = [](double f) { return f > 6.0 / 29 ? f * f * f : 3 * 36.0 / 841 * (f - 4.0 / 29); };
    const double fy = (c.l + 16) / 116;
    const double x = white[0] * inverse(fy + c.a / 500), y = inverse(fy),
                 z = white[2] * inverse(fy - c.b / 200);
    return {3.2404542 * x - 1.5371385 * y - 0.4985314 * z, -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
            0.0556434 * x - 0.2040259 * y + 1.0572252 * z};
}

Lab polar(double l, double chroma, double hue_degrees)
{
    const double hue = hue_degrees * std::numbers::pi / 180;
    return {l, chroma * std::cos(hue), chroma * std::sin(hue)};
}

/// The most colourful sRGB colour of this lightness and hue.
double largest_chroma(double l, double hue)
{
    double inside = 0, outside = 150;
    for (int k = 0; k < 30; ++k) {
        const double chroma = (inside + outside) / 2;
        const Channels rgb = to_linear_rgb(polar(l, chroma, hue));
        const auto [low, high] = std::minmax_element(rgb.begin(), rgb.end());
        (*low >= 0 && *high <= 1 ? inside : outside) = chroma;
    }
    return inside;
}

/// Piecewise linear through (x, y) knots.
double through(std::span<const std::array<double, 2>> knots, double x)
{
    std::size_t k = 1;
    while (k + 1 < knots.size() && x > knots[k][0]) ++k;
    const double share = (x - knots[k - 1][0]) / (knots[k][0] - knots[k - 1][0]);
    return knots[k - 1][1] + std::clamp(share, 0.0, 1.0) * (knots[k][1] - knots[k - 1][1]);
}

/// Rounds the corners of a path without moving its ends.
void smooth(std::vector<Lab>& path, int passes)
{
    for (int pass = 0; pass < passes; ++pass) {
        const std::vector<Lab> old = path;
        for (std::size_t k = 1; k + 1 < path.size(); ++k) {
            path[k].a = (old[k - 1].a + 2 * old[k].a + old[k + 1].a) / 4;
            path[k].b = (old[k - 1].b + 2 * old[k].b + old[k + 1].b) / 4;
        }
    }
}

double distance(Lab p, Lab q) { return std::hypot(p.l - q.l, p.a - q.a, p.b - q.b); }
Lab between(Lab p, Lab q, double t)
{
    return {p.l + t * (q.l - p.l), p.a + t * (q.a - p.a), p.b + t * (q.b - p.b)};
}

/// The same path, its points equally far apart.
std::vector<Lab> evenly_spaced(const std::vector<Lab>& path)
{
    std::vector<double> along(path.size(), 0);
    for (std::size_t k = 1; k < path.size(); ++k) along[k] = along[k - 1] + distance(path[k - 1], path[k]);
    std::vector<Lab> result;
    for (std::size_t k = 0, piece = 1; k < path.size(); ++k) {
        const double target = along.back() * static_cast<double>(k) / static_cast<double>(path.size() - 1);
        while (piece + 1 < path.size() && along[piece] < target) ++piece;
        const double share = (target - along[piece - 1]) / (along[piece] - along[piece - 1]);
        result.push_back(between(path[piece - 1], path[piece], std::clamp(share, 0.0, 1.0)));
    }
    return result;
}

std::vector<Lab> sequential_path(std::size_t steps)
{
    constexpr std::array<std::array<double, 2>, 6> hue{
        {{0, 285}, {0.22, 305}, {0.42, 350}, {0.6, 395}, {0.8, 435}, {1, 460}}};
    constexpr std::array<std::array<double, 2>, 5> chroma{{{0, 8}, {0.2, 48}, {0.5, 70}, {0.8, 72}, {1, 28}}};
    std::vector<Lab> path;
    for (std::size_t k = 0; k < steps; ++k) {
        const double t = static_cast<double>(k) / static_cast<double>(steps - 1);
        const double l = darkest + (lightest - darkest) * t, h = through(hue, t);
        path.push_back(polar(l, std::min(through(chroma, t), 0.92 * largest_chroma(l, h)), h));
    }
    smooth(path, 500);
    return evenly_spaced(path);
}

std::vector<Lab> hue_path(double hue, std::size_t steps)
{
    std::vector<Lab> path;
    for (std::size_t k = 0; k < steps; ++k) {
        const double t = static_cast<double>(k) / static_cast<double>(steps - 1);
        const double l = darkest + (lightest - darkest) * t;
        path.push_back(polar(l, std::min(72.0, 0.95 * largest_chroma(l, hue)), hue));
    }
    smooth(path, 125);
    return path;
}

/// The two table entries around t and how far it is from the first.
struct Lookup {
    std::size_t k;
    double share;

    Lookup(double t, std::size_t steps)
    {
        const double at = (t > 0 ? std::min(t, 1.0) : 0.0) * static_cast<double>(steps - 1);
        k = std::min(static_cast<std::size_t>(at), steps - 2);
        share = at - static_cast<double>(k);
    }
    Lab in(const std::vector<Lab>& path) const { return between(path[k], path[k + 1], share); }
};

}  // namespace

Lab to_lab(io::Rgb colour)
{
    const auto f = [](double v) { return v > 216.0 / 24389 ? std::cbrt(v) : v * 841 / 108 + 4.0 / 29; };
    const double r = decoded(colour.r / 255.0), g = decoded(colour.g / 255.0), b = decoded(colour.b / 255.0);
    const double x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / white[0]);
    const double y = f(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
    const double z = f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / white[2]);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

io::Rgb to_rgb(Lab colour)
{
    const auto byte = [](double v) {
        return static_cast<std::uint8_t>(std::lround(255 * std::clamp(encoded(std::max(v, 0.0)), 0.0, 1.0)));
    };
    const Channels rgb = to_linear_rgb(colour);
    return {byte(rgb[0]), byte(rgb[1]), byte(rgb[2])};
}

ColourMap::ColourMap() : sequential_(sequential_path(steps))
{
    constexpr std::array<double, n_hues> hue{278, 62, 145, 340, 205, 100};  // blue, orange, green, pink, ...
    for (std::size_t k = 0; k < n_hues; ++k) hues_[k] = hue_path(hue[k], steps);
}

io::Rgb ColourMap::operator()(double t) const { return to_rgb(Lookup(t, steps).in(sequential_)); }

io::Rgb ColourMap::mixed(double t, std::span<const double> shares) const
{
    const Lookup at(t, steps);
    Lab sum = at.in(hues_[0]);
    double whole = 0;
    for (const double share : shares) whole += share > 0 ? share : 0;
    if (!(whole > 0) || !std::isfinite(whole)) return to_rgb(sum);
    sum.a = sum.b = 0;
    double chroma = 0;
    for (std::size_t k = 0; k < shares.size(); ++k) {
        const Lab one = at.in(hues_[k % n_hues]);
        const double share = std::max(shares[k], 0.0) / whole;
        sum.a += share * one.a;
        sum.b += share * one.b;
        chroma += share * std::hypot(one.a, one.b);
    }
    const double left = std::hypot(sum.a, sum.b);  // hues cancel: give half of that (in ratio) back
    const double lift = left > 0 ? std::sqrt(chroma / left) : 1;
    sum.a *= lift;
    sum.b *= lift;
    return to_rgb(sum);
}

}  // namespace aureole
