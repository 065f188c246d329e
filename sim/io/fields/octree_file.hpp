// Fields on an octree of patches of cells, as adaptive density deposits write them: a node at a time, in any
// order. The same file is a VTKHDF OverlappingAMR, which ParaView opens; its datasets are virtual and hold no
// copy. x runs fastest, as in VTK.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/io/atomic_file.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::io {

/// Nodes breadth first, the root at 0.
struct OctreeLayout {
    std::uint64_t cells = 0;      ///< along each side of a node
    std::array<double, 3> low{};  ///< of the root, in the file's unit
    double size = 0;              ///< of the root
    std::vector<std::uint32_t> level;
    std::vector<std::array<std::uint32_t, 3>> place;  ///< along x, y, z in nodes of the level
    std::vector<std::int64_t> first_child, parent;    ///< -1 for none

    std::uint64_t n_nodes() const { return level.size(); }
    double node_size(std::size_t node) const;
};

/// `width` numbers a cell, stored as float64, or float32 where `single`.
struct OctreeField {
    std::string name;
    std::uint64_t width = 1;
    bool single = false;
};

/// /Nodes/Low [nodes, 3], Size, Level, FirstChild, Parent [nodes]; for each field a dataset [nodes, z, y, x],
/// with a last dimension where it has several numbers a cell. Appears under its name when complete. Throws
/// IoError naming the file.
class OctreeFile {
public:
    OctreeFile(const std::filesystem::path& file, OctreeLayout layout, std::vector<OctreeField> fields);

    /// All cells of a node with z running fastest, each with its width of numbers.
    void write(std::size_t field, std::uint64_t node, std::span<const double> values);

    /// Closes the file, with attributes of its root and those of /Provenance.
    void commit(const Attributes& settings, const Provenance& provenance = {});

private:
    void write_nodes();
    void write_levels();
    void write_level(std::uint64_t level, std::uint64_t first, std::uint64_t count);
    template <Hdf5Number T>
    void write_turned(std::size_t field, std::uint64_t node, std::span<const double> values);

    AtomicFile target_;
    Hdf5File out_;
    OctreeLayout layout_;
    std::vector<OctreeField> fields_;
    std::vector<Hdf5Dataset> sets_;
};

struct StoredOctree {
    std::uint64_t cells = 0;  ///< along each side of a node
    std::vector<std::array<double, 3>> low;
    std::vector<double> size;
    std::vector<std::int64_t> first_child;  ///< -1 for a leaf
    std::vector<std::uint32_t> level;
    std::vector<std::string> fields;  ///< names, sorted

    std::uint64_t n_nodes() const { return size.size(); }
};

/// Whether the file has the nodes of an octree.
bool holds_octree(const Hdf5File& file);

/// Throws IoError naming dataset and shape where the nodes' datasets do not fit each other. It does not check
/// that the nodes form a tree.
StoredOctree stored_octree(const Hdf5File& file);

/// One number a cell, nodes one after the other, z running fastest in each (the file has x): the field
/// itself, or of a vector its `component` (0, 1, 2), or its length without one. Throws IoError naming field
/// and shape.
std::vector<double> read_octree_field(const Hdf5File& file, const StoredOctree& octree,
                                      const std::string& field, std::optional<std::size_t> component = {});

}  // namespace aureole::io
