#include "sim/pictures/picture_colours.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "sim/core/error.hpp"

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
    const double of_one[1] = {t};
    io::Rgb colour;
    tables_->mix<1>(of_one, reinterpret_cast<const double(*)[1]>(shares.data()),
                    static_cast<unsigned>(shares.size()), 0, &colour);
    return colour;
}

const ColourMap& particle_colours()
{
    static const ColourMap map;
    return map;
}

}  // namespace aureole

namespace aureole::run {
namespace {

// Colour maps that other programs made usual: viridis, plasma, inferno and magma (Smith & van der Walt 2015,
// CC0), and cividis (Nunez, Anderton & Renslow 2018, CC0), at 65 places each; between two of them the bytes
// of sRGB are interpolated, which is within 3 of the tables of 256 colours.
struct ListedColours {
    const char* name;
    std::array<std::uint32_t, 65> colour;  ///< 0xrrggbb
};

// clang-format off
constexpr std::array<ListedColours, 5> listed_colours{{
    {"viridis",
    {0x440154, 0x46075a, 0x470d60, 0x471365, 0x48186a, 0x481d6f, 0x482374, 0x482878, 0x472d7b, 0x46327e,
     0x453781, 0x443b84, 0x424086, 0x404588, 0x3e4989, 0x3d4e8a, 0x3b528b, 0x39568c, 0x375b8d, 0x355f8d,
     0x33638d, 0x31678e, 0x2f6b8e, 0x2e6f8e, 0x2c728e, 0x2a768e, 0x297a8e, 0x277e8e, 0x26828e, 0x25858e,
     0x23898e, 0x228d8d, 0x21908c, 0x20938c, 0x1f978b, 0x1e9b8a, 0x1f9f88, 0x1fa287, 0x21a685, 0x24aa83,
     0x27ad81, 0x2cb17e, 0x31b57b, 0x37b878, 0x3ebc74, 0x45bf70, 0x4dc26c, 0x55c568, 0x5cc863, 0x65cb5e,
     0x6ece58, 0x78d153, 0x82d34d, 0x8cd646, 0x95d840, 0xa0da39, 0xaadc32, 0xb5de2b, 0xc0df25, 0xcae11f,
     0xd5e21a, 0xdfe318, 0xeae51a, 0xf4e61e, 0xfde725}},
    {"plasma",
    {0x0d0887, 0x19068c, 0x220690, 0x2a0593, 0x310597, 0x38049a, 0x3f049c, 0x46039f, 0x4c02a1, 0x5302a3,
     0x5901a5, 0x6001a6, 0x6600a7, 0x6c00a8, 0x7201a8, 0x7801a8, 0x7e03a8, 0x8405a7, 0x8909a5, 0x8f0da4,
     0x9511a1, 0x9a169f, 0x9f1a9c, 0xa41f99, 0xa92395, 0xae2892, 0xb32c8e, 0xb7318a, 0xbc3587, 0xc03a83,
     0xc43e7f, 0xc8437b, 0xcc4678, 0xce4b75, 0xd25071, 0xd5546e, 0xd9596a, 0xdc5d67, 0xdf6263, 0xe26760,
     0xe56b5d, 0xe87059, 0xeb7556, 0xed7a52, 0xf07f4f, 0xf2844b, 0xf48a48, 0xf68f44, 0xf89441, 0xf99a3e,
     0xfb9f3a, 0xfca537, 0xfdab33, 0xfdb130, 0xfeb72d, 0xfebd2a, 0xfdc328, 0xfdca26, 0xfcd025, 0xfbd724,
     0xf9dd25, 0xf7e425, 0xf5eb27, 0xf2f227, 0xf0f921}},
    {"inferno",
    {0x000004, 0x02010a, 0x040312, 0x07051b, 0x0b0724, 0x10092d, 0x150b37, 0x1b0c41, 0x210c4a, 0x280b53,
     0x2f0a5b, 0x360961, 0x3d0965, 0x440a68, 0x4a0c6b, 0x510e6c, 0x56106e, 0x5d126e, 0x63156e, 0x6a176e,
     0x70196e, 0x761c6d, 0x7d1e6d, 0x83206b, 0x89226a, 0x902568, 0x962766, 0x9c2964, 0xa32c61, 0xa92e5e,
     0xaf315b, 0xb53458, 0xbb3654, 0xc03a51, 0xc63d4d, 0xcb4149, 0xd14545, 0xd64a40, 0xda4f3c, 0xdf5437,
     0xe35932, 0xe75f2e, 0xeb6529, 0xee6b24, 0xf1721e, 0xf37819, 0xf67f14, 0xf8860f, 0xf98c0a, 0xfa9407,
     0xfb9b06, 0xfca309, 0xfcaa0f, 0xfcb216, 0xfbba1f, 0xfac228, 0xf9c932, 0xf7d13d, 0xf5d949, 0xf4e156,
     0xf2e865, 0xf1ef75, 0xf3f586, 0xf6fa96, 0xfcffa4}},
    {"magma",
    {0x000004, 0x020109, 0x030312, 0x06051a, 0x0a0822, 0x0e0b2b, 0x130d34, 0x180f3d, 0x1d1147, 0x221150,
     0x29115a, 0x2f1163, 0x36106b, 0x3d0f71, 0x440f76, 0x4a1079, 0x50127c, 0x57157e, 0x5d177f, 0x631a80,
     0x691c81, 0x6f1f81, 0x762181, 0x7c2382, 0x822681, 0x892881, 0x8f2a81, 0x952c80, 0x9c2e7f, 0xa2307e,
     0xa9337d, 0xaf357b, 0xb6367a, 0xbc3978, 0xc33b75, 0xc93e73, 0xcf4070, 0xd5446d, 0xdb476a, 0xe14c67,
     0xe65164, 0xea5661, 0xee5c5e, 0xf2635d, 0xf46a5c, 0xf7715c, 0xf9785d, 0xfa805e, 0xfb8861, 0xfc8e64,
     0xfd9668, 0xfe9d6c, 0xfea571, 0xfeac76, 0xfeb47b, 0xfebb81, 0xfec287, 0xfeca8d, 0xfed194, 0xfed89a,
     0xfde0a1, 0xfde7a9, 0xfceeb0, 0xfcf6b8, 0xfcfdbf}},
    {"cividis",
    {0x00224e, 0x002554, 0x00285b, 0x002b62, 0x002e6a, 0x003070, 0x053371, 0x123570, 0x1a386f, 0x213b6e,
     0x273e6e, 0x2d416d, 0x32436d, 0x36466c, 0x3b496c, 0x3f4c6c, 0x434e6c, 0x47516c, 0x4b546c, 0x4f576c,
     0x535a6d, 0x565c6d, 0x5a5f6e, 0x5e626e, 0x61656f, 0x656870, 0x686a71, 0x6c6d72, 0x6f7073, 0x727374,
     0x767676, 0x797977, 0x7c7c78, 0x7f7e78, 0x838179, 0x878478, 0x8b8778, 0x8f8a78, 0x928d78, 0x969077,
     0x9a9376, 0x9e9676, 0xa29975, 0xa69c74, 0xaaa073, 0xaea371, 0xb3a670, 0xb7a96e, 0xbbad6d, 0xbfb06b,
     0xc3b369, 0xc7b767, 0xccba64, 0xd0be62, 0xd4c15f, 0xd9c55c, 0xddc858, 0xe1cc55, 0xe6d051, 0xead34c,
     0xefd748, 0xf3db42, 0xf8df3c, 0xfde334, 0xfee838}},
}};
// clang-format on
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
