// An octree of patches over a cube of space: where its nodes are, and the cells of each. Nodes are stored
// breadth first, so those of a level follow each other.
#pragma once

#include <array>
#include <vector>

#include "density/grid.hpp"
#include "density/octree/octree_node.hpp"

namespace aureole::density {

struct Octree {
    Grid root;  ///< a cube of the space of the particles, as many cells along each axis; of the first node
    std::vector<OctreeNode> nodes;
    std::vector<Index> parent;                ///< no_child for the root
    std::vector<std::array<Index, 3>> place;  ///< along x, y, z in nodes of its level
    std::vector<Index> first_of_level;        ///< the first node of each level, and how many there are

    Index n_nodes() const { return static_cast<Index>(nodes.size()); }
    Index n_levels() const { return static_cast<Index>(first_of_level.size()) - 1; }
    Index cells() const { return static_cast<Index>(root.axis[0].cells); }
    std::size_t cells_per_node() const { return std::size_t{cells()} * cells() * cells(); }
    bool is_leaf(Index node) const { return nodes[node].first_child == no_child; }
    Index n_leaves() const { return n_nodes() - (n_nodes() - 1) / 8; }

    /// The cells of a node: a window of the grid that its level would be, so patches of all levels share
    /// planes.
    Grid grid(Index node) const;

    /// A tree of the root alone.
    static Octree alone(const Grid& root);
    /// Gives a node eight children, after all nodes there are.
    void refine(Index node);
    /// Room for so many nodes, and no more.
    void reserve(std::size_t nodes_in_all);
};

}  // namespace aureole::density
