// Reads Gadget-like HDF5 snapshots: our own, Gadget-2/3, GADGET-4, AREPO, GIZMO, SWIFT; one file or several.
#pragma once

#include "sim/io/snapshots/snapshot.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::io {

/// The HDF5 file that a user's name leads to: the file itself, or FILE.0.hdf5 or FILE.hdf5 of a base name.
std::optional<std::filesystem::path> hdf5_file_of(const std::filesystem::path& name);

/// Whether hdf5_file_of(name) finds a file.
bool is_hdf5(const std::filesystem::path& name);

/// All particles of the snapshot that `file` is, is one part of (FILE.3.hdf5) or is the base name of (FILE).
/// Keeps what read_snapshot() promises.
Snapshot read_gadget_hdf5(const std::filesystem::path& file, const SnapshotArrays& arrays = {});

/// What /Provenance of one of our files says, numbers as text; empty for files of other codes.
Provenance read_provenance(const std::filesystem::path& file);

}  // namespace aureole::io
