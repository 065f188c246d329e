#include "sim/pictures/picture_colours.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/pictures/listed_colours.hpp"

namespace aureole {
namespace {

constexpr double darkest = 2, lightest = 97;

double decoded(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }
double encoded(double v) { return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055; }

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
        const LinearRgb rgb = to_linear_rgb(polar(l, chroma, hue));
        const auto [low, high] = std::minmax({rgb.r, rgb.g, rgb.b});
        (low >= 0 && high <= 1 ? inside : outside) = chroma;
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

std::uint8_t byte_of(double linear)
{
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(encoded(std::max(linear, 0.0)), 0.0, 1.0)));
}

/// The smallest number with this byte or a larger one.
double least_of(int byte)
{
    double below = 0, above = 1;
    for (double middle = 0.5; middle > below && middle < above; middle = below + (above - below) / 2)
        (byte_of(middle) >= byte ? above : below) = middle;
    return above;
}

void fill(ByteTable& table)
{
    table.least[0] = 0;
    for (int b = 1; b < 256; ++b) table.least[b] = least_of(b);
    table.least[256] = std::numeric_limits<double>::infinity();
    for (int k = 0; k <= ByteTable::cells; ++k)
        table.first[k] = byte_of(static_cast<double>(k) / ByteTable::cells);
}

}  // namespace

Lab to_lab(io::Rgb colour)
{
    const auto f = [](double v) { return v > 216.0 / 24389 ? std::cbrt(v) : v * 841 / 108 + 4.0 / 29; };
    const double r = decoded(colour.r / 255.0), g = decoded(colour.g / 255.0), b = decoded(colour.b / 255.0);
    const double x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / white_x);
    const double y = f(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
    const double z = f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / white_z);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

io::Rgb to_rgb(Lab colour)
{
    const LinearRgb rgb = to_linear_rgb(colour);
    return {byte_of(rgb.r), byte_of(rgb.g), byte_of(rgb.b)};
}

ColourMap::ColourMap() : tables_(std::make_unique<ColourTables>())
{
    constexpr std::array<double, n_hues> hue{278, 62, 145, 340, 205, 100};  // blue, orange, green, pink, ...
    std::ranges::copy(sequential_path(ColourTables::steps), tables_->sequential);
    for (std::size_t k = 0; k < n_hues; ++k)
        std::ranges::copy(hue_path(hue[k], ColourTables::steps), tables_->hue[k]);
    fill(tables_->bytes);
}

io::Rgb ColourMap::operator()(double t) const { return tables_->at(t); }

io::Rgb ColourMap::mixed(double t, std::span<const double> shares) const
{
    return tables_->mixed(t, shares.data(), static_cast<unsigned>(shares.size()), 0);
}

const ColourMap& particle_colours()
{
    static const ColourMap map;
    return map;
}

}  // namespace aureole

namespace aureole::run {
namespace {
constexpr std::array<const char*, 10> map_names{"fire", "web",  "blue",  "orange", "green",
                                                "pink", "teal", "olive", "grey",   "diverging"};
constexpr std::size_t fire = 0, web = 1, first_hue = 2, grey = 8, diverging = 9;
static_assert(grey - first_hue == ColourMap::n_hues);

io::Rgb hue(const ColourMap& map, std::size_t number, double t)
{
    std::array<double, ColourMap::n_hues> shares{};
    shares[number] = 1;
    return map.mixed(t, shares);
}

io::Rgb listed(const ListedColours& map, double t)
{
    const double place = std::clamp(t > 0 ? t : 0, 0.0, 1.0) * static_cast<double>(map.colour.size() - 1);
    const auto k = std::min(static_cast<std::size_t>(place), map.colour.size() - 2);
    const double share = place - static_cast<double>(k);
    const auto channel = [&](int shift) {
        const int low = map.colour[k] >> shift & 0xff, high = map.colour[k + 1] >> shift & 0xff;
        return static_cast<std::uint8_t>(std::lround(low + share * (high - low)));
    };
    return {channel(16), channel(8), channel(0)};
}

/// Straight in CIELAB between colours that part sheets, filaments and halos.
io::Rgb web_colour(double t)
{
    constexpr std::array<io::Rgb, 7> knots{{{5, 6, 18},
                                            {28, 52, 150},
                                            {104, 62, 196},
                                            {216, 58, 92},
                                            {252, 128, 36},
                                            {255, 206, 104},
                                            {255, 250, 236}}};
    const double place = std::clamp(t > 0 ? t : 0, 0.0, 1.0) * (knots.size() - 1);
    const auto k = std::min(static_cast<std::size_t>(place), knots.size() - 2);
    const double share = place - static_cast<double>(k);
    const Lab a = to_lab(knots[k]), b = to_lab(knots[k + 1]);
    return to_rgb({a.l + share * (b.l - a.l), a.a + share * (b.a - a.a), a.b + share * (b.b - a.b)});
}

float linear_channel(std::uint8_t encoded)
{
    const double v = encoded / 255.0;
    return static_cast<float>(v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
}

}  // namespace

NamedColours::NamedColours(const std::string& name)
    : kind_(static_cast<std::size_t>(std::ranges::find(map_names, name) - map_names.begin()))
{
    if (kind_ == map_names.size())  // the listed ones follow
        kind_ += static_cast<std::size_t>(std::ranges::find(listed_colours, name, &ListedColours::name) -
                                          listed_colours.begin());
    if (kind_ == map_names.size() + listed_colours.size())
        throw ConfigError(fmt::format("--colours: found '{}', expected one of {}", name, names()));
}

std::string NamedColours::names()
{
    std::string text;
    for (const char* name : map_names) text += (text.empty() ? "" : ", ") + std::string(name);
    for (const ListedColours& map : listed_colours) text += std::string(", ") + map.name;
    return text;
}

io::Rgb NamedColours::operator()(double t) const
{
    if (kind_ == fire) return map_(t);
    if (kind_ == web) return web_colour(t);
    if (kind_ == grey) return to_rgb({2 + 96 * std::clamp(t > 0 ? t : 0, 0.0, 1.0), 0, 0});
    if (kind_ == diverging) return t < 0.5 ? hue(map_, 0, 1 - 2 * t) : hue(map_, 1, 2 * t - 1);
    if (kind_ >= map_names.size()) return listed(listed_colours[kind_ - map_names.size()], t);
    return hue(map_, kind_ - first_hue, t);
}

std::vector<Vec3f> NamedColours::linear(std::size_t n) const
{
    std::vector<Vec3f> colours;
    for (std::size_t k = 0; k < n; ++k) {
        const io::Rgb c = (*this)(static_cast<double>(k) / static_cast<double>(n - 1));
        colours.push_back({linear_channel(c.r), linear_channel(c.g), linear_channel(c.b)});
    }
    return colours;
}

double ColourScale::place(double value) const
{
    if (!logarithmic) return (value - low) / (high - low);
    if (value <= 0) return 0;
    return std::log(value / low) / std::log(high / low);
}

ColourScale widened(double low, double high, bool logarithmic)
{
    if (logarithmic) {
        if (!(low > 0 && high > 0)) return {1, 10, true};
        if (high < 1.2 * low) return {low / 2, high * 2, true};
        return {low, high, true};
    }
    if (!(high - low > 1e-9 * std::max(std::abs(low), std::abs(high)))) {
        const double half = low != 0 ? std::abs(low) / 2 : 0.5;
        return {low - half, high + half, false};
    }
    return {low, high, false};
}

ColourScale automatic_scale(std::vector<double> values, bool logarithmic, bool about_zero)
{
    std::erase_if(values, [&](double v) { return !std::isfinite(v) || (logarithmic && !(v > 0)); });
    if (values.empty()) return widened(0, 0, logarithmic);
    const auto quantile = [&](double share) {
        const auto k = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
        std::nth_element(values.begin(), values.begin() + k, values.end());
        return values[static_cast<std::size_t>(k)];
    };
    const double low = quantile(0.002), high = quantile(0.998);
    const double reach = std::max(std::abs(low), std::abs(high));
    return about_zero && !logarithmic ? widened(-reach, reach, false) : widened(low, high, logarithmic);
}

}  // namespace aureole::run
