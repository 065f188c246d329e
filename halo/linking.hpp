// The action: friends share a set. See friends_of_friends.cpp for the whole method.
#pragma once

#include "halo/separation.hpp"
#include "halo/union_find.hpp"

namespace aureole::halo {

struct LinkTask {
    LinkQuestion question;
    KdTree tree;     ///< of the linking particles
    UnionFind sets;  ///< of the tree's points, then one parent per other particle
};

/// Every point starts in the set of the largest node around it whose members are all friends, or alone.
void start_sets(Exec exec, const LinkTask& task);

/// Joins the sets of all friends and points every element at its root.
void link_friends(Exec exec, const LinkTask& task);

/// The others, points [tree.n, n_points): parent becomes the root of the nearest linking particle within the
/// linking length, ties by smaller id, or no_set.
void join_nearest(Exec exec, const LinkTask& task, Index n_points);

inline constexpr Index no_set = 0xffffffffu;

}  // namespace aureole::halo
