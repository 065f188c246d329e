// Every way to damage a small file: cut at every length, every byte flipped. A reader may refuse or return
// finite numbers; it may not crash, and it may not allocate more than the file explains.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/support/files/byte_writer.hpp"

namespace aureole::test {

using Reader = std::function<io::Snapshot(const std::filesystem::path&)>;

/// Whether the damaged file was refused; anything else than IoError or finite particles fails the test.
inline bool refused(const std::filesystem::path& file, const std::string& bytes, const Reader& read,
                    const std::string& damage)
{
    write_bytes(file, bytes);
    const std::size_t before = memory::held_bytes(Backend::cpu);
    memory::reset_peak(Backend::cpu);
    bool result = false;
    try {
        expect_finite(read(file).particles, damage);
    } catch (const IoError& error) {
        result = true;
        EXPECT_NE(std::string(error.what()).find(file.filename().string()), std::string::npos)
            << damage << ": the message names no file: " << error.what();
    } catch (const std::exception& error) {
        ADD_FAILURE() << damage << ": " << error.what();
    }
    // the shortest particle of any format is 16 bytes of text, and none takes more than this many in memory
    EXPECT_LE(memory::peak_bytes(Backend::cpu) - before,
              (bytes.size() / 16 + 1) * Particles::bytes_per_particle())
        << damage;
    return result;
}

/// How many of the lengths 0 ... size - 1 are refused.
inline std::size_t refused_truncations(const std::filesystem::path& file, const std::string& whole,
                                       const Reader& read)
{
    std::size_t count = 0;
    for (std::size_t length = 0; length < whole.size(); ++length)
        count += refused(file, whole.substr(0, length), read, "cut to " + std::to_string(length) + " bytes");
    return count;
}

/// How many of the files with one byte inverted (mask 0xff), or one of its bits flipped, are refused.
inline std::size_t refused_flips(const std::filesystem::path& file, const std::string& whole,
                                 const Reader& read)
{
    std::size_t count = 0;
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const int mask : {0xff, 0x01, 0x80}) {
            std::string damaged = whole;
            damaged[at] = static_cast<char>(damaged[at] ^ mask);
            count += refused(file, damaged, read, "byte " + std::to_string(at) + " changed");
        }
    return count;
}

}  // namespace aureole::test
