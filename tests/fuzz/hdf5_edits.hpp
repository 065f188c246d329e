// Hostile HDF5 files that are well-formed: a valid file, and edits by the library itself. Random bytes would
// mostly test how HDF5 survives damage of its own metadata, which is not ours; what a reader must survive is
// objects that are missing, renamed, linked in circles, of another type, shape, storage or content.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace aureole::fuzz {

/// An HDF5 file in memory, with the names of what is in it.
class Hdf5Image {
public:
    explicit Hdf5Image(const std::filesystem::path& file);

    /// Writes scratch(name), the file after the edits that `program` encodes: for each an operation, an
    /// object, and what the operation needs, all taken from its bytes modulo what there is. Edits that the
    /// library refuses have no effect.
    std::filesystem::path put_edited(const std::string& name, std::string_view program) const;

private:
    std::string bytes_;
    std::vector<std::string> paths_;       ///< of groups and datasets, the root first
    std::vector<std::string> attributes_;  ///< all names
};

}  // namespace aureole::fuzz
