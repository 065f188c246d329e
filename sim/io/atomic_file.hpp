// Outputs that appear under their name only when they are complete: a file is written beside its final name
// and renamed at the end. Also what readers and writers ask of the disk: that a file can be read without
// waiting, that it is stored, and why a write failed.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

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
    /// kept as `previous`, where that is not empty. A whole file stands under the target's name at all times,
    /// even when the power fails.
    void commit_durably(const std::filesystem::path& previous);

private:
    void keep_target_as(const std::filesystem::path& previous) const;

    std::filesystem::path target_, temporary_;
    bool committed_ = false;
};

/// Writes `text` as the whole content of `file`, which is renamed when complete. Throws IoError.
void write_text_file(const std::filesystem::path& file, std::string_view text);

}  // namespace aureole::io
