// Linking: friends share a set. See friends_of_friends.cpp for the whole method.
#pragma once

#include "halo/separation.hpp"
#include "halo/union_find.hpp"

namespace aureole::halo {

struct LinkTask {
    LinkQuery query;
    LinkTree tree;   ///< of the linking particles
    UnionFind sets;  ///< of the tree's points, then one parent per other particle
};

/// Points every element at its root, when all joining is over.
void flatten_sets(Exec exec, const UnionFind& sets, Index n);

/// flag[i] = 1 for every point of the tree with at least `min_friends` friends in it, itself not counted.
void flag_core_points(Exec exec, const LinkTask& task, Index min_friends, std::uint8_t* flag);

/// For points that are not in the tree: parent becomes the root of the nearest linking particle within the
/// linking length, ties by smaller id, or no_set.
void join_nearest(Exec exec, const LinkTask& task, IndexRange points);

inline constexpr Index no_set = 0xffffffffu;

/// parent becomes no_set.
void leave_alone(Exec exec, const UnionFind& sets, IndexRange points);

/// tree.point[k] (and velocity[k] in phase space) = particle order[k] in the query's frame, for every
/// k < n_points; the tree's own first. With places for all particles `unordered` has their points in input
/// order on the way: a GPU gathers 16 bytes in half the time that three arrays take.
void gather_points(Exec exec, const LinkQuery& query, const Index* order, Index n_points,
                   const LinkTree& tree, TreePoint* unordered = nullptr);

/// Boxes of all nodes and whether their members are all friends. Cost: n.
void build_link_nodes(Exec exec, const LinkTree& tree, const Band& band);

/// Joins all friends among the points of the tree: sets start afresh, and are not yet flat. May mark nodes
/// as united. Traverses from each leaf on the CPU, from each group of at most 32 points on a GPU.
void link_tree(Exec exec, const LinkTask& task);

namespace detail {
void link_tree_cuda(CUstream_st* stream, const LinkTask& task);
}

/// Every point in a set of its own.
void start_alone(Exec exec, const LinkTask& task);

/// Joins the sets of all friends among the points of task.tree; its nodes are not used.
void link_all_pairs(Exec exec, const LinkTask& task);

/// The same on a GPU, in tiles of its shared memory.
void link_tiles(CUstream_st* stream, const LinkTask& task);

}  // namespace aureole::halo
