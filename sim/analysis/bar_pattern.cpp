// The pattern speed of one snapshot: Dehnen, Semczuk & Schoenrich 2023.
#include <cmath>
#include <complex>

#include "sim/analysis/bar.hpp"
#include "sim/core/sums/block_sums.hpp"

namespace aureole::run {
namespace {

/// exp(i m phi) of the point (x, y) with R = `radius` above 0.
std::complex<double> harmonic(Vec3 x, double radius, int m)
{
    const std::complex<double> first(x.x / radius, x.y / radius);
    std::complex<double> power = first;
    for (int k = 1; k < m; ++k) power *= first;
    return power;
}

}  // namespace

PatternTerms pattern_terms(const PatternRegion& region, int m, double mass, Vec3 position, Vec3 velocity)
{
    const double squared = position.x * position.x + position.y * position.y;
    const double middle = region.r_max * region.r_max;
    const double end = squared < middle ? region.r0 * region.r0 : region.r1 * region.r1;
    const double q = (squared - middle) / (end - middle);
    if (!(squared > 0) || !(q <= 1)) return {};
    const double window = 2 * (1 - q) * (1 - q) * (1 + 2 * q), slope = -12 * q * (1 - q);
    const double q_rate = 2 * (position.x * velocity.x + position.y * velocity.y) / (end - middle);
    const double turning = (position.x * velocity.y - position.y * velocity.x) / squared;
    const std::complex<double> wave = harmonic(position, std::sqrt(squared), m);
    const double weight = mass * window, weight_rate = mass * slope * q_rate;
    return {weight, weight * wave.real(), weight * wave.imag(),
            weight_rate * wave.real() - m * weight * turning * wave.imag(),
            weight_rate * wave.imag() + m * weight * turning * wave.real()};
}

Pattern pattern_of(const DiskParticles& disk, const PatternRegion& region, int m)
{
    const std::size_t n = region.end - region.begin;
    const auto terms = [&](std::size_t k) {
        const std::size_t i = region.begin + k;
        return pattern_terms(region, m, disk.mass[i], disk.position[i], disk.velocity[i]);
    };
    const Sums<5> sums = block_sums<5>(n, [&](Sums<5>& s, std::size_t k) {
        const PatternTerms t = terms(k);
        s[0] += t.weight;
        s[1] += t.cosine;
        s[2] += t.sine;
        s[3] += t.cosine_rate;
        s[4] += t.sine_rate;
    });
    const double c = sums[1], s = sums[2], squared = c * c + s * s;
    if (!(squared > 0)) return {};
    Pattern pattern;
    pattern.amplitude = std::sqrt(squared) / sums[0];
    pattern.phase = std::atan2(s, c) / m;
    pattern.speed = (c * sums[4] - s * sums[3]) / (m * squared);
    // Each result f is a function of the five sums of degree 0: its gradient times the sums is zero, so that
    // the variance is the sum of the squares of gradient times terms, with or without the mean taken off.
    const double turn = 2 * m * pattern.speed;
    const double by_c = (sums[4] - turn * c) / (m * squared), by_s = (-sums[3] - turn * s) / (m * squared);
    const Sums<3> variance = block_sums<3>(n, [&](Sums<3>& v, std::size_t k) {
        const PatternTerms t = terms(k);
        const double amplitude =
            pattern.amplitude * ((c * t.cosine + s * t.sine) / squared - t.weight / sums[0]);
        const double phase = (c * t.sine - s * t.cosine) / (m * squared);
        const double speed =
            by_c * t.cosine + by_s * t.sine + (c * t.sine_rate - s * t.cosine_rate) / (m * squared);
        v[0] += amplitude * amplitude;
        v[1] += phase * phase;
        v[2] += speed * speed;
    });
    pattern.amplitude_error = std::sqrt(variance[0]);
    pattern.phase_error = std::sqrt(variance[1]);
    pattern.speed_error = std::sqrt(variance[2]);
    return pattern;
}

}  // namespace aureole::run
