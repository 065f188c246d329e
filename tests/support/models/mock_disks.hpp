// Disks of particles whose bar, rotation and frame are known.
#pragma once

#include <cmath>
#include <numbers>

#include "sim/core/particles.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test {

/// The azimuth at which phi + e/2 sin 2 phi = 2 pi `share`: `share` uniform in [0, 1) gives a density 1 + e
/// cos 2 phi, 0 <= e < 1. By
/// bisection, then Newton's method.
inline double barred_azimuth(double share, double e)
{
    const double aim = 2 * std::numbers::pi * share;
    double low = 0, high = 2 * std::numbers::pi;
    for (int k = 0; k < 6; ++k) {
        const double middle = (low + high) / 2;
        (middle + e / 2 * std::sin(2 * middle) < aim ? low : high) = middle;
    }
    double phi = (low + high) / 2;
    for (int k = 0; k < 7; ++k) phi -= (phi + e / 2 * std::sin(2 * phi) - aim) / (1 + e * std::cos(2 * phi));
    return phi;
}

/// A place and a velocity in the frame of a disk.
struct DiskPoint {
    Vec3 x, v;
};

/// Particles at these points, of mass 1 / N, ids from 1, type 2.
inline Particles disk_of(const std::vector<DiskPoint>& points)
{
    Particles particles(Backend::cpu, points.size());
    const auto view = particles.view();
    for (std::size_t k = 0; k < points.size(); ++k) {
        const auto i = static_cast<Index>(k);
        view.mass[i] = 1.0 / static_cast<double>(points.size());
        view.position.store(i, points[k].x);
        view.velocity.store(i, points[k].v);
        view.type[i] = 2;
    }
    return particles;
}

/// 4 n points between R = 0 and 4 with a bar of A2 = 0.3 at azimuth `phase` within R = 1.5, turning rigidly
/// with `speed`. Each point has three images, so that centre, mean velocity and axis are those of the frame.
inline std::vector<DiskPoint> rigid_bar(std::size_t n, double phase, double speed, std::uint64_t seed)
{
    Uniform u(seed);
    std::vector<DiskPoint> points;
    for (std::size_t i = 0; i < n; ++i) {
        const double r = 4 * std::pow(u(), 1.5), phi = phase + barred_azimuth(u(), r < 1.5 ? 0.6 : 0);
        const double z = 0.1 * (u() - 0.5);
        const Vec3 x{r * std::cos(phi), r * std::sin(phi), z}, v{-speed * x.y, speed * x.x, 0};
        for (const double side : {-1.0, 1.0})
            for (const double height : {-1.0, 1.0})
                points.push_back({{side * x.x, side * x.y, height * x.z}, side * v});
    }
    return points;
}

/// The same points about another centre, in motion, about the axis (sin t cos f, sin t sin f, cos t).
inline std::vector<DiskPoint> placed(std::vector<DiskPoint> points, double t, double f, Vec3 centre,
                                     Vec3 velocity)
{
    const auto turn = [&](Vec3 a) {
        const Vec3 b{std::cos(t) * a.x + std::sin(t) * a.z, a.y, -std::sin(t) * a.x + std::cos(t) * a.z};
        return Vec3{std::cos(f) * b.x - std::sin(f) * b.y, std::sin(f) * b.x + std::cos(f) * b.y, b.z};
    };
    for (DiskPoint& p : points) p = {centre + turn(p.x), velocity + turn(p.v)};
    return points;
}

}  // namespace aureole::test
