// From ordered particles to a tree: points in the frame, then tight boxes from the leaves to the root.
#pragma once

#include "halo/separation.hpp"

namespace aureole::halo {

/// tree.point[k] (and velocity[k] in phase space) = particle order[k] in the query's frame, for every
/// k < n_points; the tree's own first.
void gather_points(Exec exec, const LinkQuery& query, const Index* order, Index n_points, const KdTree& tree);

/// Boxes of all nodes and whether their members are all friends. Cost: n, one launch per level.
void build_nodes(Exec exec, const KdTree& tree, const Band& band);

}  // namespace aureole::halo
