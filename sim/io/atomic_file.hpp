// Outputs appear under their name only when they are complete: written beside it, renamed at the end.
#pragma once

#include <filesystem>

namespace aureole::io {

/// Usage: open temporary() with any writer, close the writer, commit(). Leaving the scope without commit()
/// removes the temporary file and leaves what stood under the target's name as it was.
class AtomicFile {
public:
    /// Throws IoError when `target` is a folder, a device or a pipe, or its folder does not exist. Creates
    /// nothing yet; removes a symbolic link under the temporary name, so that nothing is written to where it
    /// points.
    explicit AtomicFile(std::filesystem::path target);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    const std::filesystem::path& target() const noexcept { return target_; }
    const std::filesystem::path& temporary() const noexcept { return temporary_; }

    /// Renames the temporary file to the target, replacing it. Throws IoError naming both.
    void commit();

    /// The same after its content is on the disk, and what stood under the target's name goes on as
    /// `previous`. There is a whole target at every moment, even when the power fails.
    void commit_durably(const std::filesystem::path& previous);

private:
    void keep_target_as(const std::filesystem::path& previous) const;

    std::filesystem::path target_, temporary_;
    bool committed_ = false;
};

}  // namespace aureole::io
