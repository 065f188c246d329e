// What `aureole density` is to deposit: from the options and the file to one configuration.
#pragma once

#include "density/deposit.hpp"
#include "sim/cli/commands.hpp"
#include "sim/io/snapshot.hpp"

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

/// For --dry-run: what is available beside what is held, and whether `bytes` more are too much.
void print_available(std::size_t bytes);

}  // namespace aureole::cli
