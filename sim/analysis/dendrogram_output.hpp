// A spanning tree's hierarchy on its way into a file.
#pragma once

#include <filesystem>
#include <span>

#include "halo/spanning_tree/spanning_tree.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::run {

/// Writes the dendrogram of `tree`; `ids` of all its particles. To `attributes` are added NumLeaves, BoxSize
/// and VelocityScale of the configuration that the tree was built with. Throws IoError naming the file.
void write_dendrogram(const std::filesystem::path& file, const halo::SpanningTree& tree,
                      const halo::SpanningTreeConfig& config, std::span<const std::uint64_t> ids,
                      io::Attributes attributes, const io::Provenance& provenance);

}  // namespace aureole::run
