// The order of median_order.hpp where a GPU computes: level by level, all points are sorted at once by node
// and by place along the longest axis of their node's box, so that each node is halved near its median. Cost:
// a sort for every level.
#pragma once

#include "halo/spanning_tree/median_order.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

/// Extent of a node's points: ordered_bits.
template <int dimensions>
struct MedianExtent {
    std::uint64_t low[dimensions], high[dimensions];
};

/// All in the memory of the backend.
template <int dimensions>
struct MedianSort {
    KdTree tree;                       ///< numbering alone
    double scale[dimensions];          ///< what a unit of each coordinate weighs where axes are compared
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
