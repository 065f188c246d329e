// What `aureole density` is to deposit: from the options and the file to one configuration.
#pragma once

#include "density/deposit/deposit.hpp"
#include "sim/cli/commands.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::cli {

/// Which fields go to the file.
struct DensityFields {
    bool mass = false;
    density::Fields others;
};

/// Of --fields; throws ConfigError naming an unknown one.
DensityFields density_fields(const DensityCommand& command);

/// Throws ConfigError when velocities are wanted and the file has none.
void expect_velocities(const DensityCommand& command, const io::Snapshot& snapshot,
                       const density::Fields& fields);

/// Method, grid, region and lattice of the options; a grid has the particles' number a side unless said.
/// Throws ConfigError naming the option.
density::DepositConfig density_config(const DensityCommand& command, const io::Snapshot& snapshot);

}  // namespace aureole::cli
