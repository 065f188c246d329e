// How far a file that cannot be written came, and what room there is: the figures of such errors.
#pragma once

#include <filesystem>
#include <string>

namespace aureole::io {

/// What the system said about the write that has just failed (errno), with disk_room().
std::string write_failure(const std::filesystem::path& file);

/// "1024 bytes are written, 0 free on its disk"; what cannot be found out is left out.
std::string disk_room(const std::filesystem::path& file);

}  // namespace aureole::io
