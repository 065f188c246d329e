#include "sim/io/disk_room.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace aureole::io {

std::string write_failure(const std::filesystem::path& file)
{
    const std::string reason = errno ? std::strerror(errno) : "no reason given";
    return fmt::format("{} ({})", reason, disk_room(file));
}

std::string disk_room(const std::filesystem::path& file)
{
    std::error_code unknown;
    const std::uintmax_t written = std::filesystem::file_size(file, unknown);
    std::string text = fmt::format("{} bytes are written", unknown ? 0 : written);
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    const std::filesystem::space_info space = std::filesystem::space(folder, unknown);
    if (!unknown) text += fmt::format(", {} free on its disk", space.available);
    return text;
}

}  // namespace aureole::io
