#include "density/points/point_tree.hpp"

#include <numeric>

#include "density/sheet/tetrahedron.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/build_nodes_dual.hpp"
#include "sim/core/spatial/median_order.hpp"

namespace aureole::density {
namespace {

/// Points are ordered by their numbers, which are smaller.
struct PointAxes {
    std::span<const Vec3> points;

    static constexpr int count = 3;

    double coordinate(Index i, int axis) const { return component(points[i], axis); }
    static double length(int, double difference) { return difference; }
    bool before(Index a, Index b, int axis) const { return coordinate(a, axis) < coordinate(b, axis); }
};

struct BoxBuilder : Hierarchy<BoundingBox<double>> {
    const Vec3* sorted;

    BoundingBox<double> leaf(Index k) const
    {
        auto box = BoundingBox<double>::at(sorted[begin(k)]);
        for (Index i = begin(k) + 1; i < end(k); ++i) box.include(sorted[i]);
        return box;
    }
    static BoundingBox<double> merge(const BoundingBox<double>& a, const BoundingBox<double>& b)
    {
        return a.around(b);
    }
};

}  // namespace

std::size_t PointTree::bytes(std::size_t n_points)
{
    return n_points * (sizeof(Vec3) + sizeof(Index)) +
           BalancedTree::over(n_points, PointTreeView::leaf_size).n_places() * sizeof(BoundingBox<double>);
}

PointTree::PointTree(std::span<const Vec3> points) : order_(points.size()), sorted_(points.size())
{
    AUREOLE_EXPECT(!points.empty() && points.size() <= max_particles, "a tree of {} points, expected 1 to {}",
                   points.size(), max_particles);
    shape_ = BalancedTree::over(points.size(), PointTreeView::leaf_size);
    nodes_.resize(shape_.n_places());
    std::iota(order_.begin(), order_.end(), Index{0});
    order_by_medians(shape_, std::span(order_), PointAxes{points});
#pragma omp parallel for if (points.size() > parallel_threshold)
    for (std::size_t k = 0; k < points.size(); ++k) sorted_[k] = points[order_[k]];
    build_nodes_cpu(shape_, BoxBuilder{{shape_, nodes_.data()}, sorted_.data()});
}

}  // namespace aureole::density
