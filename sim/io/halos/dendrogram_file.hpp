// The hierarchy of groups at all linking lengths: a linkage matrix as scipy.cluster.hierarchy takes it, and
// columns that it leaves out.
#pragma once

#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::io {

/// Nodes 0 to n - 1 are the leaves, node n + k is made by merge k.
struct DendrogramContent {
    struct Merge {
        std::uint64_t first, second;              ///< nodes, the lower number first
        double squared_length;                    ///< of the edge that merges them
        std::uint64_t size;                       ///< leaves below
        std::array<std::uint64_t, 2> edge_ids{};  ///< particles that the edge connects, the smaller id first

        bool operator==(const Merge&) const = default;
    };

    std::vector<std::uint64_t> leaf_ids;  ///< per leaf: id of its particle
    std::vector<Merge> merges;            ///< n - 1, lengths rising
    Attributes attributes;                ///< of the file's root: lengths' unit, box, finder, ...
    Provenance provenance{};
};

/// Renamed when complete; throws IoError naming the file. docs/file_formats.md has the layout.
void write_dendrogram(const std::filesystem::path& file, const DendrogramContent& content);

/// Leaves and merges, without attributes. Throws IoError naming file and dataset when sizes do not agree.
DendrogramContent read_dendrogram(const std::filesystem::path& file);

}  // namespace aureole::io
