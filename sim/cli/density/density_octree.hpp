// `aureole density --octree`: adaptive cells.
#pragma once

#include "sim/cli/commands.hpp"
#include "sim/cli/loaded_snapshot.hpp"

namespace aureole::cli {

/// Plans, tells memory or deposits and writes. Returns the exit status; throws ConfigError naming an option.
int density_octree(const DensityCommand& command, LoadedSnapshot& loaded);

}  // namespace aureole::cli
