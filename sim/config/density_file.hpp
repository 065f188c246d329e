// The file of a component of model table: how its density falls.
#pragma once

#include <filesystem>

#include "ics/component.hpp"

namespace aureole::run {

/// Two columns, radius and density, parted by white space or a comma; `#` starts a comment. A first line may
/// name the columns, `radius` (or `r`) and `density` (or `rho`), in any order and among others. Radii grow,
/// densities are positive, at least 4 rows. Throws IoError naming file, line and column.
ics::DensityTable read_density_file(const std::filesystem::path& file);

}  // namespace aureole::run
