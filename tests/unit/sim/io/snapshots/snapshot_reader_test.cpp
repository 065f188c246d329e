#include <bit>

#include "tests/support/files/corruption.hpp"
#include "tests/support/files/gadget_binary_writer.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test {
namespace {

using io::read_snapshot;

class ReadSnapshot : public testing::Test {
protected:
    /// The message, without the folder, with which the file is refused; empty when it is not.
    std::string refusal(const std::string& name) const
    {
        try {
            read_snapshot(folder_ / name);
        } catch (const IoError& error) {
            return std::string(error.what()).substr(folder_.path().string().size() + 1);
        }
        return "";
    }
    std::string refusal(const std::string& name, const std::string& bytes) const
    {
        write_bytes(folder_ / name, bytes);
        return refusal(name);
    }

    TemporaryFolder folder_;
};

/// One dark particle at rest; `first_float` follows the header.
std::string one_tipsy_particle(double time)
{
    ByteWriter file{std::endian::big, {}};
    file.put(time);
    for (const std::int32_t number : {1, 3, 0, 1, 0, 0}) file.put(number);
    for (int c = 0; c < 9; ++c) file.put(1.0f);
    return file.bytes;
}

TEST_F(ReadSnapshot, TellsFormatsApartByContentNotByName)
{
    const auto format = [&](const std::string& bytes) {
        write_bytes(folder_ / "snapshot.hdf5", bytes);
        return read_snapshot(folder_ / "snapshot.hdf5").format;
    };
    EXPECT_EQ(format(GadgetBinaryFile{}.bytes()), "Gadget binary (format 1, little-endian)");
    EXPECT_EQ(format(one_tipsy_particle(0)), "tipsy (standard, big-endian)");
    EXPECT_EQ(format("1 1 0 0 0 0 0 0\n"), "text table");
}

TEST_F(ReadSnapshot, ATipsyTimeThatLooksLikeAGadgetMarkerDoesNotDeceive)
{
    const double time = std::bit_cast<double>(std::uint64_t{256} << 32);
    write_bytes(folder_ / "snap", one_tipsy_particle(time));
    EXPECT_EQ(read_snapshot(folder_ / "snap").format, "tipsy (standard, big-endian)");
}

TEST_F(ReadSnapshot, ADamagedFileIsRefusedByTheReaderOfItsFormat)
{
    EXPECT_EQ(
        refusal("snap", GadgetBinaryFile{}.bytes().substr(0, 300)).rfind("snap: block POS: the file ends", 0),
        0u);
    EXPECT_EQ(
        refusal("snap", one_tipsy_particle(0.5).substr(0, 60)).rfind("snap: the tipsy header promises", 0),
        0u);
    EXPECT_EQ(refusal("snap", "1 2 3\n"),
              "snap, line 1: found 3 columns, expected lines of 8 columns: id m x y z vx vy vz");
}

TEST_F(ReadSnapshot, UnknownContentIsShown)
{
    const std::string message = refusal("snap", std::string("\x7f"
                                                            "ELF\x02\x01\x00\x00",
                                                            8));
    EXPECT_EQ(
        message.rfind("snap: no known format; it begins with 7f 45 4c 46 02 01 00 00 ('.ELF....'). Known are "
                      "Gadget HDF5",
                      0),
        0u)
        << message;
    EXPECT_NE(refusal("snap", std::string("\x1f\x8b\x08\x00", 4)).find("decompress it first"),
              std::string::npos);
}

TEST_F(ReadSnapshot, MissingFilesFoldersAndEmptyFilesAreRefused)
{
    EXPECT_EQ(refusal("nowhere").rfind("nowhere: no such file, nor ", 0), 0u);
    std::filesystem::create_directory(folder_ / "folder");
    EXPECT_EQ(refusal("folder"), "folder: is a directory, expected a snapshot file");
    EXPECT_EQ(refusal("empty", ""), "empty: the file is empty");
}

TEST_F(ReadSnapshot, TheBaseNameOfSeveralFilesIsEnough)
{
    GadgetBinaryFile part;
    part.n_files = 2;
    part.count = {2, 0, 0, 0, 0, 0};
    write_bytes(folder_ / "snap.0", part.bytes());
    part.count = {0, 3, 0, 0, 1, 0};
    write_bytes(folder_ / "snap.1", part.bytes());
    const io::Snapshot snapshot = read_snapshot(folder_ / "snap");
    EXPECT_EQ(io::count_by_type(snapshot.particles.view()), (std::array<std::uint64_t, 6>{2, 3, 0, 0, 1, 0}));
    EXPECT_TRUE(snapshot.notes.empty());
}

TEST_F(ReadSnapshot, RepeatedIdsAreNoted)
{
    GadgetBinaryFile file;
    file.long_ids = true;
    file.first[4] = 1;  // the star has the second gas particle's id
    write_bytes(folder_ / "snap", file.bytes());
    const std::vector<std::string> expected{"Ids are not unique (102 occurs more than once)."};
    EXPECT_EQ(read_snapshot(folder_ / "snap").notes, expected);
    file.first[1] = std::int64_t{1} << 50;  // too far apart for a table
    write_bytes(folder_ / "snap", file.bytes());
    EXPECT_EQ(read_snapshot(folder_ / "snap").notes, expected);
    file.first[4] = 5;
    write_bytes(folder_ / "snap", file.bytes());
    EXPECT_TRUE(read_snapshot(folder_ / "snap").notes.empty());
}

TEST_F(ReadSnapshot, RepeatedIdsAreNotedInTextTablesToo)
{
    write_bytes(folder_ / "snap", "7 1 0 0 0 0 0 0\n8 1 1 0 0 0 0 0\n7 1 2 0 0 0 0 0\n");
    const io::Snapshot snapshot = read_snapshot(folder_ / "snap");
    EXPECT_EQ(snapshot.particles.size(), 3u);
    EXPECT_EQ(snapshot.notes, (std::vector<std::string>{"Ids are not unique (7 occurs more than once)."}));
}

TEST_F(ReadSnapshot, DamagedFilesAreRefusedOrReadAsFiniteNumbers)
{
    const auto all_arrays = [](const std::filesystem::path& file) { return read_snapshot(file); };
    for (const std::string& whole : {GadgetBinaryFile{}.bytes(), one_tipsy_particle(0.5)}) {
        EXPECT_GE(refused_truncations(folder_ / "snap", whole, all_arrays), whole.size() - 2);
        EXPECT_GT(refused_flips(folder_ / "snap", whole, all_arrays), 0u);
    }
}

TEST(ReadSnapshotRealFiles, EveryFileIsRecognised)
{
    const std::pair<const char*, const char*> files[] = {
        {"galaxy/galaxy_bigendian.dat", "Gadget binary (format 1, big-endian)"},
        {"gadget/lcdm_gas_littleendian.dat", "Gadget binary (format 1, little-endian)"},
        {"fof/psi_snapshot_010", "Gadget binary (format 1, little-endian)"},
        {"gadget/glass_32.hdf5", "HDF5"},
        {"tipsy/uniform32_z99.tipsy", "tipsy (native, little-endian)"},
        {"tipsy/tiny.000832", "tipsy (standard, big-endian)"},
        {"tipsy/cube300/cube300.tbin", "tipsy (standard, big-endian)"},
        {"plummer1k.in", "text table"},
    };
    for (const auto& [name, format] : files) {
        AUREOLE_TEST_DATA_OR_SKIP(file, name);
        const io::Snapshot snapshot = read_snapshot(file);
        EXPECT_NE(snapshot.format.find(format), std::string::npos) << name << ": " << snapshot.format;
        for (const std::string& note : snapshot.notes)
            EXPECT_EQ(note.find("unique"), std::string::npos) << name;
    }
}

}  // namespace
}  // namespace aureole::test
