// The order of a balanced tree's points: halved at the median of the longest axis of their box, again and
// again, so that the nodes that KdTree numbers are compact at every scale. On the host.
#pragma once

#include <span>

#include "halo/kd_tree.hpp"

namespace aureole::halo {

/// A point to be ordered; ordering happens in place, the coordinates travel along.
template <int dimensions>
struct MedianPoint {
    double at[dimensions];
    Index rank;        ///< of its particle
    Index unused = 0;  ///< in place of padding: copies read it, all bytes have a value
};

/// Puts `points`, tree.n of them, into the order of `tree`. `scale[k]` is what a unit of coordinate k weighs
/// where axes are compared. Cost: n log n.
template <int dimensions>
void order_by_medians(const KdTree& tree, std::span<const double, dimensions> scale,
                      std::span<MedianPoint<dimensions>> points);

}  // namespace aureole::halo
