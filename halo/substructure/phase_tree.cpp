#include "halo/substructure/phase_tree.hpp"

#include <algorithm>
#include <limits>

#include "halo/kd_walk.hpp"
#include "halo/union_find.hpp"

namespace aureole::halo {

/// A point on its way to its leaf.
struct PhaseTree::Seat {
    PhasePoint x;
    Index point;
};

PhaseTree::PhaseTree(std::span<const PhasePoint> points) : points_(points)
{
    const std::size_t n = points.size();
    shape_ = {static_cast<Index>(n), KdTree::depth_for(n), nullptr, nullptr};
    boxes_.resize(std::size_t{2} * shape_.n_leaves());
    std::vector<Seat> seats(n);
    for (std::size_t i = 0; i < n; ++i) seats[i] = {points[i], static_cast<Index>(i)};
#pragma omp parallel if (n > parallel_threshold)
#pragma omp single
    build(KdTree::root, seats);
    order_.resize(n);
    for (auto& axis : coordinate_) axis.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
        order_[k] = seats[k].point;
        for (std::size_t axis = 0; axis < 6; ++axis) coordinate_[axis][k] = seats[k].x[axis];
    }
}

void PhaseTree::build(Index node, std::vector<Seat>& seats)
{
    const Index begin = shape_.begin(node), end = shape_.end(node);
    Box box{seats[begin].x, seats[begin].x};
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
#pragma omp task if (end - begin > parallel_threshold) shared(seats)
    build(KdTree::left(node), seats);
    build(KdTree::left(node) + 1, seats);
#pragma omp taskwait
}

float PhaseTree::squared_gap(const Box& a, const Box& b)
{
    float sum = 0;
    for (std::size_t axis = 0; axis < 6; ++axis) {
        const float gap = std::max(0.0f, std::max(a.low[axis] - b.high[axis], b.low[axis] - a.high[axis]));
        sum += gap * gap;
    }
    return sum;
}

float PhaseTree::squared_to_nearest(Index i) const
{
    const PhasePoint p = points_[i];
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
            near.gap = squared_gap(p, boxes_[near.node]);
            far.gap = squared_gap(p, boxes_[far.node]);
            if (far.gap < near.gap) std::swap(near, far);
            stack[height++] = far;
            stack[height++] = near;
            continue;
        }
        for (Index k = shape_.begin(top.node); k < shape_.end(top.node); ++k) {
            float d2 = 0;
            for (std::size_t axis = 0; axis < 6; ++axis) {
                const float d = coordinate_[axis][k] - p[axis];
                d2 += d * d;
            }
            if (d2 < nearest && order_[k] != i) nearest = d2;
        }
    }
    return nearest;
}

std::vector<Index> PhaseTree::within(const PhasePoint& centre, float radius) const
{
    struct Collector {
        const PhaseTree& tree;
        const PhasePoint& centre;
        float squared_radius;
        std::vector<Index> found{};

        bool enters(Index node) const { return squared_gap(centre, tree.boxes_[node]) <= squared_radius; }
        void visit(Index leaf)
        {
            for (Index k = tree.shape_.begin(leaf); k < tree.shape_.end(leaf); ++k) {
                const PhasePoint& p = tree.points_[tree.order_[k]];
                if (squared_gap(centre, {p, p}) <= squared_radius) found.push_back(tree.order_[k]);
            }
        }
    } collector{*this, centre, radius * radius};
    walk(shape_, KdTree::root, collector);
    std::ranges::sort(collector.found);
    return collector.found;
}

/// What one leaf asks of the rest of the tree.
struct PhaseTree::Linker {
    const PhaseTree& tree;
    UnionFind sets;  ///< of seats
    Index leaf;
    float squared_length;

    bool enters(Index node) const
    {
        return squared_gap(tree.boxes_[leaf], tree.boxes_[node]) <= squared_length;
    }

    void visit(Index other)
    {
        for (Index a = tree.shape_.begin(leaf); a < tree.shape_.end(leaf); ++a) {
            PhasePoint p;
            for (std::size_t axis = 0; axis < 6; ++axis) p[axis] = tree.coordinate_[axis][a];
            if (tree.squared_gap(p, tree.boxes_[other]) <= squared_length)
                link(a, p, other == leaf ? a + 1 : tree.shape_.begin(other), tree.shape_.end(other));
        }
    }

    void link(Index a, const PhasePoint& p, Index begin, Index end) const
    {
        std::array<float, KdTree::leaf_size> d2{};
        for (std::size_t axis = 0; axis < 6; ++axis) {
            const float* const x = tree.coordinate_[axis].data() + begin;
            for (Index k = 0; k < end - begin; ++k) d2[k] += (x[k] - p[axis]) * (x[k] - p[axis]);
        }
        for (Index k = 0; k < end - begin; ++k)
            if (d2[k] <= squared_length) sets.unite(a, begin + k);
    }
};

std::vector<Index> PhaseTree::friends_of_friends(float squared_length) const
{
    const Index n = shape_.n;
    std::vector<Index> parent(n);
    for (Index k = 0; k < n; ++k) parent[k] = k;
    const UnionFind sets{parent.data()};
    const Index first = shape_.n_leaves();
#pragma omp parallel for schedule(dynamic, 64) if (n > parallel_threshold)
    for (Index leaf = first; leaf < 2 * first; ++leaf) {
        Linker linker{*this, sets, leaf, squared_length};
        linker.visit(leaf);
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
