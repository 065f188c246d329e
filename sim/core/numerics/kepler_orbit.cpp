#include "sim/core/numerics/kepler_orbit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace aureole {
namespace {

using portable::SinCos;

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

}  // namespace

SinCos sin_cos_of_degrees(double degrees) { return portable::sin_cos_of_turns(degrees / 360); }

// Newton's steps from M + 0.85 e (Danby 1987): on [0, pi] the equation is convex, so that after the first
// they fall towards the root. That first one may shoot past M + e or pi, which no root does.
EccentricAnomaly eccentric_anomaly(double mean_anomaly, double eccentricity)
{
    constexpr int most_steps = 128;  // e = 1 - 1e-15 at M = 1e-12 takes 70
    const double m = std::abs(mean_anomaly), e = eccentricity;
    const double low = std::fmin(m, std::numbers::pi), high = std::fmin(m + e, std::numbers::pi);
    double anomaly = std::fmin(m + 0.85 * e, high);
    int steps = 0;
    for (bool exact = false; !exact && steps < most_steps; ++steps) {
        const SinCos t = portable::sin_cos(anomaly);
        const double slope = 1 - e * t.cos;
        const double step = ((anomaly - m) - e * t.sin) / slope;
        anomaly = std::clamp(anomaly - step, low, high);
        // what a step leaves is at most (e sin E) step^2 / (2 slope): below half a unit in the last place
        exact = e * std::fmin(anomaly, 1.0) * step * step <= 0x1p-53 * slope * anomaly;
    }
    return {std::copysign(anomaly, mean_anomaly), steps};
}

// By the half angles, which lose nothing near pericentre at high eccentricity:
// tan(f / 2) = sqrt((1 + e) / (1 - e)) tan(E / 2).
SinCos true_anomaly(double mean_anomaly_turns, double eccentricity)
{
    const double turns = mean_anomaly_turns;
    const double mean = 2 * std::numbers::pi * (turns - std::rint(turns));
    const SinCos half = portable::sin_cos(eccentric_anomaly(mean, eccentricity).radians / 2);
    const double s = std::sqrt(1 + eccentricity) * half.sin, c = std::sqrt(1 - eccentricity) * half.cos;
    return {2 * s * c / (c * c + s * s), (c * c - s * s) / (c * c + s * s)};
}

PhaseSpacePoint relative_motion(const Conic& conic)
{
    const double e = conic.eccentricity, p = conic.pericentre * (1 + e);
    const double r = p / (1 + e * conic.cos_true_anomaly);
    const double speed = std::sqrt(conic.total_mass / p);
    return {oriented({r * conic.cos_true_anomaly, r * conic.sin_true_anomaly, 0}, conic),
            oriented({-speed * conic.sin_true_anomaly, speed * (e + conic.cos_true_anomaly), 0}, conic)};
}

}  // namespace aureole
