// What readers and writers ask of the disk: that a file can be read without waiting, that it is stored, and
// why a write failed.
#pragma once

#include <filesystem>
#include <string>

namespace aureole::io {

/// Returns `file`, to be opened for reading. Throws IoError when it is a pipe or a socket: opening it would
/// wait until something writes to it. What the shell has opened for this process already (/dev/fd/63 of
/// `<(...)`, /dev/stdin) passes.
const std::filesystem::path& without_waiting(const std::filesystem::path& file);

/// Waits until the content of `file` is on the disk and not only in the system's memory: after a loss of
/// power, a file that was renamed before it was synced can be empty under its final name. Throws IoError
/// naming the file.
void sync_file(const std::filesystem::path& file);

/// Waits until the names in `folder` are on the disk. File systems that cannot do so are accepted silently.
void sync_folder(const std::filesystem::path& folder);

/// The reason that the system gave for the write that has just failed (errno), followed by disk_space().
std::string write_failure(const std::filesystem::path& file);

/// "1024 bytes are written, 0 free on its disk", of a file that is being written. A number that cannot be
/// found out is left out.
std::string disk_space(const std::filesystem::path& file);

}  // namespace aureole::io
