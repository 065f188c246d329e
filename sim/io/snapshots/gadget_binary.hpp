// Gadget's binary snapshots, formats 1 and 2, as GADGET-2, GADGET-4 and initial-condition codes write them:
// both byte orders, single and double precision, 32- and 64-bit ids, any number of files.
#pragma once

#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {

/// True when the file begins as a Gadget binary snapshot does; missing and short files are not.
bool is_gadget_binary(const std::filesystem::path& file);

/// Reads the snapshot that `file` belongs to: a whole one, or all parts FILE.0 ... FILE.n-1 of one when
/// `file` is any of them or FILE itself. Files carry no units: header.units stays empty. Comoving when
/// Redshift or Omega0 is positive; velocities are then Gadget's, v_peculiar / sqrt(a). Throws IoError naming
/// file, block and particle.
Snapshot read_gadget_binary(const std::filesystem::path& file);

}  // namespace aureole::io
