// The temporary file lies in the target's folder, where rename() is atomic. Its name is fixed (NAME.partial),
// so that the next run overwrites what a killed run left behind.
#include "sim/io/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <fstream>
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

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)), temporary_(target_)
{
    temporary_ += partial_ending;
    const auto folder = target_.has_parent_path() ? target_.parent_path() : std::filesystem::path(".");
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored))
        throw IoError(fmt::format("{}: cannot be written, there is no folder {}; create it first",
                                  target_.string(), folder.string()));
    // A link left under the temporary name would lead the writer to another file, a pipe would let it wait.
    const bool is_folder =
        std::filesystem::symlink_status(temporary_, ignored).type() == std::filesystem::file_type::directory;
    std::error_code kept;
    if (!is_folder) std::filesystem::remove(temporary_, kept);
    if (is_folder || kept)
        throw IoError(fmt::format("{}: cannot be written, {} is in the way and cannot be removed: {}",
                                  target_.string(), temporary_.string(),
                                  is_folder ? "a folder" : kept.message()));
    if (std::filesystem::is_directory(target_, ignored))
        throw IoError(fmt::format("{}: cannot be written, a folder has that name", target_.string()));
    // Renaming would put a regular file in the place of /dev/null.
    if (std::filesystem::is_other(target_, ignored))
        throw IoError(fmt::format("{}: cannot be written, a device or a pipe has that name; expected a file",
                                  target_.string()));
}

AtomicFile::~AtomicFile()
{
    std::error_code ignored;
    if (!committed_) std::filesystem::remove(temporary_, ignored);
}

/// Gives the target a second name, so that it exists at all times; on file systems without hard links the
/// target is renamed.
void AtomicFile::keep_target_as(const std::filesystem::path& previous) const
{
    std::error_code failed;
    std::filesystem::path second = previous;
    second += partial_ending;
    std::filesystem::remove(second, failed);
    std::filesystem::create_hard_link(target_, second, failed);
    std::filesystem::rename(failed ? target_ : second, previous, failed);
    if (failed)
        throw IoError(fmt::format("{}: cannot be kept as {}: {}", target_.string(), previous.string(),
                                  failed.message()));
    // Renaming does nothing where both are names of one file already, as a killed run may have left them.
    std::filesystem::remove(second, failed);
}

void AtomicFile::write(const std::function<void(std::ostream&)>& write) const
{
    errno = 0;
    std::ofstream stream(temporary_, std::ios::binary | std::ios::trunc);
    write(stream);
    stream.close();
    if (!stream)
        throw IoError(fmt::format("{}: cannot be written: {}", target_.string(), write_failure(temporary_)));
}

void AtomicFile::commit()
{
    std::error_code failed;
    std::filesystem::rename(temporary_, target_, failed);
    if (failed)
        throw IoError(fmt::format("{}: cannot be renamed to {}: {}", temporary_.string(), target_.string(),
                                  failed.message()));
    committed_ = true;
}

void AtomicFile::commit_durably(const std::filesystem::path& previous)
{
    sync_file(temporary_);
    std::error_code ignored;
    if (!previous.empty() && std::filesystem::exists(target_, ignored)) keep_target_as(previous);
    commit();
    sync_folder(target_.has_parent_path() ? target_.parent_path() : ".");
}

void write_text_file(const std::filesystem::path& file, std::string_view text)
{
    AtomicFile target(file);
    target.write([&](std::ostream& stream) { stream << text; });
    target.commit();
}

}  // namespace aureole::io
