// Damaged files: an IoError or plausible data, never a crash, never memory that the file does not explain.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "../../../support/sample_particles.hpp"
#include "../../../support/temporary_folder.hpp"
#include "sim/io/catalogue_file.hpp"
#include "sim/io/gadget_hdf5.hpp"

namespace aureole::test {
namespace {

std::string bytes_of(const std::filesystem::path& file)
{
    std::ostringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    return bytes.str();
}

void store(const std::filesystem::path& file, const std::string& bytes)
{
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

enum class Outcome { refused, read };

/// Any other exception, and any particle that is not finite, fails the test.
Outcome try_to_read(const std::filesystem::path& file, std::size_t n)
{
    try {
        const io::Snapshot snapshot = io::read_gadget_hdf5(file);
        EXPECT_LE(snapshot.particles.size(), n);
        for (double x : snapshot.particles.position.x.host()) EXPECT_TRUE(std::isfinite(x));
        return Outcome::read;
    } catch (const IoError& error) {
        EXPECT_NE(std::string(error.what()).find(file.string()), std::string::npos) << error.what();
        return Outcome::refused;
    }
}

std::string valid_snapshot(const std::filesystem::path& file, std::size_t n)
{
    io::SnapshotContent content;
    content.provenance = {{"config", "a: 1"}};
    io::write_snapshot(file, sample_particles(n), content);
    return bytes_of(file);
}

TEST(CorruptHdf5, EveryTruncationIsRefused)
{
    const TemporaryFolder folder;
    const auto file = folder / "s.hdf5";
    const std::string bytes = valid_snapshot(file, 50);
    for (std::size_t length = 0; length < bytes.size(); length += length < 4096 ? 97 : 497) {
        store(file, bytes.substr(0, length));
        EXPECT_EQ(try_to_read(file, 50), Outcome::refused) << "cut to " << length << " bytes";
    }
    store(file, bytes.substr(0, bytes.size() - 1));
    EXPECT_EQ(try_to_read(file, 50), Outcome::refused);
}

TEST(CorruptHdf5, FlippedBytesAreRefusedOrReadAsNumbers)
{
    const TemporaryFolder folder;
    const auto file = folder / "s.hdf5";
    const std::string bytes = valid_snapshot(file, 50);
    std::mt19937 random(20240607);
    int refused = 0;
    constexpr int trials = 300;
    for (int trial = 0; trial < trials; ++trial) {
        std::string damaged = bytes;
        const std::size_t where = random() % bytes.size();
        damaged[where] = static_cast<char>(damaged[where] ^ (1 + random() % 255));
        store(file, damaged);
        SCOPED_TRACE(testing::Message() << "byte " << where);
        refused += try_to_read(file, 50) == Outcome::refused;
    }
    EXPECT_GT(refused, 0);
    EXPECT_LT(refused, trials);
}

TEST(CorruptHdf5, DamagedCataloguesAreRefusedOrRead)
{
    const TemporaryFolder folder;
    const auto file = folder / "c.hdf5";
    Table groups{3, {}};
    groups.columns.push_back({"GroupLen", "Members.", {}, 1, std::vector<std::int64_t>{3, 2, 1}});
    groups.columns.push_back({"GroupMass", "Mass.", {.mass = 1}, 1, std::vector<double>{3, 2, 1}});
    io::write_catalogue(file, groups, {});
    const std::string bytes = bytes_of(file);
    std::mt19937 random(7);
    const auto try_catalogue = [&file] {
        try {
            EXPECT_LE(io::read_catalogue(file).groups.rows, 3u);
        } catch (const IoError&) {
            return Outcome::refused;
        }
        return Outcome::read;
    };
    for (int trial = 0; trial < 60; ++trial) {
        std::string damaged = bytes;
        damaged[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
        store(file, damaged);
        try_catalogue();
        store(file, bytes.substr(0, random() % bytes.size()));
        EXPECT_EQ(try_catalogue(), Outcome::refused);
    }
}

}  // namespace
}  // namespace aureole::test
