#include "sim/io/snapshots/snapshot_writer.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "sim/io/compare/exact_difference.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/sample_particles.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

void expect_same(const Particles& found, const Particles& expected)
{
    EXPECT_EQ(found.id.to_vector(), expected.id.to_vector());
    EXPECT_EQ(found.type.to_vector(), expected.type.to_vector());
    EXPECT_EQ(found.mass.to_vector(), expected.mass.to_vector());
    EXPECT_EQ(found.position.x.to_vector(), expected.position.x.to_vector());
    EXPECT_EQ(found.position.y.to_vector(), expected.position.y.to_vector());
    EXPECT_EQ(found.position.z.to_vector(), expected.position.z.to_vector());
    EXPECT_EQ(found.velocity.x.to_vector(), expected.velocity.x.to_vector());
    EXPECT_EQ(found.velocity.y.to_vector(), expected.velocity.y.to_vector());
    EXPECT_EQ(found.velocity.z.to_vector(), expected.velocity.z.to_vector());
    EXPECT_EQ(found.component.to_vector(), expected.component.to_vector());
}

TEST(WriteSnapshot, EveryFieldAndTypeComesBackBitForBit)
{
    const TemporaryFolder folder;
    for (std::size_t n : {1u, 2u, 3u, 200u, 70000u}) {  // 70000: more than one block of rows
        const Particles p = sample_particles(n);
        io::write_snapshot(folder / "snapshot_000.hdf5", p, galactic_content());
        const io::Snapshot back = io::read_gadget_hdf5(folder / "snapshot_000.hdf5");
        expect_same(back.particles, p.gathered(type_order(p)));
        EXPECT_EQ(back.format, "Gadget HDF5 (Aureole)");
        EXPECT_TRUE(back.notes.empty());
        EXPECT_TRUE(back.dropped_fields.empty());
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "snapshot_000.hdf5.partial"));
}

TEST(WriteSnapshot, CompressedOnesHoldTheSameBitsInFewerBytes)
{
    const TemporaryFolder folder;
    for (std::size_t n : {1u, 16384u, 16385u, 70000u}) {  // a chunk of rows, one more, and more than a block
        const Particles p = sample_particles(n);
        io::SnapshotContent content = galactic_content();
        io::write_snapshot(folder / "plain.hdf5", p, content);
        content.compress = true;
        io::write_snapshot(folder / "packed.hdf5", p, content);
        io::write_snapshot(folder / "again.hdf5", p, content);
        expect_same(io::read_gadget_hdf5(folder / "packed.hdf5").particles,
                    io::read_gadget_hdf5(folder / "plain.hdf5").particles);
        if (n > 1) {
            EXPECT_LT(std::filesystem::file_size(folder / "packed.hdf5"),
                      std::filesystem::file_size(folder / "plain.hdf5"));
        }
        EXPECT_TRUE(io::hdf5_differences(folder / "packed.hdf5", folder / "again.hdf5").empty());
    }
}

TEST(WriteSnapshot, ScalesTurnInternalNumbersIntoTheFiles)
{
    const TemporaryFolder folder;
    Particles p(Backend::cpu, 1);
    p.mass.host()[0] = 3;
    p.position.y.host()[0] = 5;
    p.velocity.z.host()[0] = 7;
    p.potential.host()[0] = -11;
    io::SnapshotContent content = galactic_content();
    content.scales = scales_from_internal(galactic_units, galactic_units);
    content.potential = true;
    io::write_snapshot(folder / "s_000.hdf5", p, content);
    const auto file = io::Hdf5File::open(folder / "s_000.hdf5");
    EXPECT_NEAR(file.values<double>("/PartType1/Masses")[0], 3, 1e-12);
    EXPECT_NEAR(file.values<double>("/PartType1/Coordinates")[1], 5, 1e-12);
    EXPECT_NEAR(file.values<double>("/PartType1/Velocities")[2], 7 * 207.417, 0.01);
    EXPECT_NEAR(file.values<double>("/PartType1/Potential")[0], -11 * 43021.93, 1);
}

TEST(WriteSnapshot, ARunWithGOneIsRecognisedAndItsNumbersComeBack)
{
    const TemporaryFolder folder;
    const Particles p = sample_particles(2000);
    io::SnapshotContent content = galactic_content();
    content.scales = scales_from_internal(galactic_units, galactic_units);
    content.header.time = 21 * content.scales.time;
    content.provenance = {{"Units", io::nbody_units_text}};
    io::write_snapshot(folder / "s_000.hdf5", p, content);
    const io::Snapshot stored = io::read_gadget_hdf5(folder / "s_000.hdf5");
    ASSERT_TRUE(stored.header.nbody_scales);
    EXPECT_EQ(stored.header.nbody_scales->velocity, content.scales.velocity);
    EXPECT_EQ(stored.header.units, galactic_units);
    io::Snapshot restored = io::read_gadget_hdf5(folder / "s_000.hdf5");
    io::restore_nbody_numbers(restored);
    EXPECT_DOUBLE_EQ(restored.header.time, 21);
    const Particles expected = p.gathered(type_order(p));
    EXPECT_EQ(restored.particles.position.x.to_vector(), expected.position.x.to_vector());
    for (std::size_t i = 0; i < p.size(); ++i) {
        const double found = restored.particles.velocity.y.host()[i];
        EXPECT_DOUBLE_EQ(found, expected.velocity.y.host()[i]);
        // so that `find` writes the velocities that it read
        EXPECT_EQ(found * content.scales.velocity, stored.particles.velocity.y.host()[i]);
    }
}

TEST(WriteSnapshot, OnlyFilesThatSaySoAndHaveScalesAreOfARunWithGOne)
{
    const TemporaryFolder folder;
    const auto scales_of = [&](const char* units, double velocity_scale) {
        io::SnapshotContent content = galactic_content();
        content.scales.velocity = velocity_scale;
        content.provenance = {{"Units", units}};
        io::write_snapshot(folder / "s_000.hdf5", sample_particles(2), content);
        return io::read_gadget_hdf5(folder / "s_000.hdf5").header.nbody_scales;
    };
    EXPECT_TRUE(scales_of(io::nbody_units_text, 2));
    EXPECT_FALSE(scales_of("physical", 2));
    for (const double impossible : {0.0, -2.0, 1e-200, 1e200})
        EXPECT_FALSE(scales_of(io::nbody_units_text, impossible)) << impossible;
    EXPECT_THROW(scales_of(io::nbody_units_text, std::numeric_limits<double>::infinity()), IoError);
}

TEST(WriteSnapshot, HeaderComesBack)
{
    const TemporaryFolder folder;
    io::SnapshotContent content;
    content.header = {.time = 0.5,
                      .redshift = 1,
                      .box_size = 50000,
                      .omega0 = 0.3,
                      .omega_lambda = 0.7,
                      .omega_baryon = 0.045,
                      .hubble = 0.7,
                      .comoving = true,
                      .units = UnitSystem{1, 2, 4},
                      .h_exponent = -1,
                      .velocity_a_exponent = 0.5};
    io::write_snapshot(folder / "s_000.hdf5", sample_particles(5), content);
    const io::SnapshotHeader back = io::read_gadget_hdf5(folder / "s_000.hdf5").header;
    EXPECT_EQ(back.time, 0.5);
    EXPECT_EQ(back.redshift, 1);
    EXPECT_EQ(back.box_size, 50000);
    EXPECT_EQ(back.omega0, 0.3);
    EXPECT_EQ(back.omega_lambda, 0.7);
    EXPECT_EQ(back.omega_baryon, 0.045);
    EXPECT_EQ(back.hubble, 0.7);
    EXPECT_TRUE(back.comoving);
    EXPECT_EQ(back.units, (UnitSystem{1, 2, 4}));
}

TEST(WriteSnapshot, IsolatedFilesHaveNoCosmology)
{
    const TemporaryFolder folder;
    io::SnapshotContent content;  // units unset: galactic
    content.header.hubble = 0.7;
    content.header.redshift = -2e-16;
    content.header.time = 2;
    io::write_snapshot(folder / "s_000.hdf5", sample_particles(5), content);
    const auto file = io::Hdf5File::open(folder / "s_000.hdf5");
    EXPECT_EQ(file.number("/Header", "HubbleParam"), 1);
    EXPECT_EQ(file.number("/Header", "Redshift"), 0);
    EXPECT_EQ(file.number("/PartType0/Velocities", "a_scaling"), 0);
    EXPECT_EQ(file.number("/PartType0/Coordinates", "h-scale-exponent"), 0);
    EXPECT_EQ(file.number("/Units", "UnitLength_in_cm"), kpc_cm);
    // 1 kpc / (km/s) is 0.977792 Gyr
    EXPECT_NEAR(file.number("/Parameters", "Time_GYR"), 2 * 0.977792, 1e-5);
    EXPECT_FALSE(io::read_gadget_hdf5(folder / "s_000.hdf5").header.comoving);
}

TEST(WriteSnapshot, ComovingFilesStateExponentsAndTheAgeOfTheUniverse)
{
    const TemporaryFolder folder;
    io::SnapshotContent content = galactic_content();
    content.potential = true;
    content.header.comoving = true;
    content.header.omega0 = 1;  // Einstein-de Sitter: age 2/3 a^(3/2) / H0
    content.header.hubble = 0.5;
    content.header.redshift = 3;
    io::write_snapshot(folder / "s_000.hdf5", sample_particles(5), content);
    const auto file = io::Hdf5File::open(folder / "s_000.hdf5");
    const auto exponents = [&file](const std::string& field) {
        return std::pair(file.number("/PartType1/" + field, "a_scaling"),
                         file.number("/PartType1/" + field, "h_scaling"));
    };
    EXPECT_EQ(exponents("Coordinates"), std::pair(1., -1.));
    EXPECT_EQ(exponents("Velocities"), std::pair(0.5, 0.));
    EXPECT_EQ(exponents("Masses"), std::pair(0., -1.));
    EXPECT_EQ(exponents("Potential"), std::pair(-1., 0.));
    EXPECT_NEAR(file.number("/Parameters", "Time_GYR"), 2.0 / 3 / 8 * 9.777922 / 0.5, 1e-4);
}

TEST(WriteSnapshot, FlatLambdaCosmologyHasTheTextbookAge)
{
    // Peebles (1993): t = 2 / (3 H0 sqrt(omega_l)) asinh(sqrt(omega_l / omega_m))
    const TemporaryFolder folder;
    io::SnapshotContent content = galactic_content();
    content.header.comoving = true;
    content.header.omega0 = 0.3;
    content.header.omega_lambda = 0.7;
    content.header.hubble = 0.7;
    io::write_snapshot(folder / "s_000.hdf5", sample_particles(2), content);
    const double expected = 2.0 / 3 / std::sqrt(0.7) * std::asinh(std::sqrt(0.7 / 0.3)) * 9.777922 / 0.7;
    EXPECT_NEAR(io::Hdf5File::open(folder / "s_000.hdf5").number("/Parameters", "Time_GYR"), expected, 1e-4);
}

TEST(WriteSnapshot, OpenCosmologyHasTheTextbookAge)
{
    // Kolb & Turner (1990), eq. 3.27 without a cosmological constant
    const TemporaryFolder folder;
    io::SnapshotContent content = galactic_content();
    content.header.comoving = true;
    content.header.omega0 = 0.3;
    io::write_snapshot(folder / "s_000.hdf5", sample_particles(2), content);
    const double expected = 9.777922 * (1 / 0.7 - 0.3 / (2 * std::pow(0.7, 1.5)) * std::acosh(2 / 0.3 - 1));
    EXPECT_NEAR(io::Hdf5File::open(folder / "s_000.hdf5").number("/Parameters", "Time_GYR"), expected, 1e-4);
}

TEST(WriteSnapshot, GroupNumbersAreStoredAndDroppedOnReading)
{
    const TemporaryFolder folder;
    const Particles p = sample_particles(6);  // types 1 0 4 1 0 4
    const std::vector<std::int32_t> group{5, -1, 3, 0, 1, -1};
    io::SnapshotContent content = galactic_content();
    content.group = group;
    io::write_snapshot(folder / "s_000.hdf5", p, content);
    const auto file = io::Hdf5File::open(folder / "s_000.hdf5");
    EXPECT_EQ(file.values<std::int32_t>("/PartType0/FOFGroupIDs"), (std::vector<std::int32_t>{-1, 1}));
    EXPECT_EQ(file.values<std::int32_t>("/PartType1/FOFGroupIDs"), (std::vector<std::int32_t>{5, 0}));
    EXPECT_EQ(file.values<std::int32_t>("/PartType4/FOFGroupIDs"), (std::vector<std::int32_t>{3, -1}));
    EXPECT_EQ(io::read_gadget_hdf5(folder / "s_000.hdf5").dropped_fields,
              (std::vector<std::string>{"/PartType0/FOFGroupIDs", "/PartType1/FOFGroupIDs",
                                        "/PartType4/FOFGroupIDs"}));
    const std::vector<std::int32_t> short_group{1};
    content.group = short_group;
    EXPECT_THROW(io::write_snapshot(folder / "t.hdf5", p, content), Error);
}

TEST(WriteSnapshot, OneComponentNeedsNoComponentIds)
{
    const TemporaryFolder folder;
    Particles p = sample_particles(6);
    std::ranges::fill(p.component.host(), Component{0});
    io::write_snapshot(folder / "s_000.hdf5", p, galactic_content());
    EXPECT_FALSE(io::Hdf5File::open(folder / "s_000.hdf5").has_dataset("/PartType1/ComponentIDs"));
}

TEST(WriteSnapshot, SofteningsBecomeClassesWithHalosFirst)
{
    const TemporaryFolder folder;
    io::SnapshotContent content = galactic_content();
    content.softening = {0.5, 0.1, 0, 0, 0.1, 0};
    content.scales.length = 10;
    io::write_snapshot(folder / "s_000.hdf5", sample_particles(6), content);
    const auto file = io::Hdf5File::open(folder / "s_000.hdf5");
    EXPECT_EQ(file.number("/Parameters", "SofteningClassOfPartType1"), 0);
    EXPECT_EQ(file.number("/Parameters", "SofteningClassOfPartType4"), 0);
    EXPECT_EQ(file.number("/Parameters", "SofteningClassOfPartType0"), 1);
    EXPECT_EQ(file.number("/Parameters", "SofteningComovingClass0"), 1);
    EXPECT_EQ(file.number("/Parameters", "SofteningMaxPhysClass1"), 5);
}

TEST(WriteSnapshot, ProvenanceOfAnyLengthComesBack)
{
    const TemporaryFolder folder;
    io::SnapshotContent content = galactic_content();
    const std::string long_text(100000, 'x');  // longer than an attribute of old HDF5 could be
    content.provenance = {{"config", long_text}, {"empty", ""}, {"version", "1 (ä)"}};
    io::write_snapshot(folder / "s_000.hdf5", sample_particles(1), content);
    const io::Provenance back = io::read_provenance(folder / "s_000.hdf5");
    const auto text = [&back](const std::string& name) {
        for (const auto& [key, value] : back)
            if (key == name) return value;
        return std::string("absent");
    };
    EXPECT_EQ(text("config"), long_text);
    EXPECT_EQ(text("empty"), "");
    EXPECT_EQ(text("version"), "1 (ä)");
    EXPECT_EQ(text("FileLengthPerInternal"), "1");
}

TEST(WriteSnapshot, AFailedWriteKeepsTheOldFile)
{
    const TemporaryFolder folder;
    io::write_snapshot(folder / "s_000.hdf5", sample_particles(3), galactic_content());
    Particles p = sample_particles(4);
    p.type.host()[2] = 9;
    EXPECT_THROW(io::write_snapshot(folder / "s_000.hdf5", p, galactic_content()), Error);
    EXPECT_EQ(io::read_gadget_hdf5(folder / "s_000.hdf5").particles.size(), 3u);
    EXPECT_FALSE(std::filesystem::exists(folder / "s_000.hdf5.partial"));
    EXPECT_TRUE(contains(message_of<IoError>([&] {
                             io::write_snapshot(folder / "missing/s_000.hdf5", p, galactic_content());
                         }),
                         "missing"));
}

}  // namespace
}  // namespace aureole::test
