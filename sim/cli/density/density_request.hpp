// What the files of `aureole density` share: the request made of the options, and the metadata of output
// files.
#pragma once

#include <span>
#include <string>

#include "density/deposit/deposit.hpp"
#include "density/ranks/ranked_density.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/config/density_choice.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/provenance.hpp"
#include "sim/run/device_choice.hpp"
#include "sim/run/ranks/run_ranks.hpp"

namespace aureole::cli {

using run::DensityFields;

/// The fields of --fields; throws ConfigError naming an unknown one.
DensityFields density_fields(const DensityCommand& command);

/// Throws ConfigError when `fields` need velocities and the snapshot has none.
void expect_velocities(const DensityCommand& command, const io::Snapshot& snapshot,
                       const density::Fields& fields);

/// Method, grid, region and lattice of the options. Without --grid there are as many cells along an axis as
/// particles. Throws ConfigError naming the option.
density::DepositConfig density_config(const DensityCommand& command, const io::Snapshot& snapshot);

/// The particles of the types in --types; throws ConfigError when there are none.
Particles chosen_types(const DensityCommand& command, Particles all);

/// Appends time, cosmology and units of the snapshot.
void append_units(io::Attributes& settings, const LoadedSnapshot& loaded);

/// The provenance of an output file: that of the command, with the snapshot as Input.
io::Provenance density_provenance(const DensityCommand& command, const run::DeviceChoice& device,
                                  const run::RunRanks* ranks = nullptr);

/// The ranks of a command, null for this process alone, as densities see them.
density::DensityRanks density_ranks(run::RunRanks& ranks);

/// "1: 94.3 %, 3: 3.7 %, ...": the first few numbers of streams, then the sum over all above them.
std::string stream_fractions_text(std::span<const density::StreamVolume> fractions);

/// `aureole density --octree` (density_octree.cpp): prints the plan, or deposits and writes. Returns the exit
/// status; throws ConfigError naming an option.
int density_octree(const DensityCommand& command, LoadedSnapshot& loaded, run::RunRanks* ranks);

/// `aureole density --points` (density_points.cpp). Throws ConfigError for options that belong to grids.
void expect_point_options(const DensityCommand& command);

/// Writes the fields at the points of command.points as HDF5 or CSV; returns the exit status.
int density_at_points(const DensityCommand& command, LoadedSnapshot& loaded);

}  // namespace aureole::cli
