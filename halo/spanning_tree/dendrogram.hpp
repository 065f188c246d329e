// The complete single-linkage hierarchy of a spanning tree: which groups merge at which linking length (Gower
// & Ross 1969).
#pragma once

#include <cmath>
#include <vector>

#include "halo/spanning_tree/spanning_tree.hpp"

namespace aureole::halo {

/// Nodes 0 to n - 1 are particles, node n + k is what merge k makes.
struct Dendrogram {
    struct Merge {
        std::uint64_t first, second;  ///< nodes, the lower number first
        double squared_length;        ///< linking length that merges them, inclusive
        Index size;                   ///< particles in the merged node

        double length() const { return std::sqrt(squared_length); }
    };

    std::vector<Index> particle;  ///< per leaf: the particles that link, in input order
    std::vector<Merge> merges;    ///< one per edge of the tree, in its order
};

/// Cost: n alpha(n), on the host.
Dendrogram dendrogram_of(const SpanningTree& tree);

}  // namespace aureole::halo
