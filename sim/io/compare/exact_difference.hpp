// Whether two files are equal bit for bit, except for what may differ between equal runs: where they were
// made (/Provenance, texts of pictures) and how long it took (names that end in _seconds or _of_ranks).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace aureole::io {

/// One line for each dataset and attribute of two HDF5 files that differs in name, type, shape or any bit,
/// and for each that only one has; none when the files are equal. Cost: one reading of both, in blocks.
std::vector<std::string> hdf5_differences(const std::filesystem::path& a, const std::filesystem::path& b);

/// One line for each column of two CSV tables whose text differs, with the first row that does, and one each
/// for names of columns, numbers of rows and rows with more or fewer cells than columns.
std::vector<std::string> csv_differences(const std::filesystem::path& a, const std::filesystem::path& b);

/// Compares HDF5 files and CSV tables as above, pictures (PNG) without their texts, .param and .txt files
/// without comments that hold provenance, and all other files byte by byte. Throws IoError for what cannot be
/// read.
std::vector<std::string> exact_differences(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace aureole::io
