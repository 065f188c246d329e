// An octree of patches of n^3 cells over a cube of space. Nodes are stored breadth first, so those of a level
// follow each other. A uniform grid is an octree of one node.
#pragma once

#include <array>
#include <map>
#include <span>
#include <vector>

#include "density/grid.hpp"

namespace aureole::density {

inline constexpr Index no_child = 0xffffffffu;

/// A cube of space; node 0 is the root. A node without children is a leaf, the cells of other nodes hold
/// averages over their children.
struct OctreeNode {
    Vec3 low;           ///< the lower corner, in the unit of the positions
    double size;        ///< length of a side
    Index first_child;  ///< the eight children follow each other, 4 towards x, 2 towards y, 1 towards z; or
                        ///< no_child
    Index level;        ///< 0 for the root
};

struct Octree {
    Grid root;  ///< the cells of node 0: a cube with the same number of cells along each axis
    std::vector<OctreeNode> nodes;
    std::vector<Index> parent;                ///< no_child for the root
    std::vector<std::array<Index, 3>> place;  ///< position along x, y, z, counted in nodes of its level
    std::vector<Index> first_of_level;        ///< the first node of each level, then the number of nodes

    Index n_nodes() const { return static_cast<Index>(nodes.size()); }
    Index n_levels() const { return static_cast<Index>(first_of_level.size()) - 1; }
    Index cells() const { return static_cast<Index>(root.axis[0].cells); }
    std::size_t cells_per_node() const { return std::size_t{cells()} * cells() * cells(); }
    bool is_leaf(Index node) const { return nodes[node].first_child == no_child; }
    Index n_leaves() const { return n_nodes() - (n_nodes() - 1) / 8; }

    /// The cells of a node: a window of the uniform grid of its level, so patches of all levels share planes.
    Grid grid(Index node) const;

    /// A tree of the root alone.
    static Octree alone(const Grid& root);
    /// Appends eight children of a node.
    void refine(Index node);
    /// Reserves memory for exactly so many nodes.
    void reserve(std::size_t nodes_in_all);
};

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
