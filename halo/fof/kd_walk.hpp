// The walk: depth first, without a stack. What it asks of a node and does at a leaf is the visitor's affair.
#pragma once

#include "halo/kd_tree.hpp"

namespace aureole::halo {

/// From node `start` to the end of the tree: visitor.enters(k) decides whether anything in node k matters,
/// visitor.visit(k) gets the leaves that do. Starting at the root sees everything; starting at after(k) sees
/// each point behind those of k once, so a walk from every leaf meets each pair once.
template <class Visitor>
AUREOLE_HD inline void walk(const KdTree& tree, Index start, Visitor& visitor)
{
    for (Index k = start; k != KdTree::no_node;) {
        if (!visitor.enters(k)) {
            k = KdTree::after(k);
        } else if (tree.is_leaf(k)) {
            visitor.visit(k);
            k = KdTree::after(k);
        } else {
            k = KdTree::left(k);
        }
    }
}

}  // namespace aureole::halo
