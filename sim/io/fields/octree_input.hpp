// Octrees of patches of cells as `aureole density --octree` writes them, read: the nodes, and fields one by
// one.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sim/io/hdf5/hdf5_file.hpp"

namespace aureole::io {

struct StoredOctree {
    std::uint64_t cells = 0;  ///< along each side of a node
    std::vector<std::array<double, 3>> low;
    std::vector<double> size;
    std::vector<std::int64_t> first_child;  ///< -1 for a leaf
    std::vector<std::uint32_t> level;
    std::vector<std::string> fields;  ///< names, sorted

    std::uint64_t n_nodes() const { return size.size(); }
};

bool holds_octree(const Hdf5File& file);

/// Throws IoError naming dataset and shape where the nodes' datasets do not fit each other. Whether the nodes
/// are a tree, nobody has looked.
StoredOctree stored_octree(const Hdf5File& file);

/// One number a cell, nodes one after the other, z running fastest in each (the file has x): the field
/// itself, or of a vector its `component` (0, 1, 2), or its length without one. Throws IoError naming field
/// and shape.
std::vector<double> read_octree_field(const Hdf5File& file, const StoredOctree& octree,
                                      const std::string& field, std::optional<std::size_t> component = {});

}  // namespace aureole::io
