// The order of a balanced tree's points on the host: every node is halved at the median of the longest side
// of the box around its points (k-d tree, Bentley 1975). Nodes are compact at every scale, whatever the ratio
// of the axes, at the cost of n log n comparisons; a curve costs one sort by keys.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>

#include "sim/core/spatial/balanced_tree.hpp"
#include "sim/core/spatial/bounding_box.hpp"

namespace aureole {

namespace detail {

template <class Point, class Axes>
class MedianOrder {
public:
    MedianOrder(const BalancedTree& tree, std::span<Point> points, const Axes& axes)
        : tree_(tree), points_(points), axes_(axes)
    {
    }

    static constexpr Index task_size = 4096;  ///< points: smaller nodes stay on the thread that met them

    void order(Index k) const
    {
        if (tree_.is_leaf(k)) return;
        const Index left = BalancedTree::left(k), right = BalancedTree::right(k);
        const auto at = [&](Index i) { return points_.begin() + i; };
        const Index begin = tree_.begin(k), end = tree_.end(k);
        if (begin == end) return;
        const int axis = longest_axis(points_.subspan(begin, end - begin));
        std::nth_element(at(begin), at(tree_.begin(right)), at(end),
                         [&](const Point& a, const Point& b) { return axes_.before(a, b, axis); });
#pragma omp task if (end - begin > task_size)
        order(left);
        order(right);
    }

private:
    /// The first of the longest ones.
    int longest_axis(std::span<const Point> points) const
    {
        using Number = std::remove_cvref_t<decltype(axes_.coordinate(points[0], 0))>;
        BoundingBoxN<Number, Axes::count> box;
        for (int k = 0; k < Axes::count; ++k) box.low[k] = box.high[k] = axes_.coordinate(points[0], k);
        for (const Point& point : points.subspan(1))
            for (int k = 0; k < Axes::count; ++k) box.include(k, axes_.coordinate(point, k));
        int longest = 0;
        for (int k = 1; k < Axes::count; ++k)
            if (axes_.length(k, box.high[k] - box.low[k]) >
                axes_.length(longest, box.high[longest] - box.low[longest]))
                longest = k;
        return longest;
    }

    const BalancedTree& tree_;
    std::span<Point> points_;
    const Axes& axes_;
};

}  // namespace detail

/// Puts `points`, tree.n of them, into the order of `tree`.
///
/// `axes` says what a point is:
///   static constexpr int count                              of the axes
///   Number coordinate(const Point&, int axis) const
///   Number length(int axis, Number difference) const        what a difference weighs where axes are compared
///   bool before(const Point&, const Point&, int axis) const strictly less along the axis; with ties broken,
///   the
///                                                           tree depends on the points alone
/// Works in place, in OpenMP tasks; the result is the same for any number of threads. Cost: n log n.
template <class Point, class Axes>
void order_by_medians(const BalancedTree& tree, std::span<Point> points, const Axes& axes)
{
    using Order = detail::MedianOrder<Point, Axes>;
    const Order order(tree, points, axes);
#pragma omp parallel if (points.size() > Order::task_size)
#pragma omp single
    order.order(BalancedTree::root);
}

}  // namespace aureole
