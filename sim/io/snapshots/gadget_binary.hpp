// Gadget's binary snapshots, formats 1 and 2, as GADGET-2, GADGET-4 and initial-condition codes write them:
// both byte orders, single and double precision, 32- and 64-bit ids, any number of files.
#pragma once

#include "sim/io/snapshots/snapshot_arrays.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::io {

/// True when the file begins as a Gadget binary snapshot does; missing and short files are not.
bool is_gadget_binary(const std::filesystem::path& file);

/// Reads the snapshot that `file` belongs to: a whole one, or all parts FILE.0 ... FILE.n-1 of one when
/// `file` is any of them or FILE itself. Files carry no units: header.units stays empty. Comoving when
/// Redshift or Omega0 is positive; velocities are then Gadget's, v_peculiar / sqrt(a). Throws IoError naming
/// file, block and particle.
Snapshot read_gadget_binary(const std::filesystem::path& file, const SnapshotArrays& arrays = {});

/// Writes `file` in format 1 or 2, little-endian with the header of GADGET-2, and beside it the provenance
/// (metadata_name()). Lengths and masses carry 1/h and velocities are v_peculiar / sqrt(a) where the snapshot
/// is comoving. Numbers are stored in single precision where that is exact or asked for, else in double; ids
/// in 32 bits where all fit; masses in the header where all particles of a type have the same, as GADGET-2
/// does. Each file is renamed when complete. Throws IoError for numbers and blocks that the format cannot
/// hold.
void write_gadget_binary(const std::filesystem::path& file, ConstParticlesView host,
                         const SnapshotContent& content, int format);

/// What of a snapshot the binary formats cannot hold; see SnapshotWriter::losses().
std::vector<std::string> gadget_binary_losses(ConstParticlesView host, const SnapshotContent& content);

}  // namespace aureole::io
