// The complete single-linkage hierarchy of a spanning tree: which groups merge at which linking length (Gower
// & Ross 1969).
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "halo/groups.hpp"
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

/// The groups that FriendsOfFriends::find would give for this linking length (inclusive, as there), with
/// particles that do not link in the group of their nearest that does, if it is near enough. `ids` of all
/// particles, in the order that the tree was built from, or none: their indices. In phase space the linking
/// velocity follows from the tree's velocity scale. Throws aureole::Error for a length that is not positive
/// and finite, min_members 0, and ids of another number than particles. Cost: n, on the host.
Groups groups_at(const SpanningTree& tree, double linking_length, Index min_members,
                 std::span<const std::uint64_t> ids);

}  // namespace aureole::halo
