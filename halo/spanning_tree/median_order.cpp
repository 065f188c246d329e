#include "halo/spanning_tree/median_order.hpp"

#include <algorithm>

namespace aureole::halo {
namespace {

constexpr Index task_size = 1 << 15;  // smaller nodes stay on the thread that met them

template <int dimensions>
class MedianOrder {
public:
    MedianOrder(const KdTree& tree, std::span<const double, dimensions> scale,
                std::span<MedianPoint<dimensions>> points)
        : tree_(tree), scale_(scale), points_(points)
    {
    }

    void order(Index k) const
    {
        if (tree_.is_leaf(k)) return;
        const Index begin = tree_.begin(k), end = tree_.end(k), middle = tree_.begin(KdTree::left(k) + 1);
        const int axis = longest_axis(begin, end);
        std::nth_element(points_.begin() + begin, points_.begin() + middle, points_.begin() + end,
                         [axis](const auto& a, const auto& b) { return a.at[axis] < b.at[axis]; });
#pragma omp task if (end - begin > task_size)
        order(KdTree::left(k));
        order(KdTree::left(k) + 1);
    }

private:
    int longest_axis(Index begin, Index end) const
    {
        double low[dimensions], high[dimensions];
        for (int k = 0; k < dimensions; ++k) low[k] = high[k] = points_[begin].at[k];
        for (const auto& point : points_.subspan(begin, end - begin))
            for (int k = 0; k < dimensions; ++k) {
                low[k] = std::min(low[k], point.at[k]);
                high[k] = std::max(high[k], point.at[k]);
            }
        int longest = 0;
        for (int k = 1; k < dimensions; ++k)
            if (scale_[k] * (high[k] - low[k]) > scale_[longest] * (high[longest] - low[longest]))
                longest = k;
        return longest;
    }

    const KdTree& tree_;
    std::span<const double, dimensions> scale_;
    std::span<MedianPoint<dimensions>> points_;
};

}  // namespace

template <int dimensions>
void order_by_medians(const KdTree& tree, std::span<const double, dimensions> scale,
                      std::span<MedianPoint<dimensions>> points)
{
    const MedianOrder<dimensions> order(tree, scale, points);
#pragma omp parallel if (points.size() > task_size)
#pragma omp single
    order.order(KdTree::root);
}

template void order_by_medians<3>(const KdTree&, std::span<const double, 3>, std::span<MedianPoint<3>>);
template void order_by_medians<6>(const KdTree&, std::span<const double, 6>, std::span<MedianPoint<6>>);

}  // namespace aureole::halo
