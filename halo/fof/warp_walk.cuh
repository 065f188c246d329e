// The walk on a GPU: one warp looks for all points that are near the box of one group of points, and behind a
// given point of the curve. Lanes test 32 nodes at a time, eight descendants of each of four nodes or all
// that one has five levels below: with heap numbers these lie side by side. Nodes to open wait on a stack,
// leaves in a list, and the points in them that are near enough in another, until there are 32. Cost: about
// depth / 3 + (nodes near the box) / 4 steps.
#pragma once

#include "halo/fof/linking.hpp"

namespace aureole::halo {

inline constexpr unsigned lanes = 32, all_lanes = 0xffffffffu;

/// A step opens at most four nodes, the deepest that wait, and goes at least three levels down; so at most 32
/// wait of each three levels, and as many as there are levels from the start.
inline constexpr Index parents_per_step = 4;
inline constexpr unsigned stack_size = lanes * (LinkTree::largest_depth / 3 + 2);

/// What one warp keeps in shared memory.
template <bool phase>
struct WarpLists {
    Index node[stack_size];
    Index leaf[lanes];
    Site<phase> site[2 * lanes];
    Index point[2 * lanes];
};

__device__ inline unsigned this_lane() { return threadIdx.x % lanes; }

/// How many lanes before this one are set.
__device__ inline unsigned rank_in(unsigned set_lanes)
{
    return __popc(set_lanes & ((1u << this_lane()) - 1));
}

__device__ inline float least_of_warp(float x)
{
    for (unsigned step = lanes / 2; step > 0; step /= 2) x = fminf(x, __shfl_xor_sync(all_lanes, x, step));
    return x;
}
__device__ inline float largest_of_warp(float x) { return -least_of_warp(-x); }
__device__ inline Vec3f least_of_warp(Vec3f x)
{
    return {least_of_warp(x.x), least_of_warp(x.y), least_of_warp(x.z)};
}
__device__ inline Vec3f largest_of_warp(Vec3f x)
{
    return {largest_of_warp(x.x), largest_of_warp(x.y), largest_of_warp(x.z)};
}

/// The box around the points of all lanes.
template <bool phase>
__device__ Bounds<phase> bounds_of_warp(const Site<phase>& site)
{
    Bounds<phase> bounds{};
    bounds.box.low = least_of_warp(site.point.position());
    bounds.box.high = largest_of_warp(site.point.position());
    if constexpr (phase) {
        bounds.velocities.low = least_of_warp(site.velocity.velocity());
        bounds.velocities.high = largest_of_warp(site.velocity.velocity());
    }
    return bounds;
}

/// Shows a visitor the points within reach of a box, 32 at a time. A visitor has
///   bool wants_node(Index k, const LinkNode&)         each lane for itself
///   bool wants_point(bool near, Index j)              all lanes together; j counts where `near`
///   void see(bool present, const Site&, Index j)      all lanes together, each with a point of its own
template <bool periodic, bool phase, class Visitor>
class WarpWalk {
public:
    __device__ WarpWalk(const LinkTask& task, WarpLists<phase>& lists, const Bounds<phase>& own,
                        Visitor& neighbours)
        : task_(task), tree_(task.tree), lists_(lists), own_(own), action_(neighbours)
    {
    }

    /// Sees the points from `first` on; or returns false after about so many steps, with some left to see.
    __device__ bool run(Index first, unsigned most_steps)
    {
        if (first >= tree_.n) return true;
        first_ = first;
        first_leaf_ = tree_.leaf_of(first);
        open_what_follows();
        open_leaves();
        while (n_nodes_ > 0) {
            if (++steps_ > most_steps) return false;
            open_nodes();
            open_leaves();
        }
        if (n_points_ > 0) show_points();
        return true;
    }

private:
    /// The leaf of the first point, and what follows it: the right siblings of that leaf and the nodes above
    /// it that are left ones, a lane each, the smallest on top.
    __device__ void open_what_follows()
    {
        const int up = static_cast<int>(lanes - 1 - this_lane()) - 1;  // -1: the leaf itself
        Index k = up < 0 ? first_leaf_ : LinkTree::no_node;
        if (up >= 0 && up < tree_.depth && (first_leaf_ >> up) % 2 == 0)
            k = LinkTree::sibling(first_leaf_ >> up);
        list_nodes(k);
    }

    /// Puts the nodes that are to be entered on the stack, those of the last lanes on top, or into the list
    /// of leaves.
    __device__ void list_nodes(Index k)
    {
        const bool wanted = k != LinkTree::no_node && enters(k), leaf = wanted && tree_.is_leaf(k);
        const unsigned nodes = __ballot_sync(all_lanes, wanted && !leaf),
                       leaves = __ballot_sync(all_lanes, leaf);
        if (leaf)
            lists_.leaf[rank_in(leaves)] = k;
        else if (wanted)
            lists_.node[n_nodes_ + rank_in(nodes)] = k;
        n_nodes_ += __popc(nodes);
        n_leaves_ = __popc(leaves);
        __syncwarp();
    }

    /// Looks at the descendants of the deepest nodes: as far down as there are lanes for, and leaves.
    __device__ void open_nodes()
    {
        const Index taken = n_nodes_ < parents_per_step ? n_nodes_ : parents_per_step;
        const int levels = levels_below(taken);
        const Index slot = this_lane() >> levels, place = this_lane() & ((1u << levels) - 1);
        Index k = LinkTree::no_node;
        if (slot < taken) {
            const Index parent = lists_.node[n_nodes_ - taken + slot];
            const int left = tree_.depth - LinkTree::level_of(parent), down = left < levels ? left : levels;
            if (place >> down == 0) k = (parent << down) + place;
        }
        n_nodes_ -= taken;
        __syncwarp();
        list_nodes(k);
    }

    /// How many levels below so many nodes 32 lanes can see at once.
    __device__ static int levels_below(Index parents) { return parents == 1 ? 5 : parents == 2 ? 4 : 3; }

    __device__ bool enters(Index k)
    {
        const Bounds<phase> node = bounds_of<phase>(tree_, k);
        return metric().squared(own_, node) <= task_.query.band.possible && action_.wants_node(k, node.box);
    }

    __device__ void open_leaves()
    {
        for (; n_leaves_ > 0; --n_leaves_) {
            const Index leaf = lists_.leaf[n_leaves_ - 1], begin = tree_.begin(leaf), end = tree_.end(leaf);
            for (Index from = begin < first_ ? first_ : begin; from < end; from += lanes) {
                list_point(from + this_lane() < end, from + this_lane());
                if (n_points_ >= lanes) show_points();
            }
        }
        __syncwarp();
    }

    __device__ void list_point(bool present, Index j)
    {
        Site<phase> site{};
        if (present) {
            site = site_of<phase>(tree_, j);
            present = metric().squared(site, own_) <= task_.query.band.possible;
        }
        const bool wanted = action_.wants_point(present, j);
        const unsigned all = __ballot_sync(all_lanes, wanted);
        if (wanted) {
            lists_.site[n_points_ + rank_in(all)] = site;
            lists_.point[n_points_ + rank_in(all)] = j;
        }
        n_points_ += __popc(all);
        __syncwarp();
    }

    __device__ void show_points()
    {
        const Index taken = n_points_ < lanes ? n_points_ : lanes;
        const bool present = this_lane() < taken;
        Site<phase> site{};
        Index j = 0;
        n_points_ -= taken;
        ++steps_;
        if (present) {
            site = lists_.site[n_points_ + this_lane()];
            j = lists_.point[n_points_ + this_lane()];
        }
        __syncwarp();
        action_.see(present, site, j);
    }

    __device__ LinkMetric<periodic, phase> metric() const
    {
        return task_.query.template metric<periodic, phase>();
    }

    const LinkTask& task_;
    const LinkTree& tree_;
    WarpLists<phase>& lists_;
    const Bounds<phase> own_;
    Visitor& action_;
    Index first_ = 0, first_leaf_ = 0;
    Index n_nodes_ = 0, n_leaves_ = 0, n_points_ = 0;
    unsigned steps_ = 0;  ///< nodes opened, four at a time, and points shown, 32 at a time
};

}  // namespace aureole::halo
