#include "halo/parts/space_cuts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "halo/copy_bytes.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

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

void merge_rising_runs(std::vector<std::uint64_t>& values)
{
    for (auto middle = std::ranges::is_sorted_until(values); middle != values.end();) {
        const auto end = std::is_sorted_until(middle, values.end());
        std::inplace_merge(values.begin(), middle, end);
        middle = end;
    }
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

std::vector<std::uint64_t> SpaceCuts::sample(Exec exec, const ConstParticlesView& particles, Index stride)
{
    if (particles.n == 0) return {};
    const Exec there = particles.where == exec.backend ? exec : Exec{particles.where};
    const std::size_t n = (particles.n - 1) / stride + 1,
                      scratch = sort_pairs_scratch_bytes(there.backend, n);
    const std::size_t aligned = (n + 31) / 32 * 32;  // 256 bytes for the widest
    sample_.require(there.backend, aligned * 2 * (sizeof(std::uint64_t) + sizeof(Index)) + scratch);
    auto* const keys = reinterpret_cast<std::uint64_t*>(sample_.data());
    auto* const values = reinterpret_cast<Index*>(keys + 2 * aligned);
    SortBuffers pairs{keys, keys + aligned, values, values + aligned};
    make_sample_keys(there, map_, particles, stride, static_cast<Index>(n), pairs.key);
    sort_pairs(there, n, pairs, 3 * key_bits, reinterpret_cast<std::byte*>(values + 2 * aligned));
    std::vector<std::uint64_t> samples(n);
    fetch_in_order(there, samples.data(), pairs.key, n * sizeof samples[0]);
    return samples;
}

void SpaceCuts::cut_by(Exec exec, std::vector<std::uint64_t> samples, int n_parts, std::size_t n)
{
    merge_rising_runs(samples);
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
    map_.table_level = halvings(side_, 2.01 * map_.reach, std::min(most_table_levels, by_points));
    table_.require(exec.backend, std::size_t{1} << (3 * map_.table_level));
    fill_domain_table(exec, map_, table_.data());
    map_.table = table_.data();
}

}  // namespace aureole::halo
