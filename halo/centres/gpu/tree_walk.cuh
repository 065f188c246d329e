// How a warp walks the tree of a list, whatever it looks for: its lanes look at 32 nodes at a time.
#pragma once

#include "halo/centres/gpu/list_segments.cuh"
#include "halo/centres/gpu/search_data.hpp"

namespace aureole::halo::centre_search {

/// One list's part of the tree.
struct ListTree {
    Index list;
    std::uint64_t begin, n_members;  ///< places
    const Levels& levels;

    __device__ ListTree(const MembersView& members, const Levels& all_levels, Index of_list)
        : list(of_list),
          begin(members.begin[of_list]),
          n_members(length_of(members, of_list)),
          levels(all_levels)
    {
    }

    /// Nodes at a level.
    __device__ Index count_at(int level) const
    {
        return static_cast<Index>((n_members + node_length(level) - 1) >> (5 + 3 * level));
    }
    /// Members of a node.
    __device__ Index members_of(int level, Index number) const
    {
        const std::uint64_t length = node_length(level), from = number * length;
        return static_cast<Index>(from + length < n_members ? length : n_members - from);
    }
    /// Where in the arrays of nodes, or of buckets for level 0.
    __device__ std::uint64_t index_of(int level, Index number) const
    {
        return levels.base[level] + begin / node_length(level) + list + number;
    }
};

/// Opened nodes that wait: children of the shallowest lie lowest, 32 of a level at most.
inline constexpr Index stack_size = 32 * max_levels;
inline constexpr int level_bits = 28;  ///< an entry: the level above the node's number in its list

/// The level from which a walk starts.
template <class Tree>
__device__ inline int start_level(const Tree& tree)
{
    int level = 0;
    while (level + 1 < tree.levels.n && tree.count_at(level) > most_start_nodes) ++level;
    return level;
}

/// All lanes call action.opens(there, level, number), each for a node of its own where `there`; the children
/// of those for which it is true are looked at in turn, and action.add_bucket(number) is called by all lanes
/// for each node of level 0 that is opened. An action that has pauses() stops the walk where it is true after
/// a look. `Tree` has `levels` and count_at(); `stack` is in shared memory, the warp's own.
template <class Tree, class Action>
class TreeWalk {
public:
    __device__ TreeWalk(const Tree& tree, Index* stack, Action& action)
        : tree_(tree), stack_(stack), action_(action), top_(start_level(tree)), n_top_(tree.count_at(top_))
    {
    }

    __device__ bool done() const { return n_waiting_ == 0 && n_started_ >= n_top_; }

    /// Goes on until it is done, or the action pauses.
    __device__ void run()
    {
        while (!done()) {
            look(n_waiting_ > 0 ? child_of_waiting() : next_start());
            if constexpr (requires { action_.pauses(); })
                if (action_.pauses()) return;
        }
    }

private:
    /// What a lane looks at.
    struct Node {
        bool there;
        int level;
        Index number;
    };

    __device__ Node next_start()
    {
        const Index number = n_started_ + threadIdx.x % 32;
        n_started_ += 32;
        return {number < n_top_, top_, number};
    }

    __device__ Node child_of_waiting()
    {
        const Index lane = threadIdx.x % 32;
        constexpr Index together = 32 / fan_out;
        const Index taken = n_waiting_ < together ? n_waiting_ : together, which = lane / fan_out;
        n_waiting_ -= taken;
        __syncwarp();
        const Index entry = which < taken ? stack_[n_waiting_ + which] : Index{1} << level_bits;
        __syncwarp();
        const int level = static_cast<int>(entry >> level_bits) - 1;
        const Index child = (entry & ((1u << level_bits) - 1)) * fan_out + lane % fan_out;
        return {which < taken && child < tree_.count_at(level), level, child};
    }

    __device__ void look(const Node& node)
    {
        const Index lane = threadIdx.x % 32;
        const bool open = action_.opens(node.there, node.level, node.number);
        const unsigned nodes = __ballot_sync(all_lanes, open && node.level > 0);
        if (nodes >> lane & 1)
            stack_[n_waiting_ + __popc(nodes & ((1u << lane) - 1))] =
                static_cast<Index>(node.level) << level_bits | node.number;
        n_waiting_ += __popc(nodes);
        if constexpr (requires { action_.add_bucket(node.number); }) {
            unsigned buckets = __ballot_sync(all_lanes, open && node.level == 0);
            for (; buckets != 0; buckets &= buckets - 1)
                action_.add_bucket(__shfl_sync(all_lanes, node.number, __ffs(static_cast<int>(buckets)) - 1));
        }
    }

    const Tree& tree_;
    Index* stack_;
    Action& action_;
    const int top_;
    const Index n_top_;
    Index n_started_ = 0, n_waiting_ = 0;
};

}  // namespace aureole::halo::centre_search
