// The search of a round: what of another component is nearest to the points of a leaf.
#pragma once

#include <cstring>

#include "halo/spanning_tree/boruvka.hpp"
#include "sim/core/atomics.hpp"

namespace aureole::halo {

/// Squared distances are not negative, so their bits sort like the numbers.
AUREOLE_HD inline std::uint64_t bits_of(double squared)
{
    std::uint64_t bits;
    std::memcpy(&bits, &squared, sizeof bits);
    return bits;
}
AUREOLE_HD inline double squared_of(std::uint64_t bits)
{
    double squared;
    std::memcpy(&squared, &bits, sizeof squared);
    return squared;
}

inline constexpr std::uint64_t bits_of_infinity = 0x7ff0000000000000;

/// What other threads may be lowering.
AUREOLE_HD inline std::uint64_t shared_value(const std::uint64_t* target)
{
#if defined(__CUDA_ARCH__)
    return *const_cast<const volatile std::uint64_t*>(target);
#else
    return std::atomic_ref<std::uint64_t>(*const_cast<std::uint64_t*>(target))
        .load(std::memory_order_relaxed);
#endif
}

/// Looks before it queues: very many points share the component of a late round.
AUREOLE_HD inline void lower(std::uint64_t* target, std::uint64_t value)
{
    if (value < shared_value(target)) atomic_min(target, value);
}

/// Bounds from what point i remembers, and from its neighbour along the order.
template <int dimensions, bool reachability>
AUREOLE_HD void seed_bounds(const BoruvkaTask<dimensions>& task, Index i)
{
    const BoruvkaArrays& points = task.points;
    const Index colour = points.colour[i], nearest = points.nearest[i], next = i + 1;
    if (nearest != BoruvkaArrays::none) {
        if (points.colour[nearest] == colour)
            points.nearest[i] = BoruvkaArrays::none;
        else
            lower(&points.best_squared[colour], bits_of(points.nearest_squared[i]));
    }
    if (next < task.cloud.tree.n && points.colour[next] != colour) {
        const std::uint64_t squared = bits_of(task.template squared_edge<reachability>(i, next));
        lower(&points.best_squared[colour], squared);
        lower(&points.best_squared[points.colour[next]], squared);
    }
}

/// All points of one leaf at once: from the leaf upwards, through each sibling on the way, near nodes first.
template <int dimensions, bool periodic, bool reachability>
class OutsideSearch {
public:
    AUREOLE_HD OutsideSearch(const BoruvkaTask<dimensions>& task, Index leaf)
        : task_(task), cloud_(task.cloud), points_(task.points), leaf_(leaf), first_(cloud_.tree.begin(leaf))
    {
        const Index end = cloud_.tree.end(leaf);
        for (Index i = first_; i < end; ++i)
            if (needs_search(i)) add(i);
        limit_ = widest_limit();
    }

    AUREOLE_HD void run()
    {
        if (n_ == 0) return;
        leaf(leaf_);
        for (Index k = leaf_; k != BalancedTree::root; k = BalancedTree::parent(k))
            traverse_near_first(cloud_.tree, BalancedTree::sibling(k), *this);
        for (Index q = 0; q < n_; ++q) remember(q);
    }

    /// For the traversal: nodes of our own colour are out of reach.
    AUREOLE_HD double distance(Index k) const
    {
        if (of_own_colour(k)) return squared_of(bits_of_infinity);
        const double apart = cloud_.template squared<periodic>(around_, cloud_.box[k]);
        return core_of_node(k) > apart ? core_of_node(k) : apart;
    }
    AUREOLE_HD bool reaches(double distance) const { return distance <= limit_; }
    AUREOLE_HD void leaf(Index k)
    {
        double to_box[lanes];
        distances_to(cloud_.box[k], to_box);
        const Index colour = points_.node_colour[k];
        const double core = core_of_node(k);
        bool nearer = false;
        for (Index q = 0; q < n_; ++q)
            if (to_box[q] <= query_[q].limit && core <= query_[q].bound && query_[q].colour != colour)
                nearer |= look_at(q, k);
        if (nearer) limit_ = widest_limit();
    }

private:
    static constexpr Index lanes = cloud_leaf_size;

    struct Query {
        double
            bound;  ///< squared distance beyond which nothing matters: of what was found or the component's
        double limit;  ///< the same with slack
        double squared;
        Index point, colour, found, found_rank;
    };

    /// No edge into the node is shorter.
    AUREOLE_HD double core_of_node(Index k) const
    {
        if constexpr (reachability) return points_.node_core[k];
        return 0;
    }
    /// What it remembers is its nearest still, or its component has shorter edges than any it can add.
    AUREOLE_HD bool needs_search(Index i) const
    {
        return points_.nearest[i] == BoruvkaArrays::none && points_.cleared[i] <= component_bound(i);
    }
    AUREOLE_HD double component_bound(Index i) const
    {
        return squared_of(shared_value(&points_.best_squared[points_.colour[i]]));
    }

    AUREOLE_HD void add(Index i)
    {
        Query& q = query_[n_];
        for (int k = 0; k < dimensions; ++k) {
            const double x = cloud_.coordinate[k][i];
            at_[k][n_] = x;
            if (n_ == 0 || x < around_.low[k]) around_.low[k] = x;
            if (n_ == 0 || x > around_.high[k]) around_.high[k] = x;
        }
        q.point = i;
        q.colour = points_.colour[i];
        q.found = BoruvkaArrays::none;
        q.squared = squared_of(bits_of_infinity);
        narrow(q, component_bound(i));
        colour_ = n_ == 0 || q.colour == colour_ ? q.colour : BoruvkaArrays::mixed;
        ++n_;
    }
    AUREOLE_HD void narrow(Query& q, double bound) const
    {
        q.bound = bound;
        q.limit = cloud_.metric.slack(bound);
    }
    AUREOLE_HD double widest_limit() const
    {
        double widest = 0;
        for (Index q = 0; q < n_; ++q)
            if (query_[q].limit > widest) widest = query_[q].limit;
        return widest;
    }

    AUREOLE_HD bool of_own_colour(Index k) const
    {
        return colour_ != BoruvkaArrays::mixed && points_.node_colour[k] == colour_;
    }
    /// From all queries at once; lanes without a query give numbers of no meaning.
    AUREOLE_HD void distances_to(const CloudBox<dimensions>& box, double* squared) const
    {
        for (Index q = 0; q < lanes; ++q) squared[q] = 0;
        for (int k = 0; k < dimensions; ++k)
            for (Index q = 0; q < lanes; ++q) {
                const double x = at_[k][q];
                const double d = cloud_.metric.template gap<periodic>(k, x, x, box.low[k], box.high[k]);
                squared[q] += d * d;
            }
    }

    /// Whether anything nearer than before was found in the leaf.
    AUREOLE_HD bool look_at(Index k, Index leaf)
    {
        Query& q = query_[k];
        const Index begin = cloud_.tree.begin(leaf), n = cloud_.tree.end(leaf) - begin;
        double squared[lanes];
        distances_to_points(k, begin, squared);
        bool nearer = false;
        for (Index j = 0; j < n; ++j)
            if (squared[j] <= q.limit && points_.colour[begin + j] != q.colour)
                nearer |= consider(k, begin + j);
        return nearer;
    }
    /// A leaf with fewer points is followed by others, or by the padding of the coordinates.
    AUREOLE_HD void distances_to_points(Index q, Index begin, double* squared) const
    {
        for (Index j = 0; j < lanes; ++j) squared[j] = 0;
        for (int k = 0; k < dimensions; ++k) {
            const double x = at_[k][q];
            const double* const other = cloud_.coordinate[k] + begin;
            for (Index j = 0; j < lanes; ++j) {
                const double d = cloud_.metric.template along<periodic>(k, x - other[j]);
                squared[j] += d * d;
            }
        }
    }

    AUREOLE_HD bool consider(Index k, Index j)
    {
        Query& q = query_[k];
        const double squared = task_.template squared_edge<reachability>(q.point, j);
        if (squared > q.bound) return false;
        if (squared > q.squared || (squared == q.squared && points_.rank[j] > q.found_rank)) return false;
        q.squared = squared;
        q.found = j;
        q.found_rank = points_.rank[j];
        if (squared == q.bound) return false;
        narrow(q, squared);
        atomic_min(&points_.best_squared[q.colour], bits_of(squared));
        return true;
    }

    /// What was found is the nearest only if it is as near as all that was searched.
    AUREOLE_HD void remember(Index k) const
    {
        const Query& q = query_[k];
        points_.cleared[q.point] = q.bound;
        points_.nearest[q.point] = q.found;
        points_.nearest_squared[q.point] = q.squared;
    }

    const BoruvkaTask<dimensions>& task_;
    const Cloud<dimensions>& cloud_;
    const BoruvkaArrays& points_;
    Index leaf_, first_;
    Index n_ = 0;
    Index colour_ = BoruvkaArrays::none;  ///< of all queries, or mixed
    double limit_ = 0;                    ///< the widest of the queries'
    CloudBox<dimensions> around_;         ///< of the queries
    Query query_[lanes];
    double at_[dimensions][lanes];  ///< coordinates of the queries
};

}  // namespace aureole::halo
