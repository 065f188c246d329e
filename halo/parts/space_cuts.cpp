#include "halo/parts/space_cuts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "halo/copy_bytes.hpp"

namespace aureole::halo {
namespace {

constexpr int most_table_levels = 7;

/// The most halvings of `side` that leave at least `width`.
int halvings(double side, double width, int most)
{
    int level = 0;
    while (level < most && std::ldexp(side, -(level + 1)) >= width) ++level;
    return level;
}

}  // namespace

void SpaceCuts::set_space(const Box& box, Vec3 low, Vec3 high, double linking_length)
{
    map_ = {};
    const double side =
        box.periodic() ? box.side : std::max({high.x - low.x, high.y - low.y, high.z - low.z});
    side_ = std::isfinite(side) ? side : 0;  // of a side without end all points share a cell
    map_.box = box;
    map_.low = box.periodic() ? Vec3{} : low;
    map_.cells_per_length = side_ > 0 ? std::ldexp(1 / side_, key_bits) : 0;
    map_.reach = linking_length * (1 + 1e-9) + side_ * 1e-14;
    map_.level = halvings(side_, 2.01 * map_.reach, key_bits);
}

std::vector<std::uint64_t> SpaceCuts::sample(Exec exec, const ConstParticlesView& particles,
                                             Index stride) const
{
    if (particles.n == 0) return {};
    const Exec there = particles.where == exec.backend ? exec : Exec{particles.where};
    const std::size_t n = (particles.n - 1) / stride + 1;
    Buffer<std::uint64_t> keys(there.backend, n);
    make_sample_keys(there, map_, particles, stride, static_cast<Index>(n), keys.data());
    std::vector<std::uint64_t> samples(n);
    fetch_in_order(there, samples.data(), keys.data(), n * sizeof samples[0]);
    return samples;
}

void SpaceCuts::cut_by(Exec exec, std::vector<std::uint64_t> samples, int n_parts, std::size_t n)
{
    std::ranges::sort(samples);
    map_.n_cuts = 0;
    for (int part = 1; part < n_parts && !samples.empty(); ++part)
        map_.cut[map_.n_cuts++] =
            samples[samples.size() * static_cast<std::size_t>(part) / static_cast<std::size_t>(n_parts)];
    make_table(exec, n);
}

void SpaceCuts::cut(Exec exec, const ConstParticlesView& particles, int n_parts)
{
    std::vector<std::uint64_t> samples;
    const auto stride = static_cast<Index>(std::max<std::size_t>(1, particles.n / most_samples));
    if (n_parts > 1) samples = sample(exec, particles, stride);
    cut_by(exec, std::move(samples), n_parts, particles.n);
}

/// Coarse enough that it costs less than the points.
void SpaceCuts::make_table(Exec exec, std::size_t n)
{
    const int by_points = std::max(0, static_cast<int>(std::bit_width(n)) / 3 - 2);
    map_.table_level = halvings(side_, 1.01 * map_.reach, std::min(most_table_levels, by_points));
    const std::size_t cells = std::size_t{1} << (3 * map_.table_level);
    table_.require(exec.backend, 2 * cells);
    fill_domain_table(exec, map_, table_.data() + cells, table_.data());
    map_.table = table_.data();
}

}  // namespace aureole::halo
