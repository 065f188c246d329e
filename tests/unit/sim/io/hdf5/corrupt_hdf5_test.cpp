// Damaged files: an IoError or plausible data, never a crash, never memory that the file does not explain.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/sample_particles.hpp"
#include "tests/support/temporary_folder.hpp"

/// HDF5 1.10 loses a few hundred bytes whenever it meets a damaged object header: not ours to free.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

namespace aureole::test {
namespace {

void store(const std::filesystem::path& file, const std::string& bytes)
{
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

enum class Outcome { refused, read };

/// Values in which two sets of the same size differ.
std::size_t differences(const Particles& a, const Particles& b)
{
    std::size_t n = 0;
    const auto compare = [&n](const auto& x, const auto& y) {
        for (std::size_t i = 0; i < x.size(); ++i) n += x.host()[i] != y.host()[i];
    };
    compare(a.mass, b.mass);
    for (auto vector : {&Particles::position, &Particles::velocity})
        for (auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z})
            compare((a.*vector).*axis, (b.*vector).*axis);
    compare(a.id, b.id);
    compare(a.type, b.type);
    compare(a.component, b.component);
    return n;
}

/// Refused by an IoError that names the file, or read with at most one number wrong. All else fails the test.
Outcome try_to_read(const std::filesystem::path& file, const Particles& original)
{
    try {
        const io::Snapshot snapshot = io::read_gadget_hdf5(file);
        EXPECT_EQ(snapshot.particles.size(), original.size());
        EXPECT_TRUE(snapshot.notes.empty()) << snapshot.notes[0];
        if (snapshot.particles.size() == original.size()) {
            EXPECT_LE(differences(snapshot.particles, original), 1u);
        }
        return Outcome::read;
    } catch (const IoError& error) {
        EXPECT_NE(std::string(error.what()).find(file.string()), std::string::npos) << error.what();
        return Outcome::refused;
    }
}

struct Original {
    std::string bytes;
    Particles particles;
};

Original valid_snapshot(const std::filesystem::path& file)
{
    io::SnapshotContent content;
    content.provenance = {{"config", "a: 1"}};
    io::write_snapshot(file, sample_particles(50), content);
    return {bytes_of(file), io::read_gadget_hdf5(file).particles};
}

TEST(CorruptHdf5, EveryTruncationIsRefused)
{
    const TemporaryFolder folder;
    const auto file = folder / "s.hdf5";
    const auto [bytes, particles] = valid_snapshot(file);
    for (std::size_t length = 0; length < bytes.size(); length += length < 4096 ? 97 : 497) {
        store(file, bytes.substr(0, length));
        EXPECT_EQ(try_to_read(file, particles), Outcome::refused) << "cut to " << length << " bytes";
    }
    store(file, bytes.substr(0, bytes.size() - 1));
    EXPECT_EQ(try_to_read(file, particles), Outcome::refused);
}

TEST(CorruptHdf5, FlippedBytesAreRefusedOrReadAsNumbers)
{
    const TemporaryFolder folder;
    const auto file = folder / "s.hdf5";
    const auto [bytes, particles] = valid_snapshot(file);
    std::mt19937 random(20240607);
    int refused = 0;
    constexpr int trials = 300;
    for (int trial = 0; trial < trials; ++trial) {
        std::string damaged = bytes;
        const std::size_t where = random() % bytes.size();
        damaged[where] = static_cast<char>(damaged[where] ^ (1 + random() % 255));
        store(file, damaged);
        SCOPED_TRACE(testing::Message() << "byte " << where);
        refused += try_to_read(file, particles) == Outcome::refused;
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

/// More than eight names: the library keeps them in a heap and a tree ("dense" groups), and frees names that
/// it never read when it sorts the list of a damaged one.
TEST(CorruptHdf5, DamagedGroupsOfManyColumnsAreRefusedOrRead)
{
    const TemporaryFolder folder;
    const auto file = folder / "c.hdf5";
    Table groups{2, {}};
    for (int k = 0; k < 20; ++k)
        groups.columns.push_back(
            {fmt::format("Column{}", k), "A number.", {.length = 1}, 1, std::vector<double>{3, 2}});
    io::write_catalogue(file, groups, {});
    const std::string bytes = bytes_of(file);
    int refused = 0, trials = 0;
    const auto try_catalogue = [&](const std::string& damaged) {
        ++trials;
        store(file, damaged);
        try {
            EXPECT_EQ(io::read_catalogue(file).groups.rows, 2u);
        } catch (const IoError&) {
            ++refused;
        }
    };
    constexpr std::size_t step = 11;  // every structure is longer, and all bytes would take half a minute
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(~damaged[at]);
        try_catalogue(damaged);
        if (at % (8 * step) == 0) try_catalogue(std::string(bytes).replace(at, 40, 40, '\0'));
    }
    EXPECT_GT(refused, 0);
    EXPECT_LT(refused, trials);
}

constexpr const char* plain_attributes[] = {"CGSConversionFactor", "a_scaling", "h_scaling", "to_cgs",
                                            "aexp-scale-exponent"};

/// As codes write it that do not ask for checksums.
void write_plain_attributes(const std::filesystem::path& file)
{
    const io::Hdf5Handle made(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    const io::Hdf5Handle group(H5Gcreate2(made.id(), "/Group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                               H5Gclose);
    const io::Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    for (const char* name : plain_attributes) {
        const io::Hdf5Handle attribute(
            H5Acreate2(group.id(), name, H5T_NATIVE_DOUBLE, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
        const double value = 1;
        ASSERT_GE(H5Awrite(attribute.id(), H5T_NATIVE_DOUBLE, &value), 0);
    }
}

/// The library lists attributes by a table, and frees what it has not filled when one is damaged.
TEST(CorruptHdf5, DamagedAttributesWithoutChecksumsAreRefusedOrListed)
{
    const TemporaryFolder folder;
    const auto file = folder / "plain.hdf5";
    write_plain_attributes(file);
    const std::string bytes = bytes_of(file);
    std::size_t refused = 0;
    const auto damage = [&](std::size_t at) {
        store(file, std::string(bytes).replace(at, 1, 1, static_cast<char>(~bytes[at])));
        try {
            EXPECT_LE(io::Hdf5File::open(file).attribute_names("/Group").size(), 5u);
        } catch (const IoError&) {
            ++refused;
        }
    };
    const std::size_t begin = bytes.find(plain_attributes[0]), end = bytes.rfind(plain_attributes[4]);
    ASSERT_LT(begin, end);
    for (std::size_t at = begin - 16; at < std::min(end + 72, bytes.size()); ++at) damage(at);
    EXPECT_GT(refused, 0u);
}

/// HDF5 1.10 reads as far as these sizes say.
TEST(CorruptHdf5, AttributesThatAreLongerThanTheirMessageAreRefusedBeforeTheLibraryReadsThem)
{
    const TemporaryFolder folder;
    const auto file = folder / "plain.hdf5";
    write_plain_attributes(file);
    const std::string bytes = bytes_of(file);
    const auto refusal = [&](std::size_t at, char value) {
        store(file, std::string(bytes).replace(at, 1, 1, value));
        return message_of<IoError>([&] { io::Hdf5File::open(file); });
    };
    for (const std::string name : plain_attributes) {
        const std::size_t at = bytes.find(name), type = at + (name.size() + 8) / 8 * 8, space = type + 24;
        EXPECT_TRUE(contains(refusal(at - 5, 1), "has a name of 2"));  // 256 bytes and more
        EXPECT_TRUE(contains(refusal(at - 4, '\xff'), "a type of 256"));
        EXPECT_TRUE(contains(refusal(at - 1, 1), "and a shape of 264"));
        EXPECT_TRUE(contains(refusal(type + 4, 9), "1 elements of 9 bytes, and 8 bytes for them"));
        EXPECT_TRUE(contains(refusal(type, 0x16), "a type that needs more"));  // of members, not a number
        EXPECT_TRUE(contains(refusal(space + 1, 9), "a shape that needs more"));
    }
    store(file, bytes);
    EXPECT_EQ(io::Hdf5File::open(file).attribute_names("/Group").size(), 5u);
}

}  // namespace
}  // namespace aureole::test
