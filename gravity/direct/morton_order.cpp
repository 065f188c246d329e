// Morton keys and a merge sort of fixed blocks: the order is total, so threads cannot change it. O(N log N).
#include "gravity/direct/morton_order.hpp"

#include <algorithm>
#include <utility>

namespace aureole::gravity {
namespace {

constexpr double cells = 1u << 21;
constexpr Index sort_block = 2048;

/// The 21 bits of a cell number, three apart.
std::uint64_t spread(double x)
{
    std::uint64_t bits = x >= cells ? static_cast<std::uint64_t>(cells) - 1
                         : x > 0    ? static_cast<std::uint64_t>(x)
                                    : 0;
    bits = (bits | bits << 32) & 0x1f00000000ffffu;
    bits = (bits | bits << 16) & 0x1f0000ff0000ffu;
    bits = (bits | bits << 8) & 0x100f00f00f00f00fu;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3u;
    return (bits | bits << 2) & 0x1249249249249249u;
}

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

void morton_order(Vec3View position, IndexRange range, Vec3 low, double extent, MortonItem* items,
                  Index* order)
{
    const Index n = range.size();
    const double per_cell = extent > 0 ? cells / extent : 0;
#pragma omp parallel for if (n > parallel_threshold)
    for (Index k = 0; k < n; ++k) {
        const Index i = range.begin + k;
        const Vec3 x = per_cell * (position.load(i) - low);
        items[k] = {spread(x.x) << 2 | spread(x.y) << 1 | spread(x.z), i};
    }
    const MortonItem* result = sorted(items, items + n, n);
#pragma omp parallel for if (n > parallel_threshold)
    for (Index k = 0; k < n; ++k) order[k] = result[k].index;
}

}  // namespace aureole::gravity
