// From ordered particles to a tree, and from the tree to friends that share a set.
#pragma once

#include "halo/fof/linking.hpp"

namespace aureole::halo {

/// tree.point[k] (and velocity[k] in phase space) = particle order[k] in the query's frame, for every
/// k < n_points; the tree's own first.
void gather_points(Exec exec, const LinkQuery& query, const Index* order, Index n_points,
                   const LinkTree& tree);

/// Boxes of all nodes and whether their members are all friends. Cost: n.
void build_link_nodes(Exec exec, const LinkTree& tree, const Band& band);

/// Joins all friends among the points of the tree: sets start afresh, and are not yet flat. May mark nodes
/// as united. Traverses from each leaf on the CPU, from each group of at most 32 points on a GPU.
void link_tree(Exec exec, const LinkTask& task);

namespace detail {
void link_tree_cuda(CUstream_st* stream, const LinkTask& task);
}

}  // namespace aureole::halo
