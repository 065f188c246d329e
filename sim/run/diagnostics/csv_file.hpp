// CSV logs: first line names the columns, doubles with 17 digits, one row at a time, flushed.
#pragma once

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
    /// there already: it goes on behind its first so many bytes, and what follows them is cut off.
    /// A symbolic link is refused: what a checkpoint or a directory names must not lead out of the directory.
    CsvFile(std::filesystem::path path, const std::vector<std::string>& columns,
            std::optional<std::uint64_t> keep = {});

    /// One row, as many values as there are columns; NaN marks a value that does not exist. Throws IoError
    /// when the disk takes it not.
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
