// Which files a command reads and which it writes: no output takes the place of an input or of another
// output.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/config/config.hpp"
#include "sim/io/ranks/snapshot_rows.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::cli {

/// A file of a command and the option that names it, as "--csv"; an empty path stands for an option that was
/// not given.
struct NamedFile {
    std::string option;
    std::filesystem::path file;
};

/// Throws IoError when an output is one of the inputs, a further part of an input in several files, or the
/// .iord or .param file beside it, and ConfigError when two outputs are one file. Files are compared by where
/// their paths lead; a name under which an output is written before it is complete counts as well. Call it
/// before anything is read.
void expect_safe_outputs(const std::vector<NamedFile>& outputs,
                         const std::vector<std::filesystem::path>& inputs);

/// Throws ConfigError for the name of a picture of another format than PNG, as "a.jpg".
void expect_png_name(const std::filesystem::path& output);

/// The same for a snapshot that is given by -o, with the files that its format writes beside it. Of these
/// none that is there already is replaced, unless the snapshot is there, too.
void expect_safe_snapshot(const io::SnapshotWriter& writer, const std::filesystem::path& output,
                          const std::vector<std::filesystem::path>& inputs);

/// The name that all parts of a snapshot in several files share: "snapshot_010" for "snapshot_010.3.hdf5".
/// Other names are returned as they are.
std::filesystem::path without_part(const std::filesystem::path& file);

// Snapshots as commands read them: their units are determined, and what was assumed is printed.

struct LoadedSnapshot {
    io::Snapshot snapshot;  ///< in `units`: those of the file, or G = 1 for a file of a run in nbody units
    run::RunUnits units;
};

/// `units` is the text of --units, or empty.
LoadedSnapshot load_snapshot(const std::filesystem::path& file, const std::string& units,
                             const io::SnapshotArrays& arrays = io::SnapshotArrays::reading());

/// The same by rows of all ranks (io::read_snapshot_rows), of which the first prints. Collective; throws
/// ConfigError on every rank for a file that names no units where `units` is empty: what tells them would
/// need all particles.
struct LoadedRows {
    io::SnapshotRows rows;
    run::RunUnits units;
};
LoadedRows load_snapshot_rows(comm::Communicator& ranks, const std::filesystem::path& file,
                              const std::string& units,
                              const io::SnapshotArrays& arrays = io::SnapshotArrays::reading());

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
