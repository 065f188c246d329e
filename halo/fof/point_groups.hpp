// Points in runs that one warp can hold: the units of work of a walk on a GPU. Neighbours along the curve
// want to see the same nodes, so they look for them together.
#pragma once

#include "sim/core/spatial/balanced_tree.hpp"

namespace aureole::halo {

/// Runs of at most `largest` consecutive points: nodes of one level, or pieces of leaves that are larger.
struct PointGroups {
    int level;       ///< of the nodes
    Index per_node;  ///< pieces of each node; the last may be empty

    static constexpr Index largest = 32;

    static PointGroups of(const BalancedTree& tree)
    {
        const int level = BalancedTree::depth_for(tree.n, largest, tree.depth);
        const std::size_t points = (tree.n + (std::size_t{1} << level) - 1) >> level;
        return {level, static_cast<Index>((points + largest - 1) / largest)};
    }

    AUREOLE_HD Index size() const { return per_node << level; }
    /// The node that holds group g.
    AUREOLE_HD Index node(Index g) const { return (Index{1} << level) + g / per_node; }
    AUREOLE_HD Index begin(const BalancedTree& tree, Index g) const
    {
        return tree.begin(node(g)) + largest * (g % per_node);
    }
    /// Not more than begin() when the group is empty.
    AUREOLE_HD Index end(const BalancedTree& tree, Index g) const
    {
        const Index full = begin(tree, g) + largest, last = tree.end(node(g));
        return full < last ? full : last;
    }
};

}  // namespace aureole::halo
