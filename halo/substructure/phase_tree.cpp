#include "halo/substructure/phase_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "halo/substructure/hierarchy.hpp"
#include "sim/core/spatial/build_nodes_dual.hpp"
#include "sim/core/spatial/median_order.hpp"

namespace aureole::halo {
namespace {

constexpr Index parallel_points = 4096;   ///< fewer are left to one thread
constexpr Index most_for_nearest = 4096;  ///< of all pairs, which is faster than the tree in so few

}  // namespace

/// A point on its way to its leaf.
struct PhaseTree::OrderedPoint {
    PhaseSite x;
    Index point;

    static constexpr int count = 6;

    static float coordinate(const OrderedPoint& point, int axis) { return point.x.at[axis]; }
    static float length(int, float difference) { return difference; }
    static bool before(const OrderedPoint& a, const OrderedPoint& b, int axis)
    {
        const float at = coordinate(a, axis), other = coordinate(b, axis);
        return at != other ? at < other : a.point < b.point;
    }
};

struct PhaseTree::Builder : Hierarchy<PhaseBox> {
    const std::vector<OrderedPoint>& ordered;

    PhaseBox leaf(Index k) const
    {
        PhaseBox box{};
        std::ranges::copy(ordered[begin(k)].x.at, box.low);
        std::ranges::copy(ordered[begin(k)].x.at, box.high);
        for (Index i = begin(k) + 1; i < end(k); ++i)
            for (int axis = 0; axis < OrderedPoint::count; ++axis)
                box.include(axis, OrderedPoint::coordinate(ordered[i], axis));
        return box;
    }
    static PhaseBox merge(const PhaseBox& a, const PhaseBox& b) { return a.around(b); }
};

PhaseTree::PhaseTree(std::span<const PhaseSite> points)
    : shape_(BalancedTree::over(points.size(), phase_leaf)), order_(points.size()), place_(points.size())
{
    const std::size_t n = points.size();
    std::iota(order_.begin(), order_.end(), Index{0});
    if (!is_small()) {
        std::vector<OrderedPoint> ordered(n);
        for (std::size_t i = 0; i < n; ++i) ordered[i] = {points[i], static_cast<Index>(i)};
        order_by_medians(shape_, std::span(ordered), OrderedPoint{});
        boxes_.resize(shape_.n_places());
        build_nodes_cpu(shape_, Builder{{shape_, boxes_.data()}, ordered});
        for (std::size_t k = 0; k < n; ++k) order_[k] = ordered[k].point;
    }
    for (auto& axis : coordinate_) axis.resize(n + phase_leaf);
    for (std::size_t k = 0; k < n; ++k) {
        place_[order_[k]] = static_cast<Index>(k);
        for (std::size_t axis = 0; axis < 6; ++axis) coordinate_[axis][k] = points[order_[k]].at[axis];
    }
}

PhaseTreeView PhaseTree::view() const
{
    PhaseTreeView tree{shape_, boxes_.data(), {}, nullptr};
    for (std::size_t axis = 0; axis < 6; ++axis) tree.coordinate[axis] = coordinate_[axis].data();
    return tree;
}

float PhaseTree::squared_to_nearest(Index i) const
{
    if (shape_.n <= most_for_nearest) return kernels_.squared_to_nearest_of(view(), shape_.n, place_[i]);
    return kernels_.squared_to_nearest(view(), place_[i]);
}

/// Nodes so small that no two of their points are farther apart than the linking length. Without them many
/// coincident points would compare all pairs.
std::vector<char> PhaseTree::nodes_of_friends(float squared_length) const
{
    std::vector<char> result(boxes_.size(), 0);
    for (std::size_t node = BalancedTree::root; node < boxes_.size(); ++node) {
        double diagonal = 0;  // and room for rounding of the distances in float
        for (std::size_t axis = 0; axis < 6; ++axis) {
            const double side = boxes_[node].high[axis] - boxes_[node].low[axis];
            diagonal += side * side;
        }
        result[node] = diagonal * (1 + 0x1p-18) <= squared_length;
    }
    return result;
}

void PhaseTree::link(const PhaseTreeView& tree, UnionFind sets, float squared_length) const
{
    const Index first = shape_.n_leaves();
    for (Index node = BalancedTree::root; node < 2 * first; ++node)
        if (tree.friends[node] && (node == BalancedTree::root || !tree.friends[BalancedTree::parent(node)]))
            for (Index k = shape_.begin(node) + 1; k < shape_.end(node); ++k) sets.unite(k - 1, k);
#pragma omp parallel for schedule(dynamic, 64) if (shape_.n > parallel_points)
    for (Index leaf = first; leaf < 2 * first; ++leaf) kernels_.link_leaf(tree, leaf, sets, squared_length);
}

void PhaseTree::friends_of_friends(float squared_length, std::span<Index> label) const
{
    const Index n = shape_.n;
    std::vector<Index> parent(n), smallest(n, n);
    std::iota(parent.begin(), parent.end(), Index{0});
    const UnionFind sets{parent.data()};
    if (is_small()) {
        kernels_.link_pairs(view(), n, sets, squared_length);
    } else {
        const std::vector<char> friends = nodes_of_friends(squared_length);
        PhaseTreeView tree = view();
        tree.friends = friends.data();
        link(tree, sets, squared_length);
    }
    for (Index k = 0; k < n; ++k) {
        Index& least = smallest[sets.find(k)];
        least = std::min(least, order_[k]);
    }
    for (Index k = 0; k < n; ++k) label[order_[k]] = smallest[sets.find(k)];
}

// Linking on the host: a tree for each piece.
namespace {

constexpr std::uint64_t large_piece = 20000;  ///< linked by all threads together; smaller ones by one each

void link_piece(const Pieces& pieces, Index piece, double fraction, Index* label)
{
    const std::uint64_t begin = pieces.lists.begin[piece], end = pieces.lists.begin[piece + 1];
    const auto n = static_cast<Index>(end - begin);
    if (n == 0) return;
    const PhaseTree tree({pieces.site + begin, n});
    std::vector<float> nearest(samples_of(n));
#pragma omp parallel for schedule(dynamic, 16) if (n > large_piece)
    for (Index k = 0; k < samples_of(n); ++k) nearest[k] = tree.squared_to_nearest(sample_at(k, n));
    const auto at = nearest.begin() + sample_rank(n, fraction);
    std::ranges::nth_element(nearest, at);
    tree.friends_of_friends(*at, {label + begin, n});
    for (std::uint64_t k = begin; k < end; ++k) label[k] += static_cast<Index>(begin);
}

}  // namespace

void link_pieces_cpu(const Pieces& pieces, double fraction, Index* label)
{
    const Index n = pieces.lists.n_lists;
    const auto is_large = [&](Index p) {
        return pieces.lists.begin[p + 1] - pieces.lists.begin[p] > large_piece;
    };
    for (Index p = 0; p < n; ++p)
        if (is_large(p)) link_piece(pieces, p, fraction, label);
#pragma omp parallel for schedule(dynamic) if (pieces.lists.n > parallel_threshold)
    for (Index p = 0; p < n; ++p)
        if (!is_large(p)) link_piece(pieces, p, fraction, label);
}

}  // namespace aureole::halo
