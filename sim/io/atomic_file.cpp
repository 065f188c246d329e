// The temporary file lies in the target's folder, where rename() is atomic. Its name is fixed (NAME.partial),
// so that what a killed run left behind is overwritten by the next one instead of piling up.
#include "sim/io/atomic_file.hpp"

#include <system_error>

#include "sim/core/error.hpp"

namespace aureole::io {

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)), temporary_(target_)
{
    temporary_ += ".partial";
    const auto folder = target_.has_parent_path() ? target_.parent_path() : std::filesystem::path(".");
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored))
        throw IoError(fmt::format("{}: cannot be written, there is no folder {}; create it first",
                                  target_.string(), folder.string()));
    if (std::filesystem::is_directory(target_, ignored))
        throw IoError(fmt::format("{}: cannot be written, a folder has that name", target_.string()));
}

AtomicFile::~AtomicFile()
{
    std::error_code ignored;
    if (!committed_) std::filesystem::remove(temporary_, ignored);
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

}  // namespace aureole::io
