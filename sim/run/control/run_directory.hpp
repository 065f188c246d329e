// The directory that a run writes to: which files in it belong to runs, and the lock that keeps it to one
// run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "sim/config/config.hpp"

namespace aureole::run {

/// The complete configuration of a run, in its directory.
inline constexpr char resolved_configuration_name[] = "config.resolved.yaml";

/// The files that a run reads, where `config` names them; none of them is empty.
std::vector<std::filesystem::path*> input_files(Config& config);

/// Whether a file of that name is one that runs write.
bool is_output_of_a_run(const std::string& name);

/// Refuses a directory that cannot take the outputs of a new run: no directory, not empty without
/// `overwrite`, or one whose outputs, about to be replaced, are the run's own input. Paths with control
/// characters, of the directory or of inputs, are refused with ConfigError.
void expect_usable(const std::filesystem::path& directory, const Config& config, bool overwrite);

/// While an object lives, another run in the same directory is refused, in any process.
class DirectoryLock {
public:
    /// Makes the directory when there is none. Throws IoError when another run is going on in it.
    explicit DirectoryLock(std::filesystem::path directory);
    ~DirectoryLock();

    const std::filesystem::path& directory() const noexcept { return directory_; }

    /// Throws IoError when the lock's file is gone or another one: the directory was removed, or another run
    /// has it now.
    void expect_held() const;

    DirectoryLock(const DirectoryLock&) = delete;
    DirectoryLock& operator=(const DirectoryLock&) = delete;

private:
    bool held() const;

    std::filesystem::path directory_, file_;
    int handle_ = -1;
};

/// The number that the file system has given to the lock of `directory`, the same for all who see that file
/// (st_ino); 0 where there is none.
std::uint64_t lock_number(const std::filesystem::path& directory);

/// Whether there is a file in `directory` that runs write.
bool holds_outputs(const std::filesystem::path& directory);

/// Removes the outputs of an earlier run, with those that it was writing when it was killed, and nothing
/// else.
void clear_outputs(const std::filesystem::path& directory);

/// Removes what a run wrote after the checkpoint from which it continues: outputs with the number `first` and
/// above, and files that were being written.
void remove_outputs_from(const std::filesystem::path& directory, unsigned first);

/// Waits until outputs with numbers from `first` to below `end`, and those that grow, are on the disk. A
/// checkpoint that counts them as done must not survive a crash that loses them.
void sync_outputs(const std::filesystem::path& directory, unsigned first, unsigned end);

/// Writes a small text file, which is either complete or absent.
void write_text(const std::filesystem::path& path, const std::string& text);

}  // namespace aureole::run
