// Linking by a tree: friends share a set when it is over.
#pragma once

#include "halo/fof/linking.hpp"

namespace aureole::halo {

/// Joins all friends among the points of the tree: sets start afresh, and are not yet flat. May mark nodes
/// as united. Walks from each leaf on the CPU, from each group of at most 32 points on a GPU.
void link_tree(Exec exec, const LinkTask& task);

}  // namespace aureole::halo
