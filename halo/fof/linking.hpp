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

}  // namespace aureole::halo
