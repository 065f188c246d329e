#include "density/points/point_tree.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "density/sheet/tetrahedron.hpp"
#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

constexpr std::size_t most_points = std::numeric_limits<Index>::max();
constexpr Index least_task = 1 << 14;  ///< points: smaller halves are not worth a task of their own

/// After d halvings the larger halves have ceil(P / 2^d) points.
std::size_t most_nodes(std::size_t n_points)
{
    return 2 * std::bit_ceil((n_points + PointRange::most_in_leaf - 1) / PointRange::most_in_leaf);
}

}  // namespace

std::size_t PointTree::bytes(std::size_t n_points)
{
    return n_points * (sizeof(Vec3) + sizeof(Index)) + most_nodes(n_points) * sizeof(BoundingBox);
}

PointTree::PointTree(std::span<const Vec3> points) : order_(points.size()), sorted_(points.size())
{
    AUREOLE_EXPECT(!points.empty() && points.size() <= most_points, "a tree of {} points, expected 1 to {}",
                   points.size(), most_points);
    std::iota(order_.begin(), order_.end(), Index{0});
    nodes_.resize(most_nodes(points.size()));
#pragma omp parallel
#pragma omp single
    build({0, 0, static_cast<Index>(points.size())}, points);
}

void PointTree::build(PointRange range, std::span<const Vec3> points)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    BoundingBox& box = nodes_[range.node];
    box = {{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
    for (Index k = range.begin; k < range.end; ++k) box.include(points[order_[k]]);
    if (range.is_leaf()) {
        for (Index k = range.begin; k < range.end; ++k) sorted_[k] = points[order_[k]];
        return;
    }
    const Vec3 size = box.high - box.low;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    std::nth_element(
        order_.begin() + range.begin, order_.begin() + range.middle(), order_.begin() + range.end,
        [&](Index a, Index b) { return component(points[a], axis) < component(points[b], axis); });
    const PointRange lower = range.lower(), upper = range.upper();
#pragma omp task if (range.end - range.begin >= least_task)
    build(lower, points);
    build(upper, points);
#pragma omp taskwait
}

}  // namespace aureole::density
