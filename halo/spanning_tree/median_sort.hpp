// The points of a spanning tree in the order of a balanced tree, at medians of the longest axis: edges are
// searched at all scales, down to which a curve's cells are not compact. On the host
// sim/core/spatial/median_order.hpp orders them; on a GPU, level by level, all points are sorted at once by
// node and by place along the longest axis of their node's box, so that each node is halved near its median.
// Cost of that: a sort for every level.
#pragma once

#include "sim/core/spatial/balanced_tree.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

/// A point to be ordered; the coordinates travel along.
template <int dimensions>
struct MedianPoint {
    double at[dimensions];
    Index rank;        ///< of its particle
    Index unused = 0;  ///< in place of padding: copies read it, all bytes have a value
};

/// What order_by_medians() asks of such points. `scale[k]` is what a unit of coordinate k weighs where axes
/// are compared.
template <int dimensions>
struct MedianAxes {
    double scale[dimensions];

    static constexpr int count = dimensions;

    static double coordinate(const MedianPoint<dimensions>& point, int axis) { return point.at[axis]; }
    double length(int axis, double difference) const { return scale[axis] * difference; }
    static bool before(const MedianPoint<dimensions>& a, const MedianPoint<dimensions>& b, int axis)
    {
        return a.at[axis] < b.at[axis];
    }
};

/// Extent of a node's points: ordered_bits.
template <int dimensions>
struct MedianExtent {
    std::uint64_t low[dimensions], high[dimensions];
};

/// All in the memory of the backend.
template <int dimensions>
struct MedianSort {
    BalancedTree tree;
    MedianAxes<dimensions> axes;
    MedianPoint<dimensions>* point;    ///< tree.n of them
    MedianPoint<dimensions>* spare;    ///< as many
    MedianExtent<dimensions>* extent;  ///< 2^tree.depth of them
    SortBuffers pairs;                 ///< for tree.n
    std::byte* scratch;                ///< sort_pairs_scratch_bytes
};

/// Returns where the ordered points are: in task.point or task.spare. A node is halved within 2^-32 of its
/// extent of the median; the halves have the sizes that the tree says.
template <int dimensions>
MedianPoint<dimensions>* sort_by_medians(Exec exec, const MedianSort<dimensions>& task);

}  // namespace aureole::halo
