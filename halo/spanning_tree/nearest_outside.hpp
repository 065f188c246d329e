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

/// All points of one leaf at once: from the leaf upwards, through each sibling on the way, near nodes first.
template <int dimensions, bool periodic>
class OutsideSearch {
public:
    AUREOLE_HD OutsideSearch(const BoruvkaTask<dimensions>& task, Index leaf)
        : cloud_(task.cloud), points_(task.points), leaf_(leaf), first_(cloud_.tree.begin(leaf))
    {
        const Index end = cloud_.tree.end(leaf);
        for (Index i = first_; i < end; ++i)
            if (needs_search(i)) add(i);
    }

    AUREOLE_HD void run()
    {
        if (n_ == 0) return;
        visit(leaf_);
        for (Index k = leaf_; k != KdTree::root; k = KdTree::parent(k)) descend(k ^ 1);
        for (Index q = 0; q < n_; ++q) remember(q);
    }

private:
    struct Query {
        double at[dimensions];
        double
            bound;  ///< squared distance beyond which nothing matters: of what was found or the component's
        double limit;  ///< the same with slack
        double squared;
        Index point, colour, found, found_rank;
    };
    struct Pending {
        Index node;
        double squared;
    };

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
            q.at[k] = cloud_.coordinate[k][i];
            if (n_ == 0 || q.at[k] < around_.low[k]) around_.low[k] = q.at[k];
            if (n_ == 0 || q.at[k] > around_.high[k]) around_.high[k] = q.at[k];
        }
        q.point = i;
        q.colour = points_.colour[i];
        q.found = BoruvkaArrays::none;
        q.squared = squared_of(bits_of_infinity);
        narrow(q, component_bound(i));
        colour_ = n_ == 0 || q.colour == colour_ ? q.colour : BoruvkaArrays::mixed;
        ++n_;
        limit_ = widest_limit();
    }
    AUREOLE_HD static void narrow(Query& q, double bound)
    {
        q.bound = bound;
        q.limit = slack(bound);
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
    AUREOLE_HD double distance_to(Index k) const
    {
        return cloud_.template squared<periodic>(around_, cloud_.box[k]);
    }

    AUREOLE_HD void descend(Index start)
    {
        Pending stack[max_depth];
        int n_pending = 0;
        if (of_own_colour(start)) return;
        Pending next{start, distance_to(start)};
        for (;;) {
            if (next.squared <= limit_ && !cloud_.tree.is_leaf(next.node)) {
                const Index left = KdTree::left(next.node), right = left + 1;
                Pending near{left, distance_to(left)}, far{right, distance_to(right)};
                if (far.squared < near.squared) {
                    const Pending other = near;
                    near = far;
                    far = other;
                }
                if (far.squared <= limit_ && !of_own_colour(far.node)) stack[n_pending++] = far;
                if (near.squared <= limit_ && !of_own_colour(near.node)) {
                    next = near;
                    continue;
                }
            } else if (next.squared <= limit_) {
                visit(next.node);
            }
            if (n_pending == 0) return;
            next = stack[--n_pending];
        }
    }

    AUREOLE_HD void visit(Index leaf)
    {
        const Index begin = cloud_.tree.begin(leaf), end = cloud_.tree.end(leaf);
        const Index colour = points_.node_colour[leaf];
        bool nearer = false;
        for (Index k = 0; k < n_; ++k) {
            Query& q = query_[k];
            if (q.colour == colour || cloud_.template squared<periodic>(q.at, cloud_.box[leaf]) > q.limit)
                continue;
            nearer |= look_at(q, begin, end);
        }
        if (nearer) limit_ = widest_limit();
    }

    /// Whether anything nearer than before was found among [begin, end).
    AUREOLE_HD bool look_at(Query& q, Index begin, Index end)
    {
        double squared[KdTree::leaf_size];
        for (Index j = begin; j < end; ++j) {
            double sum = 0;
            for (int k = 0; k < dimensions; ++k) {
                const double d = cloud_.metric.template along<periodic>(k, q.at[k] - cloud_.coordinate[k][j]);
                sum += d * d;
            }
            squared[j - begin] = sum;
        }
        bool nearer = false;
        for (Index j = begin; j < end; ++j)
            if (squared[j - begin] <= q.limit && points_.colour[j] != q.colour) nearer |= consider(q, j);
        return nearer;
    }

    AUREOLE_HD bool consider(Query& q, Index j)
    {
        const double squared = cloud_.squared(q.at, j);
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

    static constexpr int max_depth = 32;

    const Cloud<dimensions>& cloud_;
    const BoruvkaArrays& points_;
    Index leaf_, first_;
    Index n_ = 0;
    Index colour_ = BoruvkaArrays::none;  ///< of all queries, or mixed
    double limit_ = 0;                    ///< the widest of the queries'
    CloudBox<dimensions> around_;         ///< of the queries
    Query query_[KdTree::leaf_size];
};

}  // namespace aureole::halo
