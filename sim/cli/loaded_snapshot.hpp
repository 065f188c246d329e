// Reads a snapshot for a command: determines its units and prints what was assumed.
#pragma once

#include "sim/config/config.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::cli {

struct LoadedSnapshot {
    io::Snapshot snapshot;  ///< in `units`: those of the file, or G = 1 for a file of a run in nbody units
    run::RunUnits units;
};

/// `units` is the text of --units, or empty.
LoadedSnapshot load_snapshot(const std::filesystem::path& file, const std::string& units);

/// Settles the softening that the configuration leaves out by what the file states (file_softening.hpp), and
/// prints the note.
void take_stated_softening(run::Config& config, const LoadedSnapshot& loaded);

/// Factors from numbers in `units` to those of a file in `target` units; powers of a and h stay what they
/// are.
UnitScales scales_to(const run::RunUnits& units, const UnitSystem& target);

/// Factors from the numbers of a catalogue's file to those in which its snapshot was loaded.
UnitScales catalogue_scales(const io::SnapshotHeader& catalogue, const run::RunUnits& snapshot);

/// Settings given by --set alone, for commands without a configuration file.
run::Config config_from_overrides(const std::vector<std::string>& overrides);

}  // namespace aureole::cli
