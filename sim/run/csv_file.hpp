// CSV logs: first line names the columns, doubles with 17 digits, one row at a time, flushed.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace aureole::run {

class CsvFile {
public:
    /// Creates the file and writes the header line; throws IoError naming the file.
    CsvFile(std::filesystem::path path, const std::vector<std::string>& columns);

    /// One row, as many values as there are columns; NaN marks a value that does not exist. Throws IoError
    /// when the disk takes it not.
    void add(std::span<const double> values);

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::filesystem::path path_;
    std::size_t columns_;
    std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace aureole::run
