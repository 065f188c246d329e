// Tables of numbers in text files, gzipped or plain. zlib comes with libpng.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace aureole::test {

using Table = std::vector<std::vector<double>>;

/// The rows of at least `columns` numbers; comments (#) and shorter rows are left out.
inline Table read_table(const std::filesystem::path& path, std::size_t columns)
{
    std::string text;
    gzFile file = gzopen(path.c_str(), "rb");
    if (!file) {
        ADD_FAILURE() << "cannot open " << path;
        return {};
    }
    std::vector<char> piece(1 << 16);
    for (int n; (n = gzread(file, piece.data(), static_cast<unsigned>(piece.size()))) > 0;)
        text.append(piece.data(), static_cast<std::size_t>(n));
    gzclose(file);

    Table table;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::vector<double> row;
        const char* at = line.c_str();
        for (char* next;; at = next) {
            const double x = std::strtod(at, &next);
            if (next == at) break;
            row.push_back(x);
        }
        if (row.size() >= columns) table.push_back(row);
    }
    return table;
}

}  // namespace aureole::test
