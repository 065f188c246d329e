#include "sim/analysis/bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace aureole::run {
namespace {

using std::numbers::pi;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double degree = pi / 180;
constexpr double reach_of_maximum = 2.4;  ///< in units of the median radius

double a2_of(const RingMoments& ring) { return ring.harmonics.amplitude[1]; }

double phase_of(const RingMoments& ring) { return ring.harmonics.phase[1]; }

/// The difference of two phases of m = 2, in [-pi/2, pi/2].
double phase_difference(double a, double b) { return std::remainder(a - b, pi); }

/// Of the particle in the middle of the order.
double median_radius(Exec exec, const DiskView& disk) { return radii_at(exec, disk, {(disk.n - 1) / 2})[0]; }

/// The ring of the largest A2; the number of rings where none has one.
std::size_t strongest(double median, const std::vector<DiskRing>& rings,
                      const std::vector<RingMoments>& moments)
{
    const double reach = reach_of_maximum * median;
    std::size_t best = rings.size();
    for (std::size_t k = 0; k < rings.size(); ++k) {
        if (!(rings[k].median < reach) || std::isnan(a2_of(moments[k]))) continue;
        if (best == rings.size() || a2_of(moments[k]) > a2_of(moments[best])) best = k;
    }
    return best;
}

/// Grows from the strongest ring to the neighbour with the larger A2, while A2 and phases allow it.
PatternRegion region_of(const std::vector<DiskRing>& rings, const std::vector<RingMoments>& moments,
                        std::size_t best, const BarCriteria& criteria)
{
    std::size_t first = best, last = best;
    double low = 0, high = 0;  // of the phases, relative to that of the strongest
    const auto belongs = [&](std::size_t k) {
        const double d = phase_difference(phase_of(moments[k]), phase_of(moments[best]));
        return a2_of(moments[k]) >= criteria.along &&
               std::max(high, d) - std::min(low, d) <= criteria.phase_spread * degree;
    };
    for (;;) {
        const bool inwards = first > 0 && belongs(first - 1),
                   outwards = last + 1 < rings.size() && belongs(last + 1);
        if (!inwards && !outwards) break;
        const bool go_in = inwards && (!outwards || a2_of(moments[first - 1]) > a2_of(moments[last + 1]));
        const std::size_t k = go_in ? --first : ++last;
        const double d = phase_difference(phase_of(moments[k]), phase_of(moments[best]));
        low = std::min(low, d);
        high = std::max(high, d);
    }
    return {rings[first].inner, rings[best].median, rings[last].outer, rings[first].begin, rings[last].end};
}

BarStatus status_of(const Bar& bar, const BarCriteria& criteria)
{
    if (!(bar.a2_max >= criteria.amplitude)) return BarStatus::too_weak;
    const PatternRegion& region = bar.region;
    const bool ordered = region.r0 < region.r_max && region.r_max < region.r1;
    if (!ordered || !(std::log10(region.r1 / region.r0) >= criteria.extent)) return BarStatus::too_short;
    if (region.end - region.begin < criteria.particles) return BarStatus::too_few_particles;
    return BarStatus::measured;
}

/// Where `value`, one number per ring, first crosses `level` outwards of the ring `from`, on straight lines
/// between the medians; NaN where it does not.
template <class Value>
double crossing(const std::vector<DiskRing>& rings, std::size_t from, double level, Value value)
{
    for (std::size_t k = from + 1; k < rings.size(); ++k) {
        const double before = value(k - 1) - level, after = value(k) - level;
        if (std::isnan(after)) return nan;
        if ((before < 0) == (after < 0) && after != 0) continue;
        return rings[k - 1].median + before / (before - after) * (rings[k].median - rings[k - 1].median);
    }
    return nan;
}

/// b/a of the moments of mass in the plane within the outer radius of each ring.
std::vector<double> axis_ratios(const std::vector<RingMoments>& moments)
{
    std::vector<double> ratios;
    double xx = 0, xy = 0, yy = 0;
    for (const RingMoments& ring : moments) {
        xx += ring.xx;
        xy += ring.xy;
        yy += ring.yy;
        const double mean = (xx + yy) / 2, half = std::hypot((xx - yy) / 2, xy);
        ratios.push_back(mean > 0 ? std::sqrt(std::max(0.0, mean - half) / (mean + half)) : nan);
    }
    return ratios;
}

/// The outer radius of the ring within which b/a is least; NaN where it is still falling at the last ring.
double length_by_axes(const std::vector<DiskRing>& rings, const std::vector<RingMoments>& moments,
                      std::size_t from)
{
    const std::vector<double> ratios = axis_ratios(moments);
    const auto least = std::min_element(ratios.begin() + static_cast<std::ptrdiff_t>(from), ratios.end());
    if (least == ratios.end() || least + 1 == ratios.end()) return nan;
    return rings[static_cast<std::size_t>(least - ratios.begin())].outer;
}

/// Sets `buckling` and `flattening` from the rings within r1.
void measure_height(Bar& bar, const std::vector<DiskRing>& rings, const std::vector<RingMoments>& moments)
{
    double mass = 0, radial = 0, vertical = 0, cosine = 0, sine = 0;
    const auto inside = [&](auto&& use) {
        for (std::size_t k = 0; k < rings.size() && rings[k].end <= bar.region.end; ++k)
            if (moments[k].mass > 0) use(moments[k]);
    };
    inside([&](const RingMoments& ring) {
        mass += ring.mass;
        radial += ring.mass * ring.mean.x;
        vertical += ring.mass * ring.mean.z;
        cosine += ring.bending[0];
        sine += ring.bending[1];
    });
    double radial_square = 0, vertical_square = 0;
    inside([&](const RingMoments& ring) {
        const double r = ring.mean.x - radial / mass, z = ring.mean.z - vertical / mass;
        radial_square += ring.mass * (ring.variance.x + r * r);
        vertical_square += ring.mass * (ring.variance.z + z * z);
    });
    bar.buckling = std::hypot(cosine, sine) / mass;
    bar.flattening = radial_square > 0 ? std::sqrt(vertical_square / radial_square) : nan;
}

void measure_lengths(Bar& bar, const std::vector<DiskRing>& rings, const std::vector<RingMoments>& moments,
                     std::size_t best, double spread)
{
    bar.length_half = crossing(rings, best, bar.a2_max / 2, [&](std::size_t k) { return a2_of(moments[k]); });
    bar.length_phase = crossing(rings, best, spread * degree, [&](std::size_t k) {
        return std::abs(phase_difference(phase_of(moments[k]), phase_of(moments[best])));
    });
    bar.length_axes = length_by_axes(rings, moments, best);
}

}  // namespace

Bar measure_bar(Exec exec, const DiskView& disk, const std::vector<DiskRing>& rings,
                const std::vector<RingMoments>& moments, const BarCriteria& criteria)
{
    Bar bar;
    bar.particles = disk.n;
    const std::size_t best = rings.empty() ? 0 : strongest(median_radius(exec, disk), rings, moments);
    if (best == rings.size()) {
        bar.region.r0 = bar.region.r_max = bar.region.r1 = nan;
        return bar;
    }
    bar.a2_max = a2_of(moments[best]);
    bar.noise = moments[best].harmonics.noise;
    bar.r_max = rings[best].median;
    bar.region = region_of(rings, moments, best, criteria);
    bar.status = status_of(bar, criteria);
    if (bar.status == BarStatus::too_weak) return bar;
    measure_lengths(bar, rings, moments, best, criteria.phase_spread);
    measure_height(bar, rings, moments);
    bar.pattern = pattern_of(exec, disk, bar.region, 2);
    if (bar.status != BarStatus::measured) bar.pattern.speed = bar.pattern.speed_error = nan;
    return bar;
}

std::string bar_status_text(const Bar& bar, const BarCriteria& criteria)
{
    switch (bar.status) {
        case BarStatus::measured:
            return "measured";
        case BarStatus::too_weak:
            return fmt::format("A2max is {:.3g}, below {:.3g}", bar.a2_max, criteria.amplitude);
        case BarStatus::too_short:
            return fmt::format("the bar extends over {:.3g} in log10 R, less than {:.3g}",
                               std::log10(bar.region.r1 / bar.region.r0), criteria.extent);
        case BarStatus::too_few_particles:
            return fmt::format("the bar has {} particles, fewer than {}", bar.region.end - bar.region.begin,
                               criteria.particles);
    }
    return {};
}

Table bar_table(const Bar& bar, const DiskFrame& frame, double time)
{
    const Dimension number{}, length{.length = 1}, velocity{.velocity = 1}, frequency{-1, 0, 1};
    Table table{1, {}};
    const auto add = [&](const char* name, const char* meaning, Dimension dimension, double value) {
        table.columns.push_back({name, meaning, dimension, 1, std::vector<double>{value}});
    };
    const auto add_count = [&](const char* name, const char* meaning, std::size_t value) {
        table.columns.push_back(
            {name, meaning, {}, 1, std::vector<std::int64_t>{static_cast<std::int64_t>(value)}});
    };
    const auto add_vector = [&](const char* name, const char* meaning, Dimension dimension, Vec3 v) {
        table.columns.push_back({name, meaning, dimension, 3, std::vector<double>{v.x, v.y, v.z}});
    };
    add("Time", "Of the snapshot.", {1, 0, -1}, time);
    add_count("Particles", "Of the disk.", bar.particles);
    add_vector("Centre", "By shrinking spheres.", length, frame.centre);
    add_vector("Velocity", "Of the inner 5 % of the mass.", velocity, frame.velocity);
    add_vector("Axis", "Direction of the angular momentum within 3 scale radii.", number, frame.axis);
    add_vector("XAxis", "From which azimuths count.", number, frame.x_axis);
    add("ScaleRadius", "Of the disk, as asked for or from the half-mass radius.", length, frame.scale_radius);
    add("A2Max", "Largest A2 of the rings within 2.4 median radii.", number, bar.a2_max);
    add("NoiseAmplitude", "Mean A2 that the particles of this ring have without a bar.", number, bar.noise);
    add("RadiusOfMaximum", "Median radius of this ring.", length, bar.r_max);
    add_count("Status",
              "Of the pattern speed: 0 measured, 1 A2Max too small, 2 bar too short, 3 too few particles.",
              static_cast<std::size_t>(bar.status));
    add("BarInner", "Inner radius of the rings of the bar.", length, bar.region.r0);
    add("BarOuter", "Outer radius of the rings of the bar.", length, bar.region.r1);
    add_count("BarParticles", "Between these radii.", bar.region.end - bar.region.begin);
    add("BarAmplitude", "A2 of the smooth window over the bar.", number, bar.pattern.amplitude);
    add("BarAmplitudeError", "Its standard error.", number, bar.pattern.amplitude_error);
    add("Phase", "Of the bar, radians from the frame's x axis.", number, bar.pattern.phase);
    add("PhaseError", "Its standard error.", number, bar.pattern.phase_error);
    add("PatternSpeed", "Of this snapshot (Dehnen, Semczuk & Schoenrich 2023).", frequency,
        bar.pattern.speed);
    add("PatternSpeedError", "Its standard error.", frequency, bar.pattern.speed_error);
    add("LengthHalf", "Where A2 falls to half of A2Max.", length, bar.length_half);
    add("LengthPhase", "Where the phase is 10 degrees from that of the maximum.", length, bar.length_phase);
    add("LengthAxes", "Where b/a of all within R is least.", length, bar.length_axes);
    add("Buckling", "|sum mass z exp(2 i phi)| / sum mass within BarOuter.", length, bar.buckling);
    add("VerticalToRadial", "sigma_z / sigma_R within BarOuter.", number, bar.flattening);
    return table;
}

}  // namespace aureole::run
