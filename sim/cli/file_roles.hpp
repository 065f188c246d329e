// Which files a command reads and which it writes: no output takes the place of an input or of another
// output.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

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

/// The same for a snapshot that is given by -o, with the files that its format writes beside it. Of these
/// none that is there already is replaced, unless the snapshot is there, too.
void expect_safe_snapshot(const io::SnapshotWriter& writer, const std::filesystem::path& output,
                          const std::vector<std::filesystem::path>& inputs);

/// The name that all parts of a snapshot in several files share: "snapshot_010" for "snapshot_010.3.hdf5".
/// Other names are returned as they are.
std::filesystem::path without_part(const std::filesystem::path& file);

}  // namespace aureole::cli
