// Every pair compared: the yardstick of the other methods. Cost n^2 / 2.
#pragma once

#include "halo/fof/linking.hpp"

namespace aureole::halo {

/// Every point in a set of its own.
void start_alone(Exec exec, const LinkTask& task);

/// Joins the sets of all friends among the points of task.tree; its nodes are not used.
void link_all_pairs(Exec exec, const LinkTask& task);

/// The same on a GPU, in tiles of its shared memory.
void link_tiles(CUstream_st* stream, const LinkTask& task);

}  // namespace aureole::halo
