// The scale factor and the redshift of comoving files, which say the same twice, or once, or not the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {

/// Sets time (the scale factor a) and redshift (z) of a comoving header from what the file states of them:
/// one follows from the other, z = 0 is taken where there is neither, and what is no scale factor counts for
/// none when it stands alone. Where both are stated they are kept; `notes` tell when they differ by more than
/// 1e-3 of a = 1 / (1 + z), and of all that was assumed. Throws IoError naming `file` for a redshift of -1 or
/// less.
void complete_scale_factor(SnapshotHeader& header, std::optional<double> scale_factor,
                           std::optional<double> redshift, const std::string& file,
                           std::vector<std::string>& notes);

}  // namespace aureole::io
