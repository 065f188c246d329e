#include "halo/substructure/phase_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halo/fof/kd_walk.hpp"
#include "halo/union_find.hpp"

namespace aureole::halo {
namespace {

constexpr std::size_t parallel_points = 4096;  ///< fewer are left to one thread

}

/// A point on its way to its leaf.
struct PhaseTree::Seat {
    PhasePoint x;
    Index point;
};

/// A point as boxes are: with two coordinates more.
struct alignas(32) PhaseTree::Padded {
    explicit Padded(const PhasePoint& p) { std::ranges::copy(p, x.begin()); }
    std::array<float, 8> x{};
};

PhaseTree::PhaseTree(std::span<const PhasePoint> points) : points_(points)
{
    const std::size_t n = points.size();
    shape_.n = static_cast<Index>(n);
    shape_.depth = KdTree::depth_for(n, leaf_size);
    boxes_.resize(std::size_t{2} * shape_.n_leaves());
    std::vector<Seat> seats(n);
    for (std::size_t i = 0; i < n; ++i) seats[i] = {points[i], static_cast<Index>(i)};
#pragma omp parallel if (n > parallel_points)
#pragma omp single
    build(KdTree::root, seats);
    order_.resize(n);
    for (auto& axis : coordinate_) axis.resize(n + leaf_size);
    for (std::size_t k = 0; k < n; ++k) {
        order_[k] = seats[k].point;
        for (std::size_t axis = 0; axis < 6; ++axis) coordinate_[axis][k] = seats[k].x[axis];
    }
}

void PhaseTree::build(Index node, std::vector<Seat>& seats)
{
    const Index begin = shape_.begin(node), end = shape_.end(node);
    Box box;
    std::ranges::copy(seats[begin].x, box.low.begin());
    std::ranges::copy(seats[begin].x, box.high.begin());
    for (Index k = begin + 1; k < end; ++k)
        for (std::size_t axis = 0; axis < 6; ++axis) {
            box.low[axis] = std::min(box.low[axis], seats[k].x[axis]);
            box.high[axis] = std::max(box.high[axis], seats[k].x[axis]);
        }
    boxes_[node] = box;
    if (shape_.is_leaf(node)) return;
    std::size_t longest = 0;
    for (std::size_t axis = 1; axis < 6; ++axis)
        if (box.high[axis] - box.low[axis] > box.high[longest] - box.low[longest]) longest = axis;
    const auto at = [&](Index k) { return seats.begin() + static_cast<std::ptrdiff_t>(k); };
    std::nth_element(
        at(begin), at(shape_.end(KdTree::left(node))), at(end), [longest](const Seat& a, const Seat& b) {
            return a.x[longest] != b.x[longest] ? a.x[longest] < b.x[longest] : a.point < b.point;
        });
#pragma omp task if (end - begin > parallel_points) shared(seats)
    build(KdTree::left(node), seats);
    build(KdTree::left(node) + 1, seats);
#pragma omp taskwait
}

inline float PhaseTree::squared_gap(const Padded& p, const Box& b)
{
    std::array<float, 8> square;
    for (std::size_t axis = 0; axis < 8; ++axis) {
        // (|d| + d) / 2 is max(0, d), exactly, and in a form that compilers make vectors of
        const float above = p.x[axis] - b.high[axis], below = b.low[axis] - p.x[axis];
        const float gap = 0.5f * ((std::abs(above) + above) + (std::abs(below) + below));
        square[axis] = gap * gap;
    }
    for (std::size_t axis = 0; axis < 4; ++axis) square[axis] += square[axis + 4];
    return (square[0] + square[1]) + (square[2] + square[3]);
}

/// From `p` to as many seats as a leaf can have, from `first` on; whose they are is the caller's affair.
inline auto PhaseTree::squared_distances(const PhasePoint& p, Index first) const -> LeafDistances
{
    LeafDistances d2{};
    for (std::size_t axis = 0; axis < 6; ++axis) {
        const float* const x = coordinate_[axis].data() + first;
        for (std::size_t k = 0; k < leaf_size; ++k) d2[k] += (x[k] - p[axis]) * (x[k] - p[axis]);
    }
    return d2;
}

float PhaseTree::squared_to_nearest(Index i) const
{
    const PhasePoint p = points_[i];
    const Padded padded(p);
    float nearest = std::numeric_limits<float>::infinity();
    struct Entry {
        Index node;
        float gap;
    };
    std::array<Entry, 64> stack;  // at most two for each of up to 30 levels
    std::size_t height = 0;
    stack[height++] = {KdTree::root, 0};
    while (height > 0) {
        const Entry top = stack[--height];
        if (top.gap >= nearest) continue;
        if (!shape_.is_leaf(top.node)) {
            Entry near{KdTree::left(top.node), 0}, far{KdTree::left(top.node) + 1, 0};
            near.gap = squared_gap(padded, boxes_[near.node]);
            far.gap = squared_gap(padded, boxes_[far.node]);
            if (far.gap < near.gap) std::swap(near, far);
            stack[height++] = far;
            stack[height++] = near;
            continue;
        }
        const Index begin = shape_.begin(top.node), end = shape_.end(top.node);
        const auto d2 = squared_distances(p, begin);
        for (Index k = begin; k < end; ++k)
            if (d2[k - begin] < nearest && order_[k] != i) nearest = d2[k - begin];
    }
    return nearest;
}

std::vector<Index> PhaseTree::within(const PhasePoint& centre, float radius) const
{
    struct Collector {
        const PhaseTree& tree;
        PhasePoint centre;
        Padded padded;
        float squared_radius;
        std::vector<Index> found{};

        bool enters(Index node) const { return squared_gap(padded, tree.boxes_[node]) <= squared_radius; }
        void visit(Index leaf)
        {
            const Index begin = tree.shape_.begin(leaf), end = tree.shape_.end(leaf);
            const auto d2 = tree.squared_distances(centre, begin);
            for (Index k = begin; k < end; ++k)
                if (d2[k - begin] <= squared_radius) found.push_back(tree.order_[k]);
        }
    } collector{*this, centre, Padded(centre), radius * radius};
    walk(shape_, KdTree::root, collector);
    std::ranges::sort(collector.found);
    return collector.found;
}

/// What one point asks of the points behind it. In six dimensions a leaf's box is far larger than a linking
/// length, so points ask for themselves.
struct PhaseTree::Linker {
    const PhaseTree& tree;
    const std::vector<char>& friends;  ///< per node: all in it are each other's friends, and of one set
    UnionFind sets;                    ///< of seats
    Index seat;
    PhasePoint p;
    Padded padded;
    float squared_length;

    bool enters(Index node) const
    {
        return squared_gap(padded, tree.boxes_[node]) <= squared_length &&
               !(friends[node] && sets.find(tree.shape_.begin(node)) == sets.find(seat));
    }
    void visit(Index leaf) const { link(tree.shape_.begin(leaf), tree.shape_.end(leaf)); }

    void link(Index begin, Index end) const
    {
        const auto d2 = tree.squared_distances(p, begin);
        for (Index k = 0; k < end - begin; ++k)
            if (d2[k] <= squared_length) sets.unite(seat, begin + k);
    }
};

/// Nodes so small that no two of their points are farther apart than the linking length. Without them many
/// coincident points would compare all pairs.
std::vector<char> PhaseTree::nodes_of_friends(float squared_length) const
{
    std::vector<char> result(boxes_.size(), 0);
    for (std::size_t node = KdTree::root; node < boxes_.size(); ++node) {
        double diagonal = 0;  // and room for rounding of the distances in float
        for (std::size_t axis = 0; axis < 6; ++axis) {
            const double side = boxes_[node].high[axis] - boxes_[node].low[axis];
            diagonal += side * side;
        }
        result[node] = diagonal * (1 + 0x1p-18) <= squared_length;
    }
    return result;
}

std::vector<Index> PhaseTree::friends_of_friends(float squared_length) const
{
    const Index n = shape_.n;
    std::vector<Index> parent(n);
    for (Index k = 0; k < n; ++k) parent[k] = k;
    const UnionFind sets{parent.data()};
    const std::vector<char> friends = nodes_of_friends(squared_length);
    const Index first = shape_.n_leaves();
    for (Index node = KdTree::root; node < 2 * first; ++node)
        if (friends[node] && (node == KdTree::root || !friends[KdTree::parent(node)]))
            for (Index k = shape_.begin(node) + 1; k < shape_.end(node); ++k) sets.unite(k - 1, k);
#pragma omp parallel for schedule(dynamic, 64) if (n > parallel_points)
    for (Index leaf = first; leaf < 2 * first; ++leaf)
        for (Index seat = shape_.begin(leaf); seat < shape_.end(leaf); ++seat) {
            const PhasePoint& p = points_[order_[seat]];
            const Linker linker{*this, friends, sets, seat, p, Padded(p), squared_length};
            if (!friends[leaf]) linker.link(seat + 1, shape_.end(leaf));
            walk(shape_, KdTree::after(leaf), linker);
        }
    std::vector<Index> smallest(n, n), label(n);
    for (Index k = 0; k < n; ++k) {
        Index& least = smallest[sets.find(k)];
        least = std::min(least, order_[k]);
    }
    for (Index k = 0; k < n; ++k) label[order_[k]] = smallest[sets.find(k)];
    return label;
}

}  // namespace aureole::halo
