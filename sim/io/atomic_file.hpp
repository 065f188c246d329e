// Outputs that appear under their name only when they are complete: a file is written beside its final name
// and renamed at the end.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string_view>

namespace aureole::io {

/// What the name of a file that is being written ends in, behind its final name.
inline constexpr std::string_view partial_ending = ".partial";

/// Usage: open temporary() with any writer, close the writer, commit(). Leaving the scope without commit()
/// removes the temporary file and leaves what stood under the target's name as it was.
class AtomicFile {
public:
    /// Throws IoError when `target` is a folder, a device or a pipe, or its folder does not exist. Creates
    /// nothing yet, but removes what stands under the temporary name, so that a fresh file is written: not
    /// the one to which a symbolic or a hard link leads, nor a pipe that would wait for a reader.
    explicit AtomicFile(std::filesystem::path target);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    const std::filesystem::path& target() const noexcept { return target_; }
    const std::filesystem::path& temporary() const noexcept { return temporary_; }

    /// Writes the temporary file by write(stream) and closes it; commit() is left to the caller. Throws
    /// IoError with the reason of the system and the free space of the disk when not all could be written.
    void write(const std::function<void(std::ostream&)>& write) const;

    /// Renames the temporary file to the target, replacing it. Throws IoError naming both.
    void commit();

    /// As commit(), after the content has reached the disk; the file that stood under the target's name is
    /// kept as `previous`. A whole file stands under the target's name at all times, even when the power
    /// fails.
    void commit_durably(const std::filesystem::path& previous);

private:
    void keep_target_as(const std::filesystem::path& previous) const;

    std::filesystem::path target_, temporary_;
    bool committed_ = false;
};

/// Writes `text` as the whole content of `file`, which is renamed when complete. Throws IoError.
void write_text_file(const std::filesystem::path& file, std::string_view text);

}  // namespace aureole::io
