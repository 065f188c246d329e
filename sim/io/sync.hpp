// Making sure that what was written is on the disk, not only in the system's memory: after a loss of power a
// file that was renamed before it was synced can be empty under its final name.
#pragma once

#include <filesystem>

namespace aureole::io {

/// Waits until the content of the file is on the disk; throws IoError naming it.
void sync_file(const std::filesystem::path& file);

/// The same for the names in a folder. File systems that cannot do so are not complained about.
void sync_folder(const std::filesystem::path& folder);

}  // namespace aureole::io
