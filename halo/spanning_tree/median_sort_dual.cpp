#include "halo/spanning_tree/median_sort.hpp"

#include <utility>

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::halo {
namespace {

constexpr Index points_per_lane =
    32;  // neighbours, nearly always of one node: gathered before they are shared
constexpr int place_bits = 32;

template <int dimensions>
AUREOLE_HD MedianExtent<dimensions> no_extent()
{
    MedianExtent<dimensions> extent;
    for (int k = 0; k < dimensions; ++k) {
        extent.low[k] = ~std::uint64_t{0};
        extent.high[k] = 0;
    }
    return extent;
}

template <int dimensions>
AUREOLE_HD void include(MedianExtent<dimensions>& extent, const MedianPoint<dimensions>& point)
{
    for (int k = 0; k < dimensions; ++k) {
        const std::uint64_t bits = ordered_bits(point.at[k]);
        extent.low[k] = bits < extent.low[k] ? bits : extent.low[k];
        extent.high[k] = bits > extent.high[k] ? bits : extent.high[k];
    }
}

template <int dimensions>
AUREOLE_HD void merge_into(MedianExtent<dimensions>& shared, const MedianExtent<dimensions>& extent)
{
    for (int k = 0; k < dimensions; ++k) {
        atomic_min(&shared.low[k], extent.low[k]);
        atomic_max(&shared.high[k], extent.high[k]);
    }
}

template <int dimensions>
void measure_nodes(Exec exec, const MedianSort<dimensions>& task, const MedianPoint<dimensions>* point,
                   int level)
{
    for_each(exec, Index{1} << level,
             [=] AUREOLE_HD(Index node) { task.extent[node] = no_extent<dimensions>(); });
    for_each(exec, (task.tree.n - 1) / points_per_lane + 1, [=] AUREOLE_HD(Index lane) {
        const Index first = lane * points_per_lane, left = task.tree.n - first;
        const Index end = first + (left < points_per_lane ? left : points_per_lane);
        Index node = task.tree.place_in_level(first, level);
        MedianExtent<dimensions> extent = no_extent<dimensions>();
        for (Index i = first; i < end; ++i) {
            const Index next = task.tree.place_in_level(i, level);
            if (next != node) {
                merge_into(task.extent[node], extent);
                extent = no_extent<dimensions>();
                node = next;
            }
            include(extent, point[i]);
        }
        merge_into(task.extent[node], extent);
    });
}

/// Of a node and the place along its longest axis, as a fraction of it.
template <int dimensions>
AUREOLE_HD std::uint64_t median_key(const MedianSort<dimensions>& task, const MedianPoint<dimensions>& point,
                                    Index node)
{
    const MedianExtent<dimensions>& extent = task.extent[node];
    int longest = 0;
    double low = 0, length = -1;
    for (int k = 0; k < dimensions; ++k) {
        const double from = from_ordered_bits(extent.low[k]), to = from_ordered_bits(extent.high[k]);
        if (!(task.axes.scale[k] * (to - from) > length)) continue;
        length = task.axes.scale[k] * (to - from);
        longest = k;
        low = from;
    }
    constexpr double last = (std::uint64_t{1} << place_bits) - 1;
    const double fraction =
        length > 0 ? task.axes.scale[longest] * (point.at[longest] - low) / length * last : 0;
    const auto place = static_cast<std::uint64_t>(fraction < last ? fraction : last);
    return std::uint64_t{node} << place_bits | place;
}

}  // namespace

template <int dimensions>
MedianPoint<dimensions>* sort_by_medians(Exec exec, const MedianSort<dimensions>& task)
{
    MedianPoint<dimensions>*point = task.point, *spare = task.spare;
    SortBuffers pairs = task.pairs;
    for (int level = 0; level < task.tree.depth; ++level) {
        measure_nodes(exec, task, point, level);
        for_each(exec, task.tree.n, [=] AUREOLE_HD(Index i) {
            pairs.key[i] = median_key(task, point[i], task.tree.place_in_level(i, level));
            pairs.value[i] = i;
        });
        sort_pairs(exec, task.tree.n, pairs, place_bits + level, task.scratch);
        for_each(exec, task.tree.n, [=] AUREOLE_HD(Index i) { spare[i] = point[pairs.value[i]]; });
        std::swap(point, spare);
    }
    return point;
}

template MedianPoint<3>* sort_by_medians(Exec, const MedianSort<3>&);
template MedianPoint<6>* sort_by_medians(Exec, const MedianSort<6>&);

}  // namespace aureole::halo
