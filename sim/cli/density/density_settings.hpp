// What files of `aureole density` say of where they come from.
#pragma once

#include <span>
#include <string>

#include "density/deposit/stream_volumes.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/loaded_snapshot.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/provenance.hpp"
#include "sim/run/device_choice.hpp"

namespace aureole::cli {

/// The particles of the types that were asked for; throws ConfigError when there are none.
Particles chosen_types(const DensityCommand& command, Particles all);

/// Time, cosmology and units of the snapshot.
void append_units(io::Attributes& settings, const LoadedSnapshot& loaded);

/// That of the command, with the snapshot as Input.
io::Provenance density_provenance(const DensityCommand& command, const run::DeviceChoice& device);

/// "1: 94.3 %, 3: 3.7 %, ...": the first few numbers, then all that is above them.
std::string stream_fractions_text(std::span<const density::StreamVolume> fractions);

}  // namespace aureole::cli
