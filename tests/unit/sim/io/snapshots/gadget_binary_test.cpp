#include "sim/io/snapshots/gadget_binary.hpp"

#include <limits>

#include "tests/support/files/corruption.hpp"
#include "tests/support/files/gadget_binary_writer.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test {
namespace {

using io::read_gadget_binary;

const auto read_all = [](const std::filesystem::path& file) { return read_gadget_binary(file); };

std::string label_of(std::endian order)
{
    return order == std::endian::little ? "little-endian" : "big-endian";
}

/// The message with which `file` is refused; empty when it is not.
std::string refusal(const std::filesystem::path& file)
{
    try {
        read_gadget_binary(file);
    } catch (const IoError& error) {
        return error.what();
    }
    return "";
}

class GadgetBinary : public testing::Test {
protected:
    std::filesystem::path write(const std::string& name, const std::string& bytes) const
    {
        write_bytes(folder_ / name, bytes);
        return folder_ / name;
    }
    std::string refusal_of(const std::string& bytes) const { return refusal(write("snap", bytes)); }
    static void expect_mention(const std::string& text, const std::string& part)
    {
        EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' does not mention '" << part << "'";
    }

    TemporaryFolder folder_;
};

/// The particles that GadgetBinaryFile's defaults describe: 2 gas, 3 halo and 1 star particle.
void expect_example(const Particles& p)
{
    ASSERT_EQ(p.size(), 6u);
    EXPECT_EQ(p.type.to_vector(), (std::vector<ParticleType>{0, 0, 1, 1, 1, 4}));
    EXPECT_EQ(p.id.to_vector(), (std::vector<std::uint64_t>{101, 102, 103, 104, 105, 106}));
    EXPECT_EQ(p.mass.to_vector(), (std::vector<double>{1, 1.25, 0.5, 0.5, 0.5, 2.25}));
    EXPECT_EQ(p.position.x.to_vector(), (std::vector<double>{0, 0.5, 1, 1.5, 2, 2.5}));
    EXPECT_EQ(p.position.z.to_vector(), (std::vector<double>{2, 2.5, 3, 3.5, 4, 4.5}));
    EXPECT_EQ(p.velocity.x.to_vector(), (std::vector<double>{-3, -3.5, -4, -4.5, -5, -5.5}));
    EXPECT_EQ(p.velocity.y.to_vector(), (std::vector<double>{-4, -4.5, -5, -5.5, -6, -6.5}));
}

TEST_F(GadgetBinary, EveryVariantHoldsTheSameParticles)
{
    for (const std::endian order : {std::endian::little, std::endian::big})
        for (const int format : {1, 2})
            for (const int variant : {0, 1, 2, 3, 4, 5, 6, 7}) {
                GadgetBinaryFile file;
                file.order = order;
                file.format = format;
                file.double_precision = variant & 1;
                file.long_ids = variant & 2;
                file.gadget4 = variant & 4;
                SCOPED_TRACE(testing::Message()
                             << label_of(order) << ", format " << format << ", variant " << variant);
                const auto path = write("snap", file.bytes());
                EXPECT_TRUE(io::is_gadget_binary(path));
                const io::Snapshot snapshot = read_gadget_binary(path);
                expect_example(snapshot.particles);
                EXPECT_EQ(snapshot.header.time, 0.25);
                EXPECT_FALSE(snapshot.header.units.has_value());
                EXPECT_EQ(snapshot.format, std::string(file.gadget4 ? "GADGET-4" : "Gadget") +
                                               " binary (format " + std::to_string(format) + ", " +
                                               label_of(order) + ")");
                const std::vector<std::string> dropped =
                    format == 2 ? std::vector<std::string>{"U", "HSML"}
                                : std::vector<std::string>{"gas block 5", "gas block 6"};
                EXPECT_EQ(snapshot.dropped_fields, dropped);
                EXPECT_TRUE(snapshot.notes.empty());
            }
}

TEST_F(GadgetBinary, Gadget4HeadersWithFewerOrMoreTypesAreRead)
{
    GadgetBinaryFile file;
    file.gadget4 = true;
    file.types = 8;
    expect_example(read_gadget_binary(write("snap", file.bytes())).particles);
    file.types = 2;
    file.count = file.total = {2, 3, 0, 0, 0, 0};
    EXPECT_EQ(io::count_by_type(read_gadget_binary(write("snap", file.bytes())).particles.view()),
              (std::array<std::uint64_t, 6>{2, 3, 0, 0, 0, 0}));
}

TEST_F(GadgetBinary, WithAllMassesInTheHeaderThereIsNoMassBlock)
{
    GadgetBinaryFile file;
    file.mass = {2, 0.5, 0, 0, 3, 0};
    const io::Snapshot snapshot = read_gadget_binary(write("snap", file.bytes()));
    EXPECT_EQ(snapshot.particles.mass.to_vector(), (std::vector<double>{2, 2, 0.5, 0.5, 0.5, 3}));
    EXPECT_EQ(snapshot.dropped_fields.size(), 2u);
}

TEST_F(GadgetBinary, Format2FindsItsBlocksInAnyOrder)
{
    GadgetBinaryFile file;
    file.format = 2;
    file.count = file.total = {0, 1, 0, 0, 0, 0};
    file.first = {};
    const std::string usual = file.bytes();
    const std::size_t header = 16 + 8 + 256, vector = 16 + 8 + 12;
    const std::string swapped = usual.substr(0, header) + usual.substr(header + vector, vector) +
                                usual.substr(header, vector) + usual.substr(header + 2 * vector);
    ASSERT_EQ(swapped.size(), usual.size());
    const io::Snapshot snapshot = read_gadget_binary(write("snap", swapped));
    EXPECT_EQ(snapshot.particles.position.z.host()[0], 2);
    EXPECT_EQ(snapshot.particles.velocity.x.host()[0], -3);
}

TEST_F(GadgetBinary, ComovingFollowsFromRedshiftOrOmega)
{
    GadgetBinaryFile file;
    file.redshift = -2e-16;
    EXPECT_FALSE(read_gadget_binary(write("snap", file.bytes())).header.comoving);
    file.redshift = 3;
    file.hubble = 0;
    const io::Snapshot early = read_gadget_binary(write("snap", file.bytes()));
    EXPECT_TRUE(early.header.comoving);
    EXPECT_EQ(early.header.hubble, 1);
    EXPECT_EQ(early.notes.size(), 2u);  // no HubbleParam, no BoxSize
    file.redshift = 0;
    file.omega0 = 0.3;
    file.hubble = 0.7;
    file.time = 1;
    file.box_size = 50;
    const io::Snapshot late = read_gadget_binary(write("snap", file.bytes()));
    EXPECT_TRUE(late.header.comoving);
    EXPECT_EQ(late.header.hubble, 0.7);
    EXPECT_EQ(late.header.box_size, 50);
    EXPECT_TRUE(late.notes.empty());
}

/// The example in three files, one of them empty, with the halo particles spread over two.
std::array<GadgetBinaryFile, 3> three_parts()
{
    std::array<GadgetBinaryFile, 3> parts;
    for (GadgetBinaryFile& part : parts) part.n_files = 3;
    parts[0].count = {1, 2, 0, 0, 0, 0};
    parts[1].count = {};
    parts[2].count = {1, 1, 0, 0, 1, 0};
    parts[2].first = {1, 4, 5, 5, 5, 6};
    parts[2].double_precision = true;
    return parts;
}

TEST_F(GadgetBinary, AnyPartOrTheBaseNameReadsAllParts)
{
    const auto parts = three_parts();
    for (int k = 0; k < 3; ++k)
        write("snap." + std::to_string(k), parts[static_cast<std::size_t>(k)].bytes());
    for (const std::string name : {"snap", "snap.0", "snap.1", "snap.2"}) {
        SCOPED_TRACE(name);
        const io::Snapshot snapshot = read_gadget_binary(folder_ / name);
        expect_example(snapshot.particles);
        EXPECT_EQ(snapshot.format, "Gadget binary (format 1, little-endian, 3 files)");
        EXPECT_EQ(snapshot.dropped_fields.size(), 2u);
    }
}

TEST_F(GadgetBinary, MissingRepeatedAndForeignPartsAreRefused)
{
    auto parts = three_parts();
    for (int k = 0; k < 3; ++k)
        write("snap." + std::to_string(k), parts[static_cast<std::size_t>(k)].bytes());
    std::filesystem::remove(folder_ / "snap.1");
    expect_mention(refusal(folder_ / "snap.0"), "snap.1: missing");
    write("snap.1", parts[0].bytes());
    expect_mention(refusal(folder_ / "snap"), "3 particles of type 0, the header's total is 2");
    parts[1].time = 0.5;
    write("snap.1", parts[1].bytes());
    expect_mention(refusal(folder_ / "snap"), "parts of different snapshots");
    write("lonely", parts[0].bytes());
    expect_mention(refusal(folder_ / "lonely"), "one of 3 files");
}

TEST_F(GadgetBinary, ATotalThatContradictsASingleFileIsNoted)
{
    GadgetBinaryFile file;
    file.total[1] = 30;
    file.n_files = 0;
    const io::Snapshot snapshot = read_gadget_binary(write("snap", file.bytes()));
    expect_example(snapshot.particles);
    ASSERT_EQ(snapshot.notes.size(), 1u);
    expect_mention(snapshot.notes[0], "3 particles of type 1, the header's total is 30");
}

TEST_F(GadgetBinary, RefusalsNameFileBlockAndParticle)
{
    const GadgetBinaryFile file;
    const std::string whole = file.bytes();
    const std::size_t pos = 264 + 4, vel = pos + 72 + 8, id = vel + 72 + 8, mass = id + 24 + 8;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto with = [&](std::size_t at, auto value) {
        ByteWriter changed;
        changed.put(value);
        std::string result = whole;
        return result.replace(at, changed.bytes.size(), changed.bytes);
    };
    const std::string snap = (folder_ / "snap").string();
    EXPECT_EQ(refusal_of(with(vel + 4 * (3 * 3 + 1), nan)),
              snap + ": block VEL: particle 3 (type 1, id 104) has vy = nan, expected a finite number");
    EXPECT_EQ(
        refusal_of(with(mass + 4 * 2, -1.0f)),
        snap + ": block MASS: particle 5 (type 4, id 106) has mass = -1, expected a finite number >= 0");
    EXPECT_EQ(
        refusal_of(whole.substr(0, vel + 12 * 4 + 5)),
        snap +
            ": block VEL: the file ends in particle 4 of 6 (53 of 72 bytes are there): truncated or corrupt");
    EXPECT_EQ(refusal_of(whole.substr(0, id - 4)),
              snap + ": block ID: missing, the header promises 6 particles: truncated or corrupt");
    EXPECT_EQ(refusal_of(with(pos + 72, 71)),
              snap + ": block POS: the record begins with the count 72 and ends with 71: corrupt");
    expect_mention(refusal_of(with(pos - 4, 80)),
                   "block POS: a record of 80 bytes, expected 72 or 144 (6 particles");
    expect_mention(refusal_of(with(4, -1)), "block header: 4294967295 particles of type 0");
    expect_mention(refusal_of(with(4, 4000000000u)),
                   "(4000000004 particles, 3 numbers of 4 or 8 bytes each)");
    expect_mention(refusal_of(with(4 + 124, 4000000000u)), "num_files is 4000000000");
    expect_mention(refusal_of(with(4 + 24, std::nan(""))), "block header: the mass of type 0 is nan");
    expect_mention(refusal_of(with(4 + 72, HUGE_VAL)), "block header: time is inf");
    expect_mention(refusal_of(whole + "abc"), "snap: block 7: the file ends 3 bytes after");
    EXPECT_EQ(refusal_of(whole), "");
}

TEST_F(GadgetBinary, ASnapshotWithoutParticlesIsRefused)
{
    GadgetBinaryFile file;
    file.count = file.total = {};
    expect_mention(refusal_of(file.bytes()), "holds no particles");
}

TEST_F(GadgetBinary, HugeCountsAreRefusedBeforeAnythingIsAllocated)
{
    GadgetBinaryFile file;
    file.gadget4 = true;
    for (const std::int64_t n : {std::int64_t{1} << 31, std::int64_t{1} << 32, std::int64_t{1} << 62}) {
        ByteWriter count;
        count.put(n);
        const std::string bytes = file.bytes().replace(4 + 8, 8, count.bytes);
        EXPECT_TRUE(refused(folder_ / "snap", bytes, read_all, "a huge count"));
    }
}

TEST_F(GadgetBinary, DamagedFilesAreRefusedOrReadAsFiniteNumbers)
{
    for (const int variant : {0, 1, 2, 3}) {
        GadgetBinaryFile file;
        file.format = 1 + (variant & 1);
        file.gadget4 = variant & 2;
        if (variant & 2) file.order = std::endian::big;
        const std::string whole = file.bytes();
        // cuts that fall between two blocks after the last needed one leave a whole file
        const std::size_t harmless = 2;
        EXPECT_EQ(refused_truncations(folder_ / "snap", whole, read_all), whole.size() - harmless);
        EXPECT_GT(refused_flips(folder_ / "snap", whole, read_all), whole.size() / 4);
    }
}

TEST(GadgetBinaryRealFiles, TheGalaxiesHaveTheSameBitsInBothByteOrders)
{
    AUREOLE_TEST_DATA_OR_SKIP(little_file, "galaxy/galaxy_littleendian.dat");
    AUREOLE_TEST_DATA_OR_SKIP(big_file, "galaxy/galaxy_bigendian.dat");
    const io::Snapshot little = read_gadget_binary(little_file), big = read_gadget_binary(big_file);
    EXPECT_EQ(little.format, "Gadget binary (format 1, little-endian)");
    EXPECT_EQ(big.format, "Gadget binary (format 1, big-endian)");
    EXPECT_EQ(io::count_by_type(little.particles.view()),
              (std::array<std::uint64_t, 6>{0, 40000, 20000, 0, 0, 0}));
    EXPECT_EQ(little.particles.mass.to_vector(), big.particles.mass.to_vector());
    EXPECT_EQ(little.particles.id.to_vector(), big.particles.id.to_vector());
    EXPECT_EQ(little.particles.type.to_vector(), big.particles.type.to_vector());
    for (const auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z}) {
        EXPECT_EQ((little.particles.position.*axis).to_vector(), (big.particles.position.*axis).to_vector());
        EXPECT_EQ((little.particles.velocity.*axis).to_vector(), (big.particles.velocity.*axis).to_vector());
    }
    EXPECT_FALSE(little.header.comoving);
    EXPECT_NEAR(little.particles.mass.host()[0], 0.00104634, 1e-8);
}

TEST(GadgetBinaryRealFiles, GasAndDarkMatterAtRedshiftTen)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "gadget/lcdm_gas_littleendian.dat");
    const io::Snapshot snapshot = read_gadget_binary(file);
    EXPECT_EQ(io::count_by_type(snapshot.particles.view()),
              (std::array<std::uint64_t, 6>{32768, 32768, 0, 0, 0, 0}));
    EXPECT_TRUE(snapshot.header.comoving);
    EXPECT_EQ(snapshot.header.box_size, 0);
    EXPECT_NEAR(snapshot.header.redshift, 10, 1e-12);
    EXPECT_NEAR(snapshot.particles.mass.host()[0], 4.23507638, 1e-8);
    EXPECT_NEAR(snapshot.particles.mass.host()[32768], 27.5279965, 1e-7);
    EXPECT_EQ(snapshot.dropped_fields, std::vector<std::string>{"gas block 5"});
    EXPECT_EQ(snapshot.particles.id.host()[65535], 65536u);
}

TEST(GadgetBinaryRealFiles, LongIdsAreRead)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "gadget/uniform32_z99.gadget");
    const io::Snapshot snapshot = read_gadget_binary(file);
    ASSERT_EQ(snapshot.particles.size(), 32768u);
    EXPECT_EQ(snapshot.particles.id.host()[32767], 32767u);
    EXPECT_EQ(snapshot.header.box_size, 50);
    EXPECT_TRUE(snapshot.header.comoving);
    const auto [least, greatest] = std::ranges::minmax(snapshot.particles.position.x.host());
    EXPECT_GE(least, 0);
    EXPECT_LE(greatest, 50);
}

TEST(GadgetBinaryRealFiles, ATinyNegativeRedshiftIsStillComoving)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "fof/psi_snapshot_010");
    const io::Snapshot snapshot = read_gadget_binary(file);
    ASSERT_EQ(snapshot.particles.size(), 32768u);
    EXPECT_TRUE(snapshot.header.comoving);
    EXPECT_EQ(snapshot.header.box_size, 40);
    EXPECT_EQ(snapshot.header.hubble, 0.703);
    EXPECT_EQ(snapshot.particles.id.host()[0], 32703u);
    EXPECT_NEAR(snapshot.particles.mass.host()[0], 14.96004832, 1e-8);
}

}  // namespace
}  // namespace aureole::test
