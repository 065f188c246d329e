#include "halo/substructure/phase_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halo/union_find.hpp"
#include "sim/core/simd/cpu_path.hpp"
#include "sim/core/spatial/build_nodes_dual.hpp"
#include "sim/core/spatial/median_order.hpp"

namespace aureole::halo {
namespace {

constexpr std::size_t parallel_points = 4096;  ///< fewer are left to one thread

// The loops over nodes and leaves are compiled twice, everything in them inlined, with vectors of four and of
// eight floats. AVX2 alone has no fused multiply-add, so that both agree bit for bit.
#define AUREOLE_INLINED __attribute__((always_inline)) inline
#define AUREOLE_FOR_BASELINE __attribute__((flatten))
#if defined(__x86_64__)
#define AUREOLE_FOR_AVX2 __attribute__((flatten, target("avx2")))
bool has_avx2() { return chosen_cpu_path() != CpuPath::baseline; }
#else
#define AUREOLE_FOR_AVX2 AUREOLE_FOR_BASELINE
bool has_avx2() { return false; }
#endif

}  // namespace

/// A point on its way to its leaf.
struct PhaseTree::Seat {
    PhasePoint x;
    Index point;

    static constexpr int count = 6;

    static float coordinate(const Seat& seat, int axis) { return seat.x[static_cast<std::size_t>(axis)]; }
    static float length(int, float difference) { return difference; }
    static bool before(const Seat& a, const Seat& b, int axis)
    {
        const float at = coordinate(a, axis), other = coordinate(b, axis);
        return at != other ? at < other : a.point < b.point;
    }
};

/// A point as boxes are: with two coordinates more.
struct alignas(32) PhaseTree::Padded {
    explicit Padded(const PhasePoint& p) { std::ranges::copy(p, x.begin()); }
    std::array<float, 8> x{};
};

struct PhaseTree::Builder : Hierarchy<Box> {
    const std::vector<Seat>& seats;

    Box leaf(Index k) const
    {
        Box box{};
        std::ranges::copy(seats[begin(k)].x, box.low);
        std::ranges::copy(seats[begin(k)].x, box.high);
        for (Index i = begin(k) + 1; i < end(k); ++i)
            for (int axis = 0; axis < Seat::count; ++axis)
                box.include(axis, Seat::coordinate(seats[i], axis));
        return box;
    }
    static Box merge(const Box& a, const Box& b) { return {a.around(b)}; }
};

PhaseTree::PhaseTree(std::span<const PhasePoint> points)
    : shape_(BalancedTree::over(points.size(), leaf_size)), points_(points), boxes_(shape_.n_places())
{
    const std::size_t n = points.size();
    std::vector<Seat> seats(n);
    for (std::size_t i = 0; i < n; ++i) seats[i] = {points[i], static_cast<Index>(i)};
    order_by_medians(shape_, std::span(seats), Seat{});
    build_nodes_cpu(shape_, Builder{{shape_, boxes_.data()}, seats});
    order_.resize(n);
    for (auto& axis : coordinate_) axis.resize(n + leaf_size);
    for (std::size_t k = 0; k < n; ++k) {
        order_[k] = seats[k].point;
        for (std::size_t axis = 0; axis < 6; ++axis) coordinate_[axis][k] = seats[k].x[axis];
    }
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
    struct Visitor {
        const PhaseTree& tree;
        Index own;
        const PhasePoint& p;
        Padded padded;
        float nearest = std::numeric_limits<float>::infinity();

        float distance(Index node) const { return squared_gap(padded, tree.boxes_[node]); }
        bool reaches(float distance) const { return distance < nearest; }
        void leaf(Index node)
        {
            const Index begin = tree.shape_.begin(node), end = tree.shape_.end(node);
            const auto d2 = tree.squared_distances(p, begin);
            for (Index k = begin; k < end; ++k)
                if (d2[k - begin] < nearest && tree.order_[k] != own) nearest = d2[k - begin];
        }
    } visitor{*this, i, points_[i], Padded(points_[i])};
    traverse_near_first(shape_, BalancedTree::root, visitor);
    return visitor.nearest;
}

void PhaseTree::within(const PhasePoint& centre, float radius, std::vector<Index>& found) const
{
    struct Collector {
        const PhaseTree& tree;
        PhasePoint centre;
        Padded padded;
        float squared_radius;
        std::vector<Index>& found;

        bool opens(Index node) const { return squared_gap(padded, tree.boxes_[node]) <= squared_radius; }
        void leaf(Index node)
        {
            const Index begin = tree.shape_.begin(node), end = tree.shape_.end(node);
            const auto d2 = tree.squared_distances(centre, begin);
            for (Index k = begin; k < end; ++k)
                if (d2[k - begin] <= squared_radius) found.push_back(tree.order_[k]);
        }
    } collector{*this, centre, Padded(centre), radius * radius, found};
    found.clear();
    traverse(shape_, BalancedTree::root, collector);
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

    bool opens(Index node) const
    {
        return squared_gap(padded, tree.boxes_[node]) <= squared_length &&
               !(friends[node] && sets.find(tree.shape_.begin(node)) == sets.find(seat));
    }
    void leaf(Index node) const { link(tree.shape_.begin(node), tree.shape_.end(node)); }

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

/// The points of a leaf among themselves and with all behind them.
AUREOLE_INLINED void PhaseTree::link_leaf(Index leaf, const std::vector<char>& friends, UnionFind sets,
                                          float squared_length) const
{
    for (Index seat = shape_.begin(leaf); seat < shape_.end(leaf); ++seat) {
        const PhasePoint& p = points_[order_[seat]];
        const Linker linker{*this, friends, sets, seat, p, Padded(p), squared_length};
        if (!friends[leaf]) linker.link(seat + 1, shape_.end(leaf));
        traverse(shape_, BalancedTree::after(leaf), linker);
    }
}

AUREOLE_FOR_BASELINE void PhaseTree::link_leaf_baseline(Index leaf, const std::vector<char>& friends,
                                                        UnionFind sets, float squared_length) const
{
    link_leaf(leaf, friends, sets, squared_length);
}

AUREOLE_FOR_AVX2 void PhaseTree::link_leaf_avx2(Index leaf, const std::vector<char>& friends, UnionFind sets,
                                                float squared_length) const
{
    link_leaf(leaf, friends, sets, squared_length);
}

std::vector<Index> PhaseTree::friends_of_friends(float squared_length) const
{
    const Index n = shape_.n;
    std::vector<Index> parent(n);
    for (Index k = 0; k < n; ++k) parent[k] = k;
    const UnionFind sets{parent.data()};
    const std::vector<char> friends = nodes_of_friends(squared_length);
    const Index first = shape_.n_leaves();
    for (Index node = BalancedTree::root; node < 2 * first; ++node)
        if (friends[node] && (node == BalancedTree::root || !friends[BalancedTree::parent(node)]))
            for (Index k = shape_.begin(node) + 1; k < shape_.end(node); ++k) sets.unite(k - 1, k);
    const bool wide = has_avx2();
#pragma omp parallel for schedule(dynamic, 64) if (n > parallel_points)
    for (Index leaf = first; leaf < 2 * first; ++leaf)
        if (wide)
            link_leaf_avx2(leaf, friends, sets, squared_length);
        else
            link_leaf_baseline(leaf, friends, sets, squared_length);
    std::vector<Index> smallest(n, n), label(n);
    for (Index k = 0; k < n; ++k) {
        Index& least = smallest[sets.find(k)];
        least = std::min(least, order_[k]);
    }
    for (Index k = 0; k < n; ++k) label[order_[k]] = smallest[sets.find(k)];
    return label;
}

}  // namespace aureole::halo
