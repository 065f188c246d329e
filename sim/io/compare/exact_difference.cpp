#include "sim/io/compare/exact_difference.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/images/png_chunks.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"

namespace aureole::io {
namespace {

using Cells = std::vector<std::string>;

Cells cells_of(const std::string& line)
{
    Cells cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    return cells;
}

std::ifstream opened(const std::filesystem::path& file)
{
    errno = 0;
    std::ifstream in(without_waiting(file), std::ios::binary);
    if (!in) throw IoError(fmt::format("{}: cannot be read ({})", file.string(), std::strerror(errno)));
    if (std::filesystem::is_directory(file))
        throw IoError(fmt::format("{}: cannot be read: a folder, expected a file", file.string()));
    return in;
}

std::vector<std::string> byte_differences(const std::filesystem::path& a, const std::filesystem::path& b)
{
    std::ifstream in_a = opened(a), in_b = opened(b);
    std::vector<char> block_a(1 << 20), block_b(1 << 20);
    for (std::uint64_t first = 0;;) {
        in_a.read(block_a.data(), static_cast<std::streamsize>(block_a.size()));
        in_b.read(block_b.data(), static_cast<std::streamsize>(block_b.size()));
        const auto n = std::min(in_a.gcount(), in_b.gcount());
        const auto apart = std::mismatch(block_a.begin(), block_a.begin() + n, block_b.begin()).first;
        const auto equal = apart - block_a.begin();
        if (equal < n || in_a.gcount() != in_b.gcount())
            return {fmt::format("differ from byte {} on", first + static_cast<std::uint64_t>(equal))};
        if (n == 0) return {};
        first += static_cast<std::uint64_t>(n);
    }
}

/// The next line that does not begin with `comment`; false at the end.
bool next_line(std::istream& in, std::string& line, std::string_view comment)
{
    while (std::getline(in, line))
        if (!line.starts_with(comment)) return true;
    return false;
}

/// Lines that do not begin with `comment`.
std::vector<std::string> text_differences(const std::filesystem::path& a, const std::filesystem::path& b,
                                          std::string_view comment)
{
    std::ifstream in_a = opened(a), in_b = opened(b);
    std::string line_a, line_b;
    for (;;) {
        const bool more_a = next_line(in_a, line_a, comment), more_b = next_line(in_b, line_b, comment);
        if (!more_a && !more_b) return {};
        if (!more_a || !more_b) return {"one file goes on where the other ends"};
        if (line_a != line_b) return {fmt::format("lines: {} and {}", line_a, line_b)};
    }
}

}  // namespace

std::vector<std::string> csv_differences(const std::filesystem::path& a, const std::filesystem::path& b)
{
    std::ifstream in_a = opened(a), in_b = opened(b);
    std::string line_a, line_b;
    std::getline(in_a, line_a);
    std::getline(in_b, line_b);
    if (line_a != line_b) return {fmt::format("columns: {} and {}", line_a, line_b)};
    const Cells names = cells_of(line_a);
    std::vector<std::string> first(names.size());  // difference of each column
    std::string other_cells;
    std::uint64_t row = 0;
    bool more_a = false, more_b = false;
    for (;; ++row) {
        more_a = bool(std::getline(in_a, line_a));
        more_b = bool(std::getline(in_b, line_b));
        if (!more_a || !more_b) break;
        if (line_a == line_b) continue;
        Cells cells_a = cells_of(line_a), cells_b = cells_of(line_b);
        const std::size_t n_a = cells_a.size(), n_b = cells_b.size();
        if (other_cells.empty() && (n_a != n_b || n_a > names.size()))
            other_cells =
                fmt::format("cells: first in row {}, {} and {}, expected {}", row, n_a, n_b, names.size());
        cells_a.resize(names.size());
        cells_b.resize(names.size());
        for (std::size_t k = 0; k < names.size(); ++k)
            if (first[k].empty() && cells_a[k] != cells_b[k] && !names[k].ends_with("_seconds") &&
                !names[k].ends_with("_of_ranks"))
                first[k] = fmt::format("column {}: first in row {}, {} and {}", names[k], row, cells_a[k],
                                       cells_b[k]);
    }
    first.push_back(other_cells);
    std::erase(first, "");
    if (more_a != more_b) first.push_back(fmt::format("rows: {} in both, one file goes on", row));
    return first;
}

std::vector<std::string> exact_differences(const std::filesystem::path& a, const std::filesystem::path& b)
{
    for (const auto& file : {a, b}) static_cast<void>(opened(file));
    if (is_hdf5(a) && is_hdf5(b)) return hdf5_differences(a, b);
    if (is_png(a) && is_png(b)) return png_differences(a, b);
    if (a.extension() == ".csv" && b.extension() == ".csv") return csv_differences(a, b);
    if (a.extension() == ".param" && b.extension() == ".param") return text_differences(a, b, "#");
    if (a.extension() == ".txt" && b.extension() == ".txt") return text_differences(a, b, "# from ");
    return byte_differences(a, b);
}

}  // namespace aureole::io
