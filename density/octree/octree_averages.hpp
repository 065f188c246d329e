// Nodes above the leaves of an octree. A cell has the sums and the mean number of streams of the eight cells
// that it is divided into. With children in depth-first order at most one node a level is in memory.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "density/octree/octree.hpp"

namespace aureole::density {

/// The cells of one patch.
struct PatchSums {
    std::vector<double> sums;     ///< n_sums for each cell, z running fastest
    std::vector<double> streams;  ///< one for each cell, or empty
};

class OctreeAverages {
public:
    OctreeAverages(const Octree& tree, int n_sums, bool streams);

    /// Adds a finished node to its parent and, when it was the last child, the parent to its own parent.
    /// Calls finished(parent, its sums) for each parent that is complete.
    template <class Finished>
    void add(Index node, const PatchSums& patch, Finished&& finished)
    {
        const Index parent = tree_.parent[node];
        if (parent == no_child) return;
        OpenNode& open = open_node(parent);
        add_octant(node - tree_.nodes[parent].first_child, patch, open.patch);
        if (++open.children < 8) return;
        const PatchSums done = std::move(open.patch);
        open_.erase(parent);
        finished(parent, done);
        add(parent, done, finished);
    }

    std::size_t n_open() const { return open_.size(); }

private:
    struct OpenNode {
        PatchSums patch;
        int children = 0;
    };

    OpenNode& open_node(Index node);
    void add_octant(Index child, const PatchSums& from, PatchSums& to) const;

    const Octree& tree_;
    std::size_t n_sums_;
    bool streams_;
    std::map<Index, OpenNode> open_;
};

/// The leaves, depth first.
std::vector<Index> leaves_depth_first(const Octree& tree);

}  // namespace aureole::density
