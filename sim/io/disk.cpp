#include "sim/io/disk.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "sim/core/error.hpp"

namespace aureole::io {

const std::filesystem::path& without_waiting(const std::filesystem::path& file)
{
    std::error_code ignored;
    const std::filesystem::file_type type = std::filesystem::status(file, ignored).type();
    if (type != std::filesystem::file_type::fifo && type != std::filesystem::file_type::socket) return file;
    const std::string name = file.string();
    for (const char* opened : {"/dev/fd/", "/proc/self/fd/", "/dev/stdin"})
        if (name.starts_with(opened)) return file;
    throw IoError(fmt::format("{}: cannot be read: a pipe or a socket, expected a file", name));
}

void sync_file(const std::filesystem::path& file)
{
    const int handle = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    const bool opened = handle >= 0;
    // A file system without fsync() returns EINVAL; then there is nothing to wait for.
    const bool failed = !opened || (::fsync(handle) != 0 && errno != EINVAL);
    const int reason = errno;
    if (opened) ::close(handle);
    if (failed)
        throw IoError(
            fmt::format("{}: cannot be brought to the disk: {}", file.string(), std::strerror(reason)));
}

void sync_folder(const std::filesystem::path& folder)
{
    const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0) return;
    ::fsync(handle);
    ::close(handle);
}

std::string write_failure(const std::filesystem::path& file)
{
    const std::string reason = errno ? std::strerror(errno) : "no reason given";
    return fmt::format("{} ({})", reason, disk_space(file));
}

std::string disk_space(const std::filesystem::path& file)
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
