#include "sim/io/snapshots/tipsy.hpp"

#include <cmath>
#include <limits>

#include "tests/support/files/corruption.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test {
namespace {

using io::read_tipsy;
const auto read_all = [](const std::filesystem::path& file) { return read_tipsy(file); };

/// A tipsy file written by hand: float c of record k is 100 k + c, masses 1 + k.
struct TipsyFile {
    std::endian order = std::endian::big;
    bool pad = true;
    std::array<std::int32_t, 3> count{2, 3, 1};
    double time = 0.5;

    std::string bytes() const
    {
        ByteWriter file{order, {}};
        file.put(time);
        file.put(count[0] + count[1] + count[2]);
        file.put(std::int32_t{3});
        for (const std::int32_t n : count) file.put(n);
        if (pad) file.put(std::int32_t{32766});
        const std::array<int, 3> widths{12, 9, 11};
        int k = 0;
        for (std::size_t kind = 0; kind < 3; ++kind)
            for (std::int32_t i = 0; i < count[kind]; ++i, ++k) {
                file.put(1.0f + static_cast<float>(k));
                for (int c = 1; c < widths[kind]; ++c) file.put(static_cast<float>(100 * k + c));
            }
        return file.bytes;
    }
};

class Tipsy : public testing::Test {
protected:
    std::filesystem::path write(const std::string& name, const std::string& bytes) const
    {
        write_bytes(folder_ / name, bytes);
        return folder_ / name;
    }
    /// The message with which the file "snap" is refused; empty when it is not.
    std::string refusal(const std::string& bytes) const
    {
        try {
            read_tipsy(write("snap", bytes));
        } catch (const IoError& error) {
            return error.what();
        }
        return "";
    }
    static void expect_mention(const std::string& text, const std::string& part)
    {
        EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' does not mention '" << part << "'";
    }

    TemporaryFolder folder_;
};

TEST_F(Tipsy, SofteningIsTheMedianEpsOfEachKind)
{
    // eps is float 7 of dark and float 9 of star records; records 2, 3 and 4 are dark, 5 is a star
    const io::Snapshot snapshot = read_tipsy(write("snap", TipsyFile{}.bytes()));
    ASSERT_TRUE(snapshot.softening.has_value());
    EXPECT_EQ(snapshot.softening->length, (std::array<double, 6>{0, 307, 0, 0, 509, 0}))
        << "hsmooth of gas differs, so it is no softening";
    EXPECT_EQ(snapshot.softening->source, "median eps of the dark records, eps of the star records");
}

TEST_F(Tipsy, StandardAndNativePaddedAndNotAreRead)
{
    for (const std::endian order : {std::endian::big, std::endian::little})
        for (const bool pad : {true, false}) {
            const auto file = write("snap", TipsyFile{order, pad}.bytes());
            EXPECT_TRUE(io::is_tipsy(file));
            const io::Snapshot snapshot = read_tipsy(file);
            const Particles& p = snapshot.particles;
            EXPECT_EQ(p.type.to_vector(), (std::vector<ParticleType>{0, 0, 1, 1, 1, 4}));
            EXPECT_EQ(p.id.to_vector(), (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6}));
            EXPECT_EQ(p.mass.to_vector(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
            EXPECT_EQ(p.position.x.to_vector(), (std::vector<double>{1, 101, 201, 301, 401, 501}));
            EXPECT_EQ(p.position.z.to_vector(), (std::vector<double>{3, 103, 203, 303, 403, 503}));
            EXPECT_EQ(p.velocity.y.to_vector(), (std::vector<double>{5, 105, 205, 305, 405, 505}));
            EXPECT_EQ(snapshot.header.time, 0.5);
            EXPECT_FALSE(snapshot.header.units.has_value());
            EXPECT_EQ(snapshot.format, order == std::endian::big ? "tipsy (standard, big-endian)"
                                                                 : "tipsy (native, little-endian)");
            EXPECT_EQ(snapshot.dropped_fields,
                      (std::vector<std::string>{"gas/rho", "gas/temp", "gas/hsmooth", "gas/metals", "gas/phi",
                                                "dark/eps", "dark/phi", "star/metals", "star/tform",
                                                "star/eps", "star/phi"}));
            ASSERT_EQ(snapshot.notes.size(), 1u);
            expect_mention(snapshot.notes[0], "no .iord");
        }
}

TEST_F(Tipsy, IdsComeFromTheIordFileBinaryOrText)
{
    const auto file = write("snap", TipsyFile{}.bytes());
    const std::vector<std::uint64_t> expected{0, 10, 20, 30, 40, 50};
    for (const std::endian order : {std::endian::big, std::endian::little}) {
        ByteWriter iord{order, {}};
        for (const std::int32_t number : {6, 0, 10, 20, 30, 40, 50}) iord.put(number);
        write("snap.iord", iord.bytes);
        EXPECT_EQ(read_tipsy(file).particles.id.to_vector(), expected);
    }
    write("snap.iord", "6\n0\n10\n20\n30\n40\n50\n");
    const io::Snapshot snapshot = read_tipsy(file);
    EXPECT_EQ(snapshot.particles.id.to_vector(), expected);
    EXPECT_TRUE(snapshot.notes.empty());
}

TEST_F(Tipsy, AnIordFileOfAnotherSnapshotIsRefused)
{
    const std::string bytes = TipsyFile{}.bytes();
    for (const char* ids :
         {"5\n0\n10\n20\n30\n40\n", "6\n0\n10\n20\n30\n40\n", "6\n0\n10\n20\n30\n40\n50\n60\n", ""}) {
        write("snap.iord", ids);
        expect_mention(refusal(bytes), "snap.iord: says ");
    }
    write("snap.iord", "6\n0\n10\n-3\n30\n40\n50\n");
    expect_mention(refusal(bytes), "snap.iord: number 3 is '-3'");
    ByteWriter iord{std::endian::big, {}};
    for (const std::int32_t number : {6, 0, 10, -20, 30, 40, 50}) iord.put(number);
    write("snap.iord", iord.bytes);
    expect_mention(refusal(bytes), "snap.iord: particle 2 has id -20");
}

TEST_F(Tipsy, TheParamFileGivesUnitsWithGOne)
{
    const auto file = write("snap.000832", TipsyFile{}.bytes());
    write("snap.param", "# a comment\n dKpcUnit = 50  # another\ndMsolUnit=+2e12\r\nbComove = 0\n");
    const io::SnapshotHeader header = read_tipsy(file).header;
    ASSERT_TRUE(header.units.has_value());
    EXPECT_DOUBLE_EQ(header.units->length_cm, 50 * kpc_cm);
    EXPECT_DOUBLE_EQ(header.units->mass_g, 2e12 * solar_mass_g);
    EXPECT_NEAR(header.units->gravitational_constant(), 1, 1e-14);
    EXPECT_FALSE(header.comoving);
    EXPECT_EQ(header.time, 0.5);
    EXPECT_EQ(header.box_size, 0);
}

TEST_F(Tipsy, AComovingPeriodicRunSaysSo)
{
    const auto file = write("snap", TipsyFile{}.bytes());
    write("snap.param",
          "dKpcUnit = 50000\ndMsolUnit = 1.57138e+16\nbComove = 1\nbPeriodic = 1\ndHubble0 = 2.89265\n"
          "dOmega0 = 0.3156\ndLambda = 0.6844\n");
    const io::SnapshotHeader header = read_tipsy(file).header;
    EXPECT_TRUE(header.comoving);
    EXPECT_EQ(header.time, 0.5);
    EXPECT_EQ(header.redshift, 1);
    EXPECT_EQ(header.box_size, 1);  // dPeriod's default
    EXPECT_EQ(header.omega0, 0.3156);
    EXPECT_EQ(header.omega_lambda, 0.6844);
    EXPECT_NEAR(header.hubble, 0.6727, 1e-4);
    EXPECT_EQ(header.h_exponent, 0);
    EXPECT_EQ(header.velocity_a_exponent, 1);
    write("snap.param", "bPeriodic = 1\ndPeriod = 3\n");
    EXPECT_EQ(read_tipsy(file).header.box_size, 3);
    write("snap.param", "bPeriodic = 1\ndxPeriod = 3\n");
    const io::Snapshot slab = read_tipsy(file);
    EXPECT_EQ(slab.header.box_size, 0);
    expect_mention(slab.notes.at(0), "only cubes are known");
}

TEST_F(Tipsy, OnlyAParamFileThatMayBelongIsUsed)
{
    const auto file = write("snap", TipsyFile{}.bytes());
    write("run.param", "dKpcUnit = 1\ndMsolUnit = 1\n");
    const io::Snapshot lone = read_tipsy(file);
    EXPECT_TRUE(lone.header.units.has_value());
    expect_mention(lone.notes.at(0), "the only .param file");
    write("run.param", "achOutName = other\nachInFile = /a/b/ics\ndKpcUnit = 1\ndMsolUnit = 1\n");
    const io::Snapshot foreign = read_tipsy(file);
    EXPECT_FALSE(foreign.header.units.has_value());
    expect_mention(foreign.notes.at(0), "names another run");
    write("run.param", "achOutName = other\nachInFile = /a/b/snap\ndKpcUnit = 1\ndMsolUnit = 1\n");
    EXPECT_TRUE(read_tipsy(file).header.units.has_value());
    write("walk.param", "dKpcUnit = 1\n");
    const io::Snapshot several = read_tipsy(file);
    EXPECT_FALSE(several.header.units.has_value());
    expect_mention(several.notes.at(0), "None of the 2 .param files");
}

TEST_F(Tipsy, WrongParametersAreRefused)
{
    const std::string bytes = TipsyFile{}.bytes();
    write("snap.param", "dKpcUnit = many\ndMsolUnit = 1\n");
    expect_mention(refusal(bytes), "snap.param: dKpcUnit is 'many', expected a finite number");
    write("snap.param", "dKpcUnit = 0\ndMsolUnit = 1\n");
    expect_mention(refusal(bytes), "snap.param: dKpcUnit is 0 and dMsolUnit 1");
    write("snap.param", "bComove = 1\n");
    expect_mention(refusal(TipsyFile{.time = -1}.bytes()), "should be a scale factor, found -1");
}

TEST_F(Tipsy, RefusalsNameFileBlockAndParticle)
{
    const std::string whole = TipsyFile{}.bytes();
    const std::string snap = (folder_ / "snap").string();
    ByteWriter nan{std::endian::big, {}};
    nan.put(std::numeric_limits<float>::infinity());
    std::string damaged = whole;
    damaged.replace(32 + 2 * 48 + 36 + 4 * 3, 4, nan.bytes);
    EXPECT_EQ(refusal(damaged),
              snap + ": block dark: particle 3 (id 4) has z = inf, expected a finite number");
    expect_mention(
        refusal(whole.substr(0, 32 + 2 * 48 + 36 + 7)),
        "the tipsy header promises 2 gas, 3 dark and 1 star particles, 280 bytes with the header; the file "
        "has 171 and ends in dark particle 1 of 3");
    expect_mention(refusal(whole + "x"), "ends behind the last particle");
    expect_mention(refusal("too short"), "no tipsy header");
}

TEST_F(Tipsy, DamagedFilesAreRefusedOrReadAsFiniteNumbers)
{
    for (const std::endian order : {std::endian::big, std::endian::little}) {
        const std::string whole = TipsyFile{order, true, {1, 2, 1}}.bytes();
        EXPECT_EQ(refused_truncations(folder_ / "snap", whole, read_all), whole.size());
        EXPECT_GE(refused_flips(folder_ / "snap", whole, read_all), 3u * 20);
    }
}

/// Five particles of all sorts in a mixed sequence; numbers that single precision holds.
Particles mixed_particles()
{
    Particles p(Backend::cpu, 5);
    const std::array<ParticleType, 5> types{4, 1, 0, 2, 0};
    for (std::size_t i = 0; i < 5; ++i) {
        const double k = static_cast<double>(i);
        p.type.host()[i] = types[i];
        p.id.host()[i] = 10 * i;
        p.mass.host()[i] = 1 + k;
        p.position.x.host()[i] = k;
        p.position.y.host()[i] = -2 * k;
        p.velocity.z.host()[i] = 0.5 * k;
        p.potential.host()[i] = -k;
    }
    return p;
}

TEST_F(Tipsy, WhatIsWrittenIsRead)
{
    const Particles p = mixed_particles();
    io::SnapshotContent content;
    content.header.units = UnitSystem{2 * kpc_cm, 3e10 * solar_mass_g, 1e5};
    content.header.time = 0.25;
    content.header.box_size = 7;
    const UnitSystem internal = *content.header.units;
    content.scales = scales_from_internal(internal, *content.header.units);
    io::write_tipsy(folder_ / "out.00001", p, content);

    const io::Snapshot snapshot = read_tipsy(folder_ / "out.00001");
    const Particles& q = snapshot.particles;
    EXPECT_EQ(snapshot.format, "tipsy (standard, big-endian)");
    EXPECT_EQ(q.type.to_vector(), (std::vector<ParticleType>{0, 0, 1, 1, 4}));
    EXPECT_EQ(q.id.to_vector(), (std::vector<std::uint64_t>{20, 40, 10, 30, 0}));
    EXPECT_EQ(q.mass.to_vector(), (std::vector<double>{3, 5, 2, 4, 1}));
    EXPECT_EQ(q.position.y.to_vector(), (std::vector<double>{-4, -8, -2, -6, 0}));
    // tipsy has G = 1, as the particles have: their velocities and time come back as they were
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_NEAR(q.velocity.z.host()[i], 0.05 * static_cast<double>(q.id.host()[i]), 1e-6);
    EXPECT_NEAR(snapshot.header.time, 0.25 / content.scales.time, 1e-12);
    EXPECT_NEAR(snapshot.header.units->length_cm / internal.length_cm, 1, 1e-12);
    EXPECT_NEAR(snapshot.header.units->mass_g / internal.mass_g, 1, 1e-12);
    EXPECT_EQ(snapshot.header.box_size, 7);
    EXPECT_FALSE(snapshot.header.comoving);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out.00001.partial"));
}

TEST_F(Tipsy, PotentialAndSofteningAreWritten)
{
    const Particles p = mixed_particles();
    io::SnapshotContent content;
    content.header.units = galactic_units;
    content.scales = scales_from_internal(galactic_units, galactic_units);
    content.potential = true;
    content.softening = {0.5, 0.25, 0.125, 0, 2, 0};
    io::write_tipsy(folder_ / "out", p, content);
    const std::string bytes = read_bytes(folder_ / "out");
    const auto real = [&](std::size_t at) {
        std::string stored = bytes.substr(at, 4);
        std::reverse(stored.begin(), stored.end());
        float value = 0;
        std::copy(stored.begin(), stored.end(), reinterpret_cast<char*>(&value));
        return value;
    };
    EXPECT_EQ(bytes.size(), 32u + 2 * 48 + 2 * 36 + 44);
    EXPECT_NEAR(real(32 + 44), -2, 1e-6);             // phi of the first gas particle, number 2
    EXPECT_EQ(real(32 + 2 * 48 + 28), 0.25f);         // eps of the first dark one, number 1
    EXPECT_EQ(real(32 + 2 * 48 + 36 + 28), 0.125f);   // eps of the disk particle, number 3
    EXPECT_EQ(real(32 + 2 * 48 + 2 * 36 + 36), 2.f);  // eps of the star
}

TEST_F(Tipsy, ComovingSnapshotsKeepTheirPhysicalNumbers)
{
    const Particles p = mixed_particles();
    io::SnapshotContent
        content;  // Gadget's conventions: lengths and masses per h, velocities v_peculiar / sqrt(a)
    content.header.units = galactic_units;
    content.header.comoving = true;
    content.header.time = 0.25;
    content.header.redshift = 3;
    content.header.hubble = 0.7;
    content.header.omega0 = 0.3;
    content.header.omega_lambda = 0.7;
    content.header.box_size = 50;
    io::write_tipsy(folder_ / "out", p, content);
    const io::Snapshot snapshot = read_tipsy(folder_ / "out");
    const io::SnapshotHeader& h = snapshot.header;
    EXPECT_TRUE(h.comoving);
    EXPECT_NEAR(h.redshift, 3, 1e-12);
    EXPECT_NEAR(h.hubble, 0.7, 1e-9);
    EXPECT_EQ(h.omega0, 0.3);
    EXPECT_NEAR(h.box_size, 50, 1e-12);
    EXPECT_NEAR(h.units->length_cm, kpc_cm / 0.7, 1e-9 * kpc_cm);
    const std::size_t i = 1;  // particle 4: velocity 2 km/s sqrt(a) is 1 km/s peculiar, a v_tipsy V
    ASSERT_EQ(snapshot.particles.id.host()[i], 40u);
    EXPECT_NEAR(0.25 * snapshot.particles.velocity.z.host()[i] * h.units->velocity_cm_per_s, 1e5, 0.1);
}

TEST_F(Tipsy, IdsBeyond32BitsAreWrittenAsText)
{
    Particles p = mixed_particles();
    p.id.host()[0] = std::uint64_t{1} << 40;
    io::SnapshotContent content;
    content.header.units = galactic_units;
    io::write_tipsy(folder_ / "out", p, content);
    EXPECT_EQ(read_tipsy(folder_ / "out").particles.id.host()[4], std::uint64_t{1} << 40);
}

TEST_F(Tipsy, NumbersTooLargeForSinglePrecisionLeaveTheOldFile)
{
    const auto file = write("out", "old");
    Particles p = mixed_particles();
    p.position.x.host()[3] = 1e300;
    io::SnapshotContent content;
    content.header.units = galactic_units;
    try {
        io::write_tipsy(file, p, content);
        FAIL() << "1e300 was written as a float";
    } catch (const IoError& error) {
        expect_mention(error.what(), "particle 3 (id 30) has x = 1e+300");
    }
    EXPECT_EQ(read_bytes(file), "old");
}

TEST(TipsyRealFiles, GasDarkAndStarsWithTheirIds)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "tipsy/tiny.000832");
    const io::Snapshot snapshot = read_tipsy(file);
    EXPECT_EQ(io::count_by_type(snapshot.particles.view()),
              (std::array<std::uint64_t, 6>{161, 3079, 0, 0, 104, 0}));
    const auto ids = snapshot.particles.id.host();
    EXPECT_EQ(ids[0], 0u);
    EXPECT_EQ(ids[1], 10000u);
    EXPECT_EQ(*std::ranges::max_element(ids), 33576194u);
    EXPECT_TRUE(snapshot.header.comoving);
    EXPECT_NEAR(snapshot.header.redshift, 1 / 0.30091858277826755 - 1, 1e-12);
    EXPECT_NEAR(snapshot.header.hubble, 0.6727, 1e-3);
    EXPECT_EQ(snapshot.header.box_size, 1);
    EXPECT_DOUBLE_EQ(snapshot.header.units->length_cm, 50000 * kpc_cm);
    EXPECT_NEAR(snapshot.particles.position.x.host()[161], 0.49454054, 1e-8);
}

TEST(TipsyRealFiles, NativeInitialConditionsLeaveAnotherRunsParamFile)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "tipsy/uniform32_z99.tipsy");
    const io::Snapshot snapshot = read_tipsy(file);
    EXPECT_EQ(snapshot.format, "tipsy (native, little-endian)");
    EXPECT_EQ(io::count_by_type(snapshot.particles.view()),
              (std::array<std::uint64_t, 6>{0, 32768, 0, 0, 0, 0}));
    EXPECT_FALSE(snapshot.header.units.has_value());
    double mass = 0;
    for (const double m : snapshot.particles.mass.host()) mass += m;
    EXPECT_NEAR(mass, 0.279, 1e-6);
}

TEST(TipsyRealFiles, APeriodicBoxWithoutUnits)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "tipsy/cube300/cube300.tbin");
    const io::Snapshot snapshot = read_tipsy(file);
    EXPECT_EQ(snapshot.particles.size(), 110592u);
    EXPECT_TRUE(snapshot.header.comoving);
    EXPECT_NEAR(snapshot.header.redshift, 19, 1e-12);
    EXPECT_EQ(snapshot.header.box_size, 1);
    EXPECT_EQ(snapshot.header.omega0, 0.3);
    EXPECT_FALSE(snapshot.header.units.has_value());
    EXPECT_LT(*std::ranges::min_element(snapshot.particles.position.z.host()), -0.5);  // to be wrapped
}

}  // namespace
}  // namespace aureole::test
