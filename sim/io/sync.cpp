#include "sim/io/sync.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sim/core/error.hpp"

namespace aureole::io {

void sync_file(const std::filesystem::path& file)
{
    const int handle = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    const bool opened = handle >= 0;
    // file systems without such a thing say EINVAL: there is nothing to wait for
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

}  // namespace aureole::io
