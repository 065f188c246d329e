// What a CUDA walk notes about its groups of targets: queues of those that another kernel has to take, and
// what each cost, by which the next walk of as many groups chooses their order. Notes say nothing about
// results.
#pragma once

#include "gravity/tree/walk_task.hpp"

namespace aureole::gravity::tree {

/// Of four groups side by side: class 0 is that of the most nodes.
inline constexpr Index n_cost_classes = 8;
inline constexpr Index groups_of_block = 4;

/// Numbers at the beginning of the notes: zero before a walk.
enum NotesCount : Index { count_split, count_queued_long, count_long, count_fours, count_of_class };
inline constexpr Index n_counts_of_notes = count_of_class + n_cost_classes + 4;  // 16

/// So many groups at most are expected to be long again.
AUREOLE_HD constexpr Index most_long_groups(Index n_groups) { return n_groups / 16 + 1; }

AUREOLE_HD constexpr Index blocks_of_groups(Index n_groups) { return (n_groups - 1) / groups_of_block + 1; }

/// As many at the beginning of the notes are zero before a walk: counts, and what is known of four groups.
AUREOLE_HD constexpr Index cleared_notes(Index n_groups)
{
    return n_counts_of_notes + blocks_of_groups(n_groups);
}

/// Of walks that queue what they split and no more.
constexpr std::size_t size_of_queue(std::size_t n_groups)
{
    return cleared_notes(static_cast<Index>(n_groups)) + n_groups;
}
constexpr std::size_t size_of_notes(std::size_t n_groups)
{
    const auto n = static_cast<Index>(n_groups);
    return size_of_queue(n_groups) + 2 * n_groups + most_long_groups(n) +
           n_cost_classes * std::size_t{blocks_of_groups(n)};
}

/// Where they lie in `base`, which may be null where nothing is known.
class WalkNotes {
public:
    __device__ WalkNotes(Index* base, Index n_groups) : base_(base), n_groups_(n_groups) {}

    /// Groups whose targets walk one by one.
    __device__ void queue_split(Index group) const { split_at(atomicAdd(base_ + count_split, 1u)) = group; }
    __device__ Index n_split() const { return base_[count_split]; }
    __device__ Index split(std::uint64_t k) const { return split_at(static_cast<Index>(k)); }

    /// Groups that turned out to be long.
    __device__ void queue_long(Index group) const
    {
        base_[queued_begin() + atomicAdd(base_ + count_queued_long, 1u)] = group;
    }
    __device__ Index n_queued_long() const { return base_[count_queued_long]; }
    __device__ Index queued_long(Index k) const { return base_[queued_begin() + k]; }

    /// How many times four groups in turn were taken by a block.
    __device__ Index* n_fours_taken() const { return base_ + count_fours; }

    // for the next walk, of each group once

    /// Whether it was long or split, and has to start first, if so many fit.
    __device__ void tell(Index group, bool is_first) const
    {
        const Index k = is_first ? atomicAdd(base_ + count_long, 1u) : 0;
        const bool fits = is_first && k < most_long();
        if (fits) base_[long_begin() + k] = group;
        base_[flags_begin() + group] = fits;
    }
    /// Of `n` groups in the number `block` of four: the nodes that one of them cost a warp, at most `limit`.
    /// The last one to tell puts them where the longest belongs.
    __device__ void tell_cost(Index block, unsigned n, unsigned n_nodes, unsigned limit) const
    {
        constexpr unsigned bits = 3, all = n_cost_classes * bits;
        const unsigned parts = n_nodes / (limit / n_cost_classes + 1);
        const unsigned own = parts < n_cost_classes ? parts : n_cost_classes - 1;
        const unsigned one = 1u << all | 1u << own * bits;
        const unsigned told = atomicAdd(base_ + n_counts_of_notes + block, one) + one;
        if (told >> all < n) return;
        const unsigned most = (31 - __clz(told & ((1u << all) - 1))) / bits;
        const Index of = n_cost_classes - 1 - most;
        base_[class_begin(of) + atomicAdd(base_ + count_of_class + of, 1u)] = block;
    }

    // from the last walk

    __device__ Index most_long() const { return base_ ? most_long_groups(n_groups_) : 0; }
    __device__ Index n_long() const { return base_ ? min(base_[count_long], most_long()) : 0; }
    __device__ Index long_group(Index k) const { return base_[long_begin() + k]; }
    __device__ bool is_long(Index group) const { return base_ && base_[flags_begin() + group] != 0; }
    /// The blocks of the highest class first.
    __device__ Index block_in_turn(Index k) const
    {
        Index of = 0;
        if (!base_) return k;
        for (; of + 1 < n_cost_classes && k >= base_[count_of_class + of]; ++of)
            k -= base_[count_of_class + of];
        return base_[class_begin(of) + k];
    }

private:
    __device__ Index& split_at(Index k) const { return base_[cleared_notes(n_groups_) + k]; }
    __device__ Index queued_begin() const { return cleared_notes(n_groups_) + n_groups_; }
    __device__ Index flags_begin() const { return queued_begin() + n_groups_; }
    __device__ Index long_begin() const { return flags_begin() + n_groups_; }
    __device__ Index class_begin(Index of) const
    {
        return long_begin() + most_long_groups(n_groups_) + of * blocks_of_groups(n_groups_);
    }

    Index* base_;
    Index n_groups_;
};

AUREOLE_HD inline Index n_groups_of(const WalkTask& task)
{
    return (task.n_targets - 1) / group_targets_cuda + 1;
}
__device__ inline WalkNotes notes_of(const WalkTask& task) { return {task.notes, n_groups_of(task)}; }
/// Only read.
__device__ inline WalkNotes last_notes_of(const WalkTask& task)
{
    return {const_cast<Index*>(task.last_notes), n_groups_of(task)};
}

}  // namespace aureole::gravity::tree
