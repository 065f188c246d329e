#include "sim/pictures/field_colours.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "sim/core/error.hpp"

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

/// A range of some width around what was found.
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

}  // namespace

NamedColours::NamedColours(const std::string& name)
    : kind_(static_cast<std::size_t>(std::ranges::find(map_names, name) - map_names.begin()))
{
    if (kind_ == map_names.size())
        throw ConfigError(fmt::format("--colours: found '{}', expected one of {}", name, names()));
}

std::string NamedColours::names()
{
    std::string text;
    for (const char* name : map_names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

io::Rgb NamedColours::operator()(double t) const
{
    if (kind_ == fire) return map_(t);
    if (kind_ == web) return web_colour(t);
    if (kind_ == grey) return to_rgb({2 + 96 * std::clamp(t > 0 ? t : 0, 0.0, 1.0), 0, 0});
    if (kind_ == diverging) return t < 0.5 ? hue(map_, 0, 1 - 2 * t) : hue(map_, 1, 2 * t - 1);
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

ColourScale automatic_volume_scale(const density::CellField& field, bool logarithmic)
{
    const auto number = [&](double v) { return logarithmic ? std::log10(v) : v; };
    const auto counts = [&](double v) { return std::isfinite(v) && (!logarithmic || v > 0); };
    double smallest = HUGE_VAL, largest = -HUGE_VAL;
    for (const double v : field.values)
        if (counts(v)) {
            smallest = std::min(smallest, number(v));
            largest = std::max(largest, number(v));
        }
    if (!(smallest < largest)) {
        const double all = smallest > largest ? 0 : logarithmic ? std::pow(10, smallest) : smallest;
        return widened(all, all, logarithmic);
    }
    constexpr std::size_t n_bins = 4096;
    const double per_unit = n_bins / (largest - smallest);
    std::vector<double> volume(n_bins), amount(n_bins);
    for (std::size_t p = 0; p < field.patches.size(); ++p) {
        if (!field.patches[p].leaf()) continue;
        const double cell = std::ldexp(1.0, -3 * static_cast<int>(field.patches[p].level));
        for (std::size_t k = p * field.cells_per_patch(); k < (p + 1) * field.cells_per_patch(); ++k) {
            const double v = field.values[k];
            if (!counts(v)) continue;
            const auto bin =
                std::min(static_cast<std::size_t>((number(v) - smallest) * per_unit), n_bins - 1);
            volume[bin] += cell;
            amount[bin] += cell * std::abs(v);
        }
    }
    const double half = 0.5 * std::reduce(volume.begin(), volume.end());
    const double twentieth = 0.05 * std::reduce(amount.begin(), amount.end());
    std::size_t low = 0, high = n_bins;
    for (double below = 0; low < n_bins && (below += volume[low]) < half;) ++low;
    for (double above = 0; high > 0 && (above += amount[high - 1]) < twentieth;) --high;
    const auto value = [&](std::size_t bin) {
        const double x = smallest + static_cast<double>(bin) / per_unit;
        return logarithmic ? std::pow(10, x) : x;
    };
    return widened(value(std::min(low, high - 1)), value(high), logarithmic);
}

}  // namespace aureole::run
