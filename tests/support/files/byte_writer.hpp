// Files written by hand, number by number, in either byte order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace aureole::test {

struct ByteWriter {
    std::endian order = std::endian::little;
    std::string bytes;

    template <class T>
    void put(T value)
    {
        auto stored = std::bit_cast<std::array<char, sizeof(T)>>(value);
        if (order != std::endian::native) std::reverse(stored.begin(), stored.end());
        bytes.append(stored.data(), stored.size());
    }
};

inline void write_bytes(const std::filesystem::path& file, const std::string& bytes)
{
    std::filesystem::remove(file);  // overwriting makes some file systems wait for the disk
    std::ofstream(file, std::ios::binary) << bytes;
}

inline std::string read_bytes(const std::filesystem::path& file)
{
    std::ostringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    return bytes.str();
}

}  // namespace aureole::test
