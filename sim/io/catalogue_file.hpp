// Halo catalogues: GADGET-4's fof_subhalo_tab_NNN.hdf5, as pynbody's s.halos() and Gadgetviewer expect it.
#pragma once

#include "sim/core/table.hpp"
#include "sim/io/write_snapshot.hpp"

namespace aureole::io {

struct CatalogueContent {
    SnapshotHeader header;  ///< in file units, units set
    UnitScales scales;      ///< from the table's numbers to the file's
    Provenance provenance;  ///< finder and its settings included
};

/// One row of `groups` per group (GroupLen, GroupMass, GroupPos, ... and whatever else it holds); zero rows
/// give a valid file. Written under a temporary name and renamed when complete; throws IoError naming the
/// file.
void write_catalogue(const std::filesystem::path& file, const Table& groups, const CatalogueContent& content);

struct CatalogueFile {
    SnapshotHeader header;
    Table groups;  ///< in the file's numbers; dimensions are not restored
};

CatalogueFile read_catalogue(const std::filesystem::path& file);

/// Whether an HDF5 file holds a group catalogue (and no particles), told by its content.
bool is_catalogue(const std::filesystem::path& file);

}  // namespace aureole::io
