// Points in runs that one warp can hold: the units of work of a walk on a GPU. Neighbours along the curve
// want to see the same nodes, so they look for them together.
#pragma once

#include "halo/link_tree.hpp"

namespace aureole::halo {

/// Runs of at most `largest` consecutive points: nodes of one level, or pieces of leaves that are larger.
struct PointGroups {
    int level;       ///< of the nodes
    Index per_node;  ///< pieces of each node; the last may be empty
    Index n_nodes;   ///< of the level, those with points

    static constexpr Index largest = 32;

    static PointGroups of(const LinkTree& tree)
    {
        const int level = level_in(tree);
        const std::size_t points = points_of_node(tree, level);
        const std::size_t n_nodes =
            tree.leaf_points == 0 ? std::size_t{1} << level : (tree.n + points - 1) / points;
        return {level, static_cast<Index>((points + largest - 1) / largest), static_cast<Index>(n_nodes)};
    }

    AUREOLE_HD Index size() const { return per_node * n_nodes; }
    /// The node that holds group g.
    AUREOLE_HD Index node(Index g) const { return (Index{1} << level) + g / per_node; }
    AUREOLE_HD Index begin(const LinkTree& tree, Index g) const
    {
        return tree.begin(node(g)) + largest * (g % per_node);
    }
    /// Not more than begin() when the group is empty.
    AUREOLE_HD Index end(const LinkTree& tree, Index g) const
    {
        const Index first = begin(tree, g), last = tree.end(node(g));
        return last <= first || last - first < largest ? last : first + largest;
    }

private:
    /// At most.
    static std::size_t points_of_node(const LinkTree& tree, int level)
    {
        if (tree.leaf_points != 0) return std::size_t{tree.leaf_points} << (tree.depth - level);
        return (tree.n + (std::size_t{1} << level) - 1) >> level;
    }
    static int level_in(const LinkTree& tree)
    {
        int level = 0;
        while (level < tree.depth && points_of_node(tree, level) > largest) ++level;
        return level;
    }
};

}  // namespace aureole::halo
