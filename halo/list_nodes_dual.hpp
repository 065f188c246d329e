// The nodes of the trees over many lists, from the leaves to the root, on either backend. A GPU is used where
// nvcc compiles the including file. Builders are types of the including file alone, in an anonymous
// namespace.
//
// Layout (list_segments.hpp). The members of each list lie along a curve; so many of them are a leaf, the
// last one of a list aside, eight leaves a node of level 1, eight of these one of level 2, and so on. The
// nodes of all lists share one numbering, level after level. What a node is to its user, a mass with bounds
// or a multipole, lies in arrays of his own.
#pragma once

#include "halo/list_segments.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo::segments {

/// Where a node lies, and what it is made from.
struct ListNode {
    Index list;
    std::uint64_t at;           ///< number of the node among those of all levels
    std::uint64_t begin, end;   ///< places of its members; equal where the number is not used
    std::uint64_t first_child;  ///< their numbers follow each other; none has a leaf
    Index n_children;
};

template <Index leaf_size>
AUREOLE_HD inline ListNode leaf_at(const MembersView& members, std::uint64_t number)
{
    const ListSegment own = segment_at(members, number, leaf_size);
    return {own.list, number, own.begin, own.end, 0, 0};
}

/// Node `number` of a level above the leaves.
template <Index leaf_size>
AUREOLE_HD inline ListNode parent_at(const MembersView& members, const Levels& levels, int level,
                                     std::uint64_t number)
{
    const std::uint64_t child_length = std::uint64_t{leaf_size} << 3 * (level - 1);
    const ListSegment own = segment_at(members, number, child_length * fan_out);
    if (own.begin == own.end) return {own.list, 0, own.begin, own.end, 0, 0};
    const std::uint64_t from = members.begin[own.list];
    return {own.list,
            levels.base[level] + number,
            own.begin,
            own.end,
            levels.base[level - 1] + from / child_length + own.list + (own.begin - from) / child_length,
            static_cast<Index>((own.end - own.begin - 1) / child_length + 1)};
}

/// Fills the nodes, a thread for each.
///
/// `exec`: where the lists and nodes lie. `levels`: levels_above(leaf_size, ...). `builder`: a small value
/// with
///   bool has_tree(Index list) const           other lists have no nodes
///   void leaf(const ListNode& leaf) const     from its members
///   void parent(const ListNode& node) const   from its children, which are there
/// Cost: every member once, and a seventh as many parents as leaves; on a GPU one launch for each level. It
/// starts kernels and waits for nothing.
template <Index leaf_size, class Builder>
void build_list_nodes(Exec exec, const MembersView& members, const Levels& levels, const Builder& builder)
{
    static_assert((leaf_size & (leaf_size - 1)) == 0 && fan_out == 8);
    for_each(exec, static_cast<Index>(most_segments(members, leaf_size)), [=] AUREOLE_HD(Index k) {
        const ListNode leaf = leaf_at<leaf_size>(members, k);
        if (leaf.begin != leaf.end && builder.has_tree(leaf.list)) builder.leaf(leaf);
    });
    for (int level = 1; level < levels.n; ++level) {
        const std::uint64_t length = std::uint64_t{leaf_size} << 3 * level;
        for_each(exec, static_cast<Index>(most_segments(members, length)), [=] AUREOLE_HD(Index k) {
            const ListNode node = parent_at<leaf_size>(members, levels, level, k);
            if (node.begin != node.end && builder.has_tree(node.list)) builder.parent(node);
        });
    }
}

}  // namespace aureole::halo::segments
