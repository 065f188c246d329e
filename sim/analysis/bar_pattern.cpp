// The pattern speed of one snapshot: Dehnen, Semczuk & Schoenrich 2023.
#include <cmath>

#include "sim/analysis/bar.hpp"

namespace aureole::run {

Pattern pattern_of(Exec exec, const DiskView& disk, const PatternRegion& region, int m)
{
    const auto added_up = [&](int width, const std::function<void(const RangeSums&)>& sum) {
        return sum_range(exec, region.begin, region.end, width, sum);
    };
    const std::vector<double> sums =
        added_up(5, [&](const RangeSums& to) { sum_pattern(exec, disk, to, region, m); });
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
    const PatternSlopes slopes{sums[0], c, s, pattern.amplitude, by_c, by_s};
    const std::vector<double> variance =
        added_up(3, [&](const RangeSums& to) { sum_pattern_squares(exec, disk, to, region, m, slopes); });
    pattern.amplitude_error = std::sqrt(variance[0]);
    pattern.phase_error = std::sqrt(variance[1]);
    pattern.speed_error = std::sqrt(variance[2]);
    return pattern;
}

}  // namespace aureole::run
