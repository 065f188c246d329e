// The table of the snapshot formats that can be read.
#pragma once

#include <functional>

#include "sim/core/registry.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {

/// What a reader says of a file after a look at its first bytes and its size.
enum class Recognition {
    no,
    likely,   ///< the beginning fits
    certain,  ///< a signature, or a header that fits the size of the file
};

/// One format. A file goes to the first reader that is certain, else to the first that finds it likely.
struct SnapshotReader {
    std::string name;
    std::string documentation;  ///< as messages and --help list it: the format and its variants
    std::function<Recognition(const std::filesystem::path&)> recognise;
    /// Keeps what read_snapshot() promises.
    std::function<Snapshot(const std::filesystem::path&)> read;
    std::vector<std::string> aliases{};
};

Registry<SnapshotReader>& snapshot_readers();

/// The documentation of all formats as a list in one sentence, for messages and --help.
std::string known_snapshot_formats();

}  // namespace aureole::io
