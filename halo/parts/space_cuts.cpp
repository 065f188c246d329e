#include "halo/parts/space_cuts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "halo/copy_bytes.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {
namespace {

constexpr std::size_t most_samples = std::size_t{1} << 17;
constexpr int most_table_levels = 7;

/// The most halvings of `side` that leave at least `width`.
int halvings(double side, double width, int most)
{
    int level = 0;
    while (level < most && std::ldexp(side, -(level + 1)) >= width) ++level;
    return level;
}

}  // namespace

SpaceCuts::SpaceCuts(const Box& box, Vec3 low, Vec3 high, double linking_length)
{
    const double side =
        box.periodic() ? box.side : std::max({high.x - low.x, high.y - low.y, high.z - low.z});
    side_ = std::isfinite(side) ? side : 0;  // of a side without end all points share a cell
    map_.box = box;
    map_.low = box.periodic() ? Vec3{} : low;
    map_.cells_per_length = side_ > 0 ? std::ldexp(1 / side_, key_bits) : 0;
    map_.reach = linking_length * (1 + 1e-9) + side_ * 1e-14;
    map_.level = halvings(side_, 2.01 * map_.reach, key_bits);
}

void SpaceCuts::cut(Exec exec, const ConstParticlesView& particles, int n_parts)
{
    map_.n_cuts = 0;
    if (particles.n > 0 && n_parts > 1) {
        const Exec there = particles.where == exec.backend ? exec : Exec{particles.where};
        const std::size_t stride = std::max<std::size_t>(1, particles.n / most_samples);
        const std::size_t n = (particles.n - 1) / stride + 1;
        Buffer<std::uint64_t> keys(there.backend, 2 * n);
        Buffer<Index> values(there.backend, 2 * n);
        Buffer<std::byte> scratch(there.backend, sort_pairs_scratch_bytes(there.backend, n));
        SortBuffers pairs{keys.data(), keys.data() + n, values.data(), values.data() + n};
        make_sample_keys(there, map_, particles, static_cast<Index>(stride), static_cast<Index>(n), pairs.key,
                         pairs.value);
        sort_pairs(there, n, pairs, 3 * key_bits, scratch.data());
        std::vector<std::uint64_t> sorted(n);
        copy_bytes(there, sorted.data(), pairs.key, n * sizeof sorted[0]);
        for (int part = 1; part < n_parts; ++part)
            map_.cut[map_.n_cuts++] =
                sorted[n * static_cast<std::size_t>(part) / static_cast<std::size_t>(n_parts)];
    }
    make_table(exec, particles.n);
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
