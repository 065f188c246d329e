// HDBSCAN*: which clusters of a single-linkage hierarchy last (Campello, Moulavi & Sander 2013; McInnes &
// Healy 2017). Built from a spanning tree of mutual reachability; lambda is 1 / distance, infinite at
// distance 0.
//
// All merges of one length count as one, as in the first of these papers: what joins at that length leaves or
// splits at once, so the result does not depend on the order of ties. Programs that take such merges one by
// one may give a particle that falls out as its cluster splits to one of the parts.
#pragma once

#include <cstdint>
#include <vector>

#include "halo/spanning_tree/dendrogram.hpp"

namespace aureole::halo {

struct CondensedTree {
    struct Cluster {
        std::int32_t parent;   ///< -1: none
        double birth;          ///< lambda at which it splits from its parent; 0 of the first
        double death = 0;      ///< lambda at which it splits or loses its last particle
        double stability = 0;  ///< sum over its particles of (lambda at which they leave it - birth)
        Index size;            ///< particles at its birth
    };

    std::vector<Cluster> clusters;      ///< the first holds all particles; parents come before children
    std::vector<std::int32_t> cluster;  ///< per leaf of the dendrogram, the last cluster that holds it
    std::vector<double> lambda;         ///< at which it leaves that cluster
};

/// The hierarchy without clusters of fewer than `min_cluster_size` particles. Throws ArgumentError for a size
/// below 2. Cost: n, on the host; 32 bytes a particle.
CondensedTree condensed_tree_of(const Dendrogram& dendrogram, Index min_cluster_size);

/// Which clusters are taken. One is never inside another.
struct ClusterSelection {
    bool leaves = false;  ///< those without children, instead of those with the largest sum of stabilities
    bool allow_single = false;  ///< the first cluster, that of all particles, may be taken
    double least_distance =
        0;               ///< clusters that split off below this distance are those that they split from
    Index max_size = 0;  ///< with `leaves` off: larger ones are not taken; 0: any size
};

struct FlatClusters {
    std::vector<std::int32_t> label;  ///< per leaf: 0 for the cluster with most particles, ties by the first
                                      ///< particle; -1 for noise
    std::vector<double> probability;  ///< lambda of the particle over the largest of its cluster; 0 for noise
};

/// Cost: n, on the host. Where the first cluster is taken it has the particles that leave it last, or below
/// `least_distance`.
FlatClusters select_clusters(const CondensedTree& tree, const ClusterSelection& selection);

}  // namespace aureole::halo
