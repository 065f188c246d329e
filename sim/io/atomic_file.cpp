// The temporary file lies in the target's folder, where rename() is atomic. Its name is fixed (NAME.partial),
// so that what a killed run left behind is overwritten by the next one instead of piling up.
#include "sim/io/atomic_file.hpp"

#include <system_error>

#include "sim/core/error.hpp"
#include "sim/io/sync.hpp"

namespace aureole::io {

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)), temporary_(target_)
{
    temporary_ += ".partial";
    const auto folder = target_.has_parent_path() ? target_.parent_path() : std::filesystem::path(".");
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored))
        throw IoError(fmt::format("{}: cannot be written, there is no folder {}; create it first",
                                  target_.string(), folder.string()));
    // a link left under the temporary name would lead the writer out of the folder
    if (std::filesystem::is_symlink(temporary_, ignored) && !std::filesystem::remove(temporary_, ignored))
        throw IoError(fmt::format("{}: cannot be written, {} is a link that cannot be removed",
                                  target_.string(), temporary_.string()));
    if (std::filesystem::is_directory(target_, ignored))
        throw IoError(fmt::format("{}: cannot be written, a folder has that name", target_.string()));
    // renaming would put a file in the place of /dev/null
    if (std::filesystem::is_other(target_, ignored))
        throw IoError(fmt::format("{}: cannot be written, a device or a pipe has that name; expected a file",
                                  target_.string()));
}

AtomicFile::~AtomicFile()
{
    std::error_code ignored;
    if (!committed_) std::filesystem::remove(temporary_, ignored);
}

/// By a second name, so that there is a target at every moment; where names are single, by renaming.
void AtomicFile::keep_target_as(const std::filesystem::path& previous) const
{
    std::error_code failed;
    std::filesystem::path second = previous;
    second += ".partial";
    std::filesystem::remove(second, failed);
    std::filesystem::create_hard_link(target_, second, failed);
    std::filesystem::rename(failed ? target_ : second, previous, failed);
    if (failed)
        throw IoError(fmt::format("{}: cannot be kept as {}: {}", target_.string(), previous.string(),
                                  failed.message()));
    // where both are names of one file already, as a killed run may have left them, renaming does nothing
    std::filesystem::remove(second, failed);
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
    if (std::filesystem::exists(target_, ignored)) keep_target_as(previous);
    commit();
    sync_folder(target_.has_parent_path() ? target_.parent_path() : ".");
}

}  // namespace aureole::io
