// Clusters of DBSCAN (Ester et al. 1996) from groups of friends-of-friends with core flags, on either
// backend: groups without a core particle are noise, and clusters are numbered anew. Cost O(N).
#pragma once

#include "halo/groups_view.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::halo {

enum class ClusterOrder {
    size,             ///< that of the groups: by falling number of members
    first_core_point  ///< by the smallest index of a core particle
};

/// In the memory of the backend.
struct Clusters {
    Buffer<std::int64_t> label;  ///< per particle: its cluster from 0, -1 for noise
    Buffer<std::int64_t> core;   ///< indices of the core particles that are in a group, in rising order
};

/// `groups`, in the memory that `exec` runs in, need core flags. Waits for its results.
Clusters number_clusters(Exec exec, const GroupsView& groups, ClusterOrder order);

/// The labels as they are, in 64 bits.
Buffer<std::int64_t> wide_labels(Exec exec, const GroupsView& groups);

}  // namespace aureole::halo
