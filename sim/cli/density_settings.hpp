// What files of `aureole density` say of where they come from.
#pragma once

#include <span>
#include <string>

#include "density/stream_volumes.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/loaded_snapshot.hpp"
#include "sim/io/hdf5_file.hpp"
#include "sim/io/provenance.hpp"
#include "sim/run/device_choice.hpp"

namespace aureole::cli {

/// The particles of the types that were asked for; throws ConfigError when there are none.
Particles chosen_types(const DensityCommand& command, Particles all);

/// Time, cosmology and units of the snapshot.
void append_units(io::Attributes& settings, const LoadedSnapshot& loaded);

/// That of the command, with the snapshot as Input.
io::Provenance density_provenance(const DensityCommand& command, const run::DeviceChoice& device);

/// Where --device says; clouds and points are the host's. Throws ConfigError where that is not to be had.
run::DeviceChoice density_device(const DensityCommand& command);

/// Memory is promised before it is there: throws ConfigError when `needed` bytes are more than the host has
/// available, before they are filled. "WHAT take N bytes, M are available; LESS take less".
void expect_available(std::size_t needed, const std::string& what, const std::string& less);

/// The same for --dry-run: what the host has available, and whether it is too little.
void print_available(std::size_t needed);

/// "1: 94.3 %, 3: 3.7 %, ...": the first few numbers, then all that is above them.
std::string stream_fractions_text(std::span<const density::StreamVolume> fractions);

}  // namespace aureole::cli
