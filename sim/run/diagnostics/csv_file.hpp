// CSV logs: the first line names the columns; rows have 17 digits and are flushed one by one.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace aureole::run {

/// Keeps the first `bytes` of a log. Throws IoError when it is not there, shorter, or a symbolic link.
void cut_back(const std::filesystem::path& log, std::uint64_t bytes);

class CsvFile {
public:
    /// Creates the file and writes the header line; throws IoError naming the file. With `keep` the file is
    /// there already: rows are appended behind its first `keep` bytes, and what follows them is cut off.
    /// A symbolic link is refused: what a checkpoint or a directory names must not lead out of the directory.
    CsvFile(std::filesystem::path path, const std::vector<std::string>& columns,
            std::optional<std::uint64_t> keep = {});

    /// One row, as many values as there are columns; NaN marks a value that does not exist. Throws IoError
    /// when it cannot be written.
    void add(std::span<const double> values);

    std::uint64_t bytes() const { return bytes_; }  ///< written so far

    /// Waits until all rows are on the disk.
    void sync() const;

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    void write(const std::string& line);
    void expect_to_continue(const std::string& header, std::uint64_t keep) const;

    std::filesystem::path path_;
    std::size_t columns_;
    std::uint64_t bytes_ = 0;
    std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace aureole::run
