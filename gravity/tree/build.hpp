// From sources along the curve to a tree with moments.
// Neighbours along the curve share a number of leading bits; where they share fewest, the node above splits.
// A leaf is a largest node of at most `leaf_size` sources. Every leaf starts a climb towards the root: it
// writes itself into its slot, and of two siblings the later one climbs on to their parent, so a single pass
// builds nodes and moments from the bottom (Apetrei 2014, Computer Graphics & Visual Computing). Each parent
// adds left and right child in this order, whichever comes first: equal input gives equal bits. Cost O(N).
// It is no BalancedTree (sim/core/spatial): splits follow the keys, not the counts, so that nodes are cells
// of the curve, compact enough for multipoles.
#pragma once

#include "gravity/tree/curve_refinement.hpp"
#include "gravity/tree/tree_view.hpp"

namespace aureole::gravity::tree {

/// How much neighbours along the curve have in common: 0 where there is no neighbour, else 1 + leading bits
/// of key (63), deep key (63 more), key along the curve of a run (63 more) and position in the order (32).
using Likeness = std::uint8_t;
inline constexpr int deepest_level = 1 + 9 * key_bits + 32;  ///< no tree has more levels

/// likeness[i] is that of bodies i - 1 and i, 0 <= i <= n. `first`: the place of body 0, where these are part
/// of an order.
void compare_neighbours(Exec exec, const ConstParticlesView& particles, Index n, const Frame* frame,
                        const std::uint64_t* keys, const Index* order, const CellRuns& runs,
                        Likeness* likeness, Index first = 0);

/// Bodies of a leaf.
struct LeafRun {
    Index first, last;
};

/// The leaf of body i, or where the search found that i does not begin it: the run of a node, grown to its
/// parents while they are small enough. Reads likenesses within leaf_size of i.
AUREOLE_HD inline LeafRun leaf_from(Index i, Index leaf_size, const Likeness* likeness)
{
    LeafRun leaf{i, i};
    while (leaf.first == i) {
        const Likeness left = likeness[leaf.first], right = likeness[leaf.last + 1];
        const Likeness split = left > right ? left : right;
        if (split == 0) break;  // the root
        LeafRun parent = leaf;
        while (parent.last - parent.first < leaf_size && likeness[parent.first] >= split) --parent.first;
        while (parent.last - parent.first < leaf_size && likeness[parent.last + 1] >= split) ++parent.last;
        if (parent.last - parent.first >= leaf_size) break;
        leaf = parent;
    }
    return leaf;
}

/// starts[i] != 0 where a leaf begins.
void find_leaves(Exec exec, Index n, Index leaf_size, const Likeness* likeness, std::uint8_t* starts);

/// Copies the sources in the order of the curve, scaled; softening lengths too unless `softening` is null.
void gather_bodies(Exec exec, const ConstParticlesView& particles, Index n, const Frame* frame,
                   const Index* order, Body* bodies, float* softening, const TypeSoftening& lengths);

/// Where the nodes of a tree go.
struct NodeArrays {
    NodeHead* heads;
    NodeTail* tails;
    NodeBox* boxes;
    float* softening;  ///< or nullptr
    Index* meetings;   ///< a place for each leaf, of siblings
};

/// How many leaves there are is read where the tree is built: survey->n_leaves. `most`: as many as `nodes`
/// has memory for, on the CPU the number itself. Where there are more, and where particles crowd a cell of
/// the curve and have not been put in full order, nothing is done: the caller sees that in the survey later.
struct LeafCount {
    const Survey* survey;
    Index most;
    bool in_full_order;

    AUREOLE_HD Index get() const
    {
        const Index n = survey->n_leaves;
        return n > most || (survey->crowded > 0 && !in_full_order) ? 0 : n;
    }
};

/// `tree` has its bodies; `leaf_starts` are the first bodies of its leaves.
void build_nodes(Exec exec, const TreeView& tree, const LeafCount& leaves, const Index* leaf_starts,
                 const Likeness* likeness, const NodeArrays& nodes);

/// The nodes above nodes that stand side by side along the curve, made by the instructions of build_nodes():
/// of equal children equal bits. Node k of `given` takes the place of leaf k; `numbers` are 0 to n - 1, and
/// likeness[k] is that of nodes k - 1 and k, 0 <= k <= n.
void join_nodes(Exec exec, const NodeArrays& given, const LeafCount& count, const Index* numbers,
                const Likeness* likeness, const NodeArrays& nodes);

}  // namespace aureole::gravity::tree
