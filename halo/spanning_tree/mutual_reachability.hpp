// Spanning trees of mutual reachability: the length of an edge is the largest of the two core distances of
// its ends and their distance (Campello, Moulavi & Sander 2013). All on the host.
#pragma once

#include "halo/spanning_tree/boruvka.hpp"

namespace aureole::halo {

/// core[i] = the squared distance from point i to its k-th nearest particle, those at point i itself counted;
/// multiplicity[i] particles lie there, and all points together are at least k of them. node_core[m] = the
/// least of node m. Cost: n k log n and less; k doubles a thread.
template <int dimensions>
void find_core_distances(const Cloud<dimensions>& cloud, const Index* multiplicity, Index k, double* core,
                         double* node_core);

/// Bounds and search of a round (boruvka.hpp) where points have core distances.
template <int dimensions>
void search_reachable(const BoruvkaTask<dimensions>& task);

}  // namespace aureole::halo
