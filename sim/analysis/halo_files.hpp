// The files of a halo catalogue: the catalogue itself, and on request that of yt, a CSV table and a
// dendrogram.
#pragma once

#include <filesystem>
#include <span>

#include "halo/spanning_tree/spanning_tree.hpp"
#include "sim/analysis/halo_catalogue.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/halos/table_csv.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"

namespace aureole::run {

/// What is written beside the catalogue.
struct HaloFiles {
    bool yt = false;
    std::filesystem::path table;  ///< CSV; none when empty
    bool table_metadata = false;  ///< with a file of its provenance beside it
    io::ColumnUnits table_units;
    UnitScales table_scales;  ///< from the groups' numbers to the table's
};

/// Writes the catalogue `number` of `found` into `directory`, and the files that `files` names. Throws
/// IoError.
void write_halo_files(const std::filesystem::path& directory, unsigned number, const HaloCatalogue& found,
                      const io::CatalogueContent& content, const HaloFiles& files);

/// Writes the dendrogram of `tree`. `ids` are those of all its particles. NumLeaves, BoxSize and
/// VelocityScale of `config`, with which the tree was built, are added to `attributes`. Throws IoError naming
/// the file.
void write_dendrogram(const std::filesystem::path& file, const halo::SpanningTree& tree,
                      const halo::SpanningTreeConfig& config, std::span<const std::uint64_t> ids,
                      io::Attributes attributes, const io::Provenance& provenance);

}  // namespace aureole::run
