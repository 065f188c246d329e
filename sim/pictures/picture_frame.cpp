#include "sim/pictures/picture.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace aureole {
namespace {

constexpr double share_in_sight = 0.8;   // of each component's mass; Hernquist's tails are long
constexpr double room_around = 1.3;      // width over the diameter that holds it
constexpr double smallest_share = 0.02;  // components with less mass do not widen the field
constexpr std::size_t sample_size = 1u << 16;

struct Sampled {
    Vec3 x;
    double weight, recession;
    Component component;
};

/// Those that have mass and finite coordinates; weights relative to the largest mass.
std::vector<Sampled> usable(const ParticleSample& all)
{
    std::vector<Sampled> sample;
    double largest = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Vec3 x{all.x[i], all.y[i], all.z[i]};
        const double m = all.mass[i];
        if (!(m > 0) || !std::isfinite(m) || !finite(x)) continue;
        sample.push_back({x, m, all.recession[i], all.component[i]});
        largest = std::max(largest, m);
    }
    for (Sampled& s : sample) s.weight /= largest;
    return sample;
}

struct Weighted {
    double value, weight;
};

/// The value below which a share of the weight lies; 0 without any.
double quantile(std::vector<Weighted> values, double share)
{
    std::sort(values.begin(), values.end(), [](Weighted a, Weighted b) { return a.value < b.value; });
    double whole = 0, below = 0;
    for (const Weighted& v : values) whole += v.weight;
    for (const Weighted& v : values)
        if ((below += v.weight) >= share * whole) return v.value;
    return values.empty() ? 0 : values.back().value;
}

template <class Value>
double quantile_of(const std::vector<Sampled>& sample, double share, Value value)
{
    std::vector<Weighted> values;
    values.reserve(sample.size());
    for (const Sampled& s : sample) values.push_back({value(s), s.weight});
    return quantile(std::move(values), share);
}

/// Mean position within a few times the radius of most of the mass, from the median: a few particles that
/// flew far away do not move it.
Vec3 middle_of(const std::vector<Sampled>& sample)
{
    Vec3 centre{quantile_of(sample, 0.5, [](const Sampled& s) { return s.x.x; }),
                quantile_of(sample, 0.5, [](const Sampled& s) { return s.x.y; }),
                quantile_of(sample, 0.5, [](const Sampled& s) { return s.x.z; })};
    for (int round = 0; round < 4; ++round) {
        const auto distance = [&](const Sampled& s) {
            return std::hypot(s.x.x - centre.x, s.x.y - centre.y, s.x.z - centre.z);
        };
        const double reach = 3 * quantile_of(sample, share_in_sight, distance);
        Vec3 sum;
        double weight = 0;
        for (const Sampled& s : sample)
            if (distance(s) <= reach) {
                sum = sum + s.weight * (s.x - centre);
                weight += s.weight;
            }
        const Vec3 next = centre + (1 / weight) * sum;
        if (!std::isfinite(next.x + next.y + next.z)) break;
        centre = next;
    }
    return centre;
}

/// The smallest of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten that is not below `value`.
double rounded_up(double value)
{
    const double decade = std::pow(10, std::floor(std::log10(value)));
    for (const double step : {1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0})
        if (step * decade >= value * (1 - 1e-9)) return step * decade;
    return 10 * decade;
}

double automatic_width(const std::vector<Sampled>& sample, const PictureField& field)
{
    const PlanePoint centre = field.plane(field.centre);
    std::map<Component, std::vector<Weighted>> distances;
    std::map<Component, double> weight;
    double whole = 0;
    for (const Sampled& s : sample) {
        const PlanePoint p = field.plane(s.x);
        distances[s.component].push_back({std::hypot(p.x - centre.x, p.y - centre.y), s.weight});
        weight[s.component] += s.weight;
        whole += s.weight;
    }
    double radius = 0;
    for (auto& [component, values] : distances)
        if (weight[component] >= smallest_share * whole)
            radius = std::max(radius, quantile(std::move(values), share_in_sight));
    const double width = 2 * room_around * radius;
    return width > 1e-100 && width < 1e100 ? rounded_up(width) : 1;
}

constexpr double most_decades = 4.5, fewest_decades = 1.5;

/// log10 of the density above which `share` of the mass lies, from a histogram of the pixels' mass.
double log_density_above(const std::vector<double>& mass_by_bin, double share)
{
    double whole = 0, above = 0;
    for (const double mass : mass_by_bin) whole += mass;
    for (std::size_t bin = mass_by_bin.size(); bin-- > 0;)
        if ((above += mass_by_bin[bin]) >= share * whole)
            return pictures::lowest_decade + (static_cast<double>(bin) + 0.5) / pictures::bins_per_decade;
    return pictures::lowest_decade;
}

}  // namespace

PictureField picture_field(Exec exec, const ConstParticlesView& particles, const PictureOptions& options)
{
    PictureField field{options.axis, {}, options.width, options.side, options.pixels};
    if (options.side > 0) {
        const double half = options.side / 2;
        field.centre = options.centre.value_or(Vec3{half, half, half});
        if (!(field.width > 0 && field.width < options.side)) field.width = options.side;
        return field;
    }
    std::vector<Sampled> sample;
    if (!options.centre || !(options.width > 0))
        sample = usable(sample_of(exec, particles, field, sample_size));
    if (options.centre)
        field.centre = *options.centre;
    else if (!sample.empty())
        field.centre = middle_of(sample);
    if (!(options.width > 0)) field.width = automatic_width(sample, field);
    return field;
}

VelocityRange velocity_range(Exec exec, const ConstParticlesView& particles, const PictureField& field,
                             const PictureOptions& options)
{
    if (options.velocities) return *options.velocities;
    std::vector<Sampled> sample = usable(sample_of(exec, particles, field, sample_size));
    std::erase_if(sample, [](const Sampled& s) { return !std::isfinite(s.recession); });
    VelocityRange range;
    range.middle = quantile_of(sample, 0.5, [](const Sampled& s) { return s.recession; });
    range.spread = quantile_of(sample, share_in_sight,
                               [&](const Sampled& s) { return std::abs(s.recession - range.middle); });
    if (!(range.spread > 0 && std::isfinite(range.spread))) range.spread = 1;  // all move alike
    return range;
}

DensityRange picture_range(SurfacePyramid& surface, const PictureOptions& options)
{
    if (options.range) return *options.range;
    const double largest = surface.largest_density();
    if (!(largest > 0) || !std::isfinite(largest)) return {};
    const std::vector<double> mass_by_bin = surface.mass_by_density(largest);
    const double high = log_density_above(mass_by_bin, 0.01), faint = log_density_above(mass_by_bin, 0.99);
    const double low = std::max(faint - 0.4, high - most_decades);
    const double missing = std::max(fewest_decades - (high - low), 0.0);  // little contrast: mid colours
    return {std::pow(10, low - 0.6 * missing), std::pow(10, high + 0.4 * missing)};
}

}  // namespace aureole
