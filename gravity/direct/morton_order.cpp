// Morton keys and a merge sort of fixed blocks: the order is total, so threads cannot change it. O(N log N).
#include "gravity/direct/morton_order.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/spatial/curve_keys.hpp"

namespace aureole::gravity {
namespace {

constexpr double cells = 1u << key_bits;
constexpr Index sort_block = 2048;

bool before(const MortonItem& a, const MortonItem& b)
{
    return a.key != b.key ? a.key < b.key : a.index < b.index;
}

/// Sorts items[0, n) with the help of spare[0, n); returns which of the two holds the result.
MortonItem* sorted(MortonItem* items, MortonItem* spare, std::size_t n)
{
    const std::size_t n_blocks = (n + sort_block - 1) / sort_block;
#pragma omp parallel for if (n_blocks > 1) schedule(dynamic)
    for (std::size_t block = 0; block < n_blocks; ++block)
        std::sort(items + block * sort_block, items + std::min(n, (block + 1) * sort_block), before);
    for (std::size_t width = sort_block; width < n; width *= 2) {
        const std::size_t n_pairs = (n + 2 * width - 1) / (2 * width);
#pragma omp parallel for if (n_pairs > 1) schedule(dynamic)
        for (std::size_t pair = 0; pair < n_pairs; ++pair) {
            const std::size_t begin = pair * 2 * width;
            const std::size_t middle = std::min(n, begin + width), end = std::min(n, begin + 2 * width);
            std::merge(items + begin, items + middle, items + middle, items + end, spare + begin, before);
        }
        std::swap(items, spare);
    }
    return items;
}

}  // namespace

void morton_order(ConstVec3View position, const Selection& selection, Vec3 low, double extent,
                  MortonItem* items, Index* order)
{
    const Index n = selection.size();
    const double per_cell = extent > 0 ? cells / extent : 0;
#pragma omp parallel for if (n > parallel_threshold)
    for (Index k = 0; k < n; ++k) {
        const Index i = selection[k];
        const Vec3 x = per_cell * (position.load(i) - low);
        const std::uint32_t cell[3] = {cell_number(x.x, key_bits), cell_number(x.y, key_bits),
                                       cell_number(x.z, key_bits)};
        items[k] = {morton_key(cell), i};
    }
    const MortonItem* result = sorted(items, items + n, n);
#pragma omp parallel for if (n > parallel_threshold)
    for (Index k = 0; k < n; ++k) order[k] = result[k].index;
}

}  // namespace aureole::gravity
