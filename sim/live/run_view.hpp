// What a page shows of a run, past or under way: read from its directory, in which nothing is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace aureole::live {

/// Rows of a log: its header line first, whole lines only.
struct LogRows {
    std::string text;
    std::uint64_t next = 0;    ///< byte behind the last row, from which more will be read
    std::uint64_t stride = 1;  ///< one row in so many is in the text, and the last one
};

/// One picture, as a file.
struct PictureFile {
    std::string png;
    std::string time;  ///< with its unit; empty where the file does not tell
};

/// Throws IoError for a directory that does not exist or in which nothing is the output of a run.
void expect_run(const std::filesystem::path& directory);

class RunView {
public:
    explicit RunView(std::filesystem::path directory) : directory_(std::move(directory)) {}

    const std::filesystem::path& directory() const { return directory_; }

    /// What there is, as JSON: name and directory; `progress` as the run wrote it, and whether its process
    /// lives (null: cannot be known); units; numbers of pictures and snapshots as ranges [first, last]; bytes
    /// of the logs. The text changes when something of it does. A directory that is gone gives `gone: true`.
    std::string state();

    /// Rows of a log from the byte `from` on; at most some `most` rows, evenly chosen, the last one always.
    /// Nothing for other names and logs that are not there. What is cut off, because it is being written, is
    /// left for the next time.
    std::optional<LogRows> rows(const std::string& log, std::uint64_t from, std::uint64_t most) const;

    /// projection_NUMBER.png; nothing where there is none.
    std::optional<PictureFile> picture(unsigned number) const;

    /// The snapshot with this number, in any format that runs write; empty where there is none.
    std::filesystem::path snapshot(unsigned number) const;

private:
    void read_configuration();

    std::filesystem::path directory_;
    std::optional<std::filesystem::file_time_type> configuration_time_;
    std::string configuration_ = "null";  ///< JSON
};

}  // namespace aureole::live
