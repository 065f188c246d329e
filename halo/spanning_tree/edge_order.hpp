// The canonical order of a spanning tree's edges.
#pragma once

#include "halo/spanning_tree/boruvka.hpp"
#include "halo/spanning_tree/spanning_tree.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

/// sorted[k] = the edges by rising (squared length, smaller rank, larger rank), ranks turned into particles.
/// `pairs` has places for all `n_edges`, `n_ranks` is more than every rank.
void sort_edges(Exec exec, const EdgeArrays& edges, Index n_edges, Index n_ranks, const Index* by_rank,
                SortBuffers pairs, std::byte* sort_scratch, SpanningTree::Edge* sorted);

}  // namespace aureole::halo
