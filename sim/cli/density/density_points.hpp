// `aureole density --points`: the sheet at given points instead of on a grid.
#pragma once

#include "sim/cli/commands.hpp"
#include "sim/cli/loaded_snapshot.hpp"

namespace aureole::cli {

/// Throws ConfigError for options that belong to grids.
void expect_point_options(const DensityCommand& command);

/// Writes the fields at the points of command.points, HDF5 or CSV; returns the exit status.
int density_at_points(const DensityCommand& command, LoadedSnapshot& loaded);

}  // namespace aureole::cli
