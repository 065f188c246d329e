#include "halo/fof/slab_order.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace aureole::halo {

namespace {

/// Of wrapped coordinates; nothing where one is not finite.
std::optional<CoordinateRange> range_along(const double* x, Index n, const Box& box)
{
    double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
#pragma omp parallel for reduction(min : low) reduction(max : high) reduction(+ : sum)
    for (Index i = 0; i < n; ++i) {
        const double wrapped = box.wrap(x[i]);
        low = std::min(low, wrapped);
        high = std::max(high, wrapped);
        sum += 0 * x[i];
    }
    if (!(sum == 0)) return {};
    return CoordinateRange{low, high};
}

/// Particles in each bin along x.
std::vector<Index> histogram(const double* x, Index n, const Box& box, const Slabs& slabs)
{
    std::vector<Index> count(Slabs::n_bins);
#pragma omp parallel
    {
        std::vector<Index> own(Slabs::n_bins);
#pragma omp for
        for (Index i = 0; i < n; ++i) ++own[slabs.bin_of(box.wrap(x[i]))];
#pragma omp critical(fof_slabs)
        for (std::size_t b = 0; b < Slabs::n_bins; ++b) count[b] += own[b];
    }
    return count;
}

}  // namespace

std::optional<Slabs> cut(const ConstVec3View& position, Index n, const Box& box, double linking_length,
                         std::size_t in_slab)
{
    const auto range = range_along(position.x, n, box), y = range_along(position.y, n, box),
               z = range_along(position.z, n, box);
    if (!range || !y || !z) return {};
    Slabs slabs;
    slabs.range = *range;
    slabs.y = *y;
    slabs.z = *z;
    slabs.bins_per_length = Slabs::n_bins / (range->high - range->low);
    if (!(slabs.bins_per_length > 0) || !std::isfinite(slabs.bins_per_length)) return {};
    const double largest = std::max(std::abs(range->low), std::abs(range->high));
    slabs.rounding = 16 * std::numeric_limits<double>::epsilon() * largest;
    slabs.margin = linking_length * (1 + 1e-9) + slabs.rounding;
    if (box.periodic()) slabs.high_face = box.side - slabs.margin;
    const std::vector<Index> count = histogram(position.x, n, box, slabs);
    slabs.low.push_back(range->low);
    std::size_t here = 0, most = 0;
    for (std::size_t b = 0; b < Slabs::n_bins; ++b) {
        const double face = range->low + static_cast<double>(b) / slabs.bins_per_length;
        const double last = box.periodic() ? slabs.high_face - 2 * slabs.margin : range->high;
        if (here >= in_slab && slabs.size() < most_slabs && face - slabs.low.back() >= 4 * slabs.margin &&
            face <= last) {
            slabs.low.push_back(face);
            here = 0;
        }
        slabs.slab_of_bin[b] = static_cast<std::uint8_t>(slabs.size() - 1);
        here += count[b];
        most = std::max(most, here);
    }
    if (most > n / 4) return {};
    return slabs;
}

PartBeginnings order_by_slab(const double* x, Index n, const Box& box, const Slabs& slabs, Index* particle)
{
    const ParticleBlocks blocks{n};
    std::vector<std::array<Index, most_slab_parts>> at(blocks.size());
    const auto for_block = [&](Index b, auto body) {
        for (Index i = blocks.begin(b); i < blocks.begin(b + 1); ++i) body(i, slabs.part_of(box.wrap(x[i])));
    };
#pragma omp parallel for
    for (Index b = 0; b < blocks.size(); ++b) {
        at[b] = {};
        for_block(b, [&](Index, std::size_t part) { ++at[b][part]; });
    }
    PartBeginnings begin{};
    Index next = 0;
    for (std::size_t part = 0; part < most_slab_parts; ++part) {
        begin[part] = next;
        for (auto& block : at) next += std::exchange(block[part], next);
    }
    begin[most_slab_parts] = next;
#pragma omp parallel for
    for (Index b = 0; b < blocks.size(); ++b)
        for_block(b, [&](Index i, std::size_t part) { particle[at[b][part]++] = i; });
    return begin;
}

}  // namespace aureole::halo
