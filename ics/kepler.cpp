#include "ics/kepler.hpp"

#include <cmath>
#include <numbers>

#include "sim/core/error.hpp"
#include "sim/core/portable_math.hpp"

namespace aureole::ics {
namespace {

using portable::SinCos;

SinCos sin_cos_of_degrees(double degrees) { return portable::sin_cos_of_turns(degrees / 360); }

/// From the plane of the orbit (z = 0, pericentre along x) into space: Rz(node) Rx(inclination) Rz(argument).
Vec3 oriented(Vec3 v, const Conic& conic)
{
    const auto about_z = [](Vec3 u, SinCos t) {
        return Vec3{t.cos * u.x - t.sin * u.y, t.sin * u.x + t.cos * u.y, u.z};
    };
    const SinCos tilt = sin_cos_of_degrees(conic.inclination);
    v = about_z(v, sin_cos_of_degrees(conic.argument_of_pericentre));
    v = {v.x, tilt.cos * v.y, tilt.sin * v.y};
    return about_z(v, sin_cos_of_degrees(conic.ascending_node));
}

/// By the half angles, which lose nothing near pericentre at high eccentricity:
/// tan(f / 2) = sqrt((1 + e) / (1 - e)) tan(E / 2).
SinCos true_from_mean_anomaly(double degrees, double eccentricity)
{
    const double turns = degrees / 360;
    const double mean = 2 * std::numbers::pi * (turns - std::rint(turns));
    const SinCos half = portable::sin_cos(eccentric_anomaly(mean, eccentricity) / 2);
    const double s = std::sqrt(1 + eccentricity) * half.sin, c = std::sqrt(1 - eccentricity) * half.cos;
    return {2 * s * c / (c * c + s * s), (c * c - s * s) / (c * c + s * s)};
}

}  // namespace

double eccentric_anomaly(double mean_anomaly, double eccentricity)
{
    const double m = std::abs(mean_anomaly), e = eccentricity;
    // E - e sin E - M grows with E and changes sign in here; Newton's steps that leave it are halved instead
    double low = m, high = m + e;
    double anomaly = m + 0.85 * e < high ? m + 0.85 * e : high;
    for (int i = 0; i < 100 && low < high; ++i) {
        const SinCos t = portable::sin_cos(anomaly);
        const double excess = (anomaly - m) - e * t.sin;
        (excess > 0 ? high : low) = anomaly;
        double next = anomaly - excess / (1 - e * t.cos);
        if (!(next >= low && next <= high)) next = low + (high - low) / 2;
        if (next == anomaly) break;
        anomaly = next;
    }
    return std::copysign(anomaly, mean_anomaly);
}

PhaseSpacePoint relative_motion(const Conic& conic)
{
    const double e = conic.eccentricity, p = conic.pericentre * (1 + e);
    const double r = p / (1 + e * conic.cos_true_anomaly);
    const double speed = std::sqrt(conic.total_mass / p);
    return {oriented({r * conic.cos_true_anomaly, r * conic.sin_true_anomaly, 0}, conic),
            oriented({-speed * conic.sin_true_anomaly, speed * (e + conic.cos_true_anomaly), 0}, conic)};
}

PhaseSpacePoint relative_motion(const KeplerElements& k)
{
    const SinCos anomaly = k.mean_anomaly ? true_from_mean_anomaly(*k.mean_anomaly, k.eccentricity)
                                          : sin_cos_of_degrees(k.true_anomaly.value_or(0));
    return relative_motion(
        Conic{.total_mass = k.masses[0] + k.masses[1],
              .pericentre = k.pericentre ? *k.pericentre : *k.semi_major_axis * (1 - k.eccentricity),
              .eccentricity = k.eccentricity,
              .cos_true_anomaly = anomaly.cos,
              .sin_true_anomaly = anomaly.sin,
              .inclination = k.inclination,
              .ascending_node = k.ascending_node,
              .argument_of_pericentre = k.argument_of_pericentre});
}

double eccentricity_of(const Orbit& orbit, double total_mass)
{
    return orbit.eccentricity ? *orbit.eccentricity : 1 + 2 * orbit.pericentre * *orbit.energy / total_mass;
}

PhaseSpacePoint relative_motion(const Orbit& orbit, double total_mass)
{
    const double e = std::fmax(0.0, eccentricity_of(orbit, total_mass)), q = orbit.pericentre,
                 r = orbit.separation;
    // r = q (1 + e) / (1 + e cos f); 1 - cos f and 1 + cos f apart, clipped against rounding at the apsides
    double cosine = 1;
    if (e > 0) cosine = std::fmax(-1.0, 1 - (1 + e) / e * (r - q) / r);
    return relative_motion(Conic{.total_mass = total_mass,
                                 .pericentre = q,
                                 .eccentricity = e,
                                 .cos_true_anomaly = cosine,
                                 .sin_true_anomaly = -std::sqrt((1 - cosine) * (1 + cosine)),
                                 .inclination = orbit.inclination,
                                 .ascending_node = orbit.ascending_node,
                                 .argument_of_pericentre = orbit.argument_of_pericentre});
}

}  // namespace aureole::ics
