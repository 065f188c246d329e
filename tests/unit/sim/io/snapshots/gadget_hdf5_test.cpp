// Files as other codes write them, made here attribute by attribute.
#include "sim/io/snapshots/gadget_hdf5.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "sim/io/halos/catalogue_file.hpp"
#include "tests/support/files/gadget_hdf5_writer.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test {
namespace {

using io::Hdf5File;

TEST(GadgetHdf5, MassTableFloatsAndNarrowIdsAreUnderstood)
{
    const TemporaryFolder folder;
    {
        auto file = gadget_file(folder / "g.hdf5", {2, 0, 1}, {2, 0, 1}, 1, {0.5, 0, 4});
        add_type(file, 0, 1.5f, Ids{7, 4294967295u});
        add_type(file, 2, 10.5, std::vector<std::int32_t>{-2});  // 4294967294 in a signed dress
        add_column(file, "/PartType0/Density", std::vector<float>{1, 2});
    }
    const io::Snapshot s = io::read_gadget_hdf5(folder / "g.hdf5");
    EXPECT_EQ(s.format, "Gadget HDF5");
    EXPECT_EQ(s.particles.mass.to_vector(), (std::vector<double>{0.5, 0.5, 4}));
    EXPECT_EQ(s.particles.id.to_vector(), (std::vector<std::uint64_t>{7, 4294967295u, 4294967294u}));
    EXPECT_EQ(s.particles.type.to_vector(), (std::vector<ParticleType>{0, 0, 2}));
    EXPECT_EQ(s.particles.position.x.to_vector(), (std::vector<double>{1.5, 4.5, 10.5}));
    EXPECT_EQ(s.particles.velocity.z.to_vector(), (std::vector<double>{-3.5, -6.5, -12.5}));
    EXPECT_EQ(s.dropped_fields, std::vector<std::string>{"/PartType0/Density"});
    EXPECT_FALSE(s.header.units);
    EXPECT_FALSE(s.header.comoving);
}

TEST(GadgetHdf5, MissingMassesIdsAndVelocities)
{
    const TemporaryFolder folder;
    {
        auto file = gadget_file(folder / "g.hdf5", {0, 2}, {0, 2});
        add_type(file, 1, 1.0, Ids{1, 2});
    }
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_gadget_hdf5(folder / "g.hdf5"); }),
                         "g.hdf5: /PartType1 has no Masses"));
    {
        auto file = gadget_file(folder / "h.hdf5", {0, 2}, {0, 2}, 1, {0, 3});
        file.create_group("/PartType1");
        add_vectors(file, "/PartType1/Coordinates", std::vector<double>{1, 2, 3, 4, 5, 6});
    }
    const io::Snapshot s = io::read_gadget_hdf5(folder / "h.hdf5");
    EXPECT_EQ(s.particles.id.to_vector(), (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(s.particles.velocity.x.to_vector(), (std::vector<double>{0, 0}));
    ASSERT_EQ(s.notes.size(), 2u);
    EXPECT_TRUE(contains(s.notes[0], "/PartType1 has no ParticleIDs"));
    EXPECT_TRUE(contains(s.notes[1], "/PartType1 has no Velocities"));
}

TEST(GadgetHdf5, Gadget4HasFewerTypesAndKeepsUnitsInParameters)
{
    const TemporaryFolder folder;
    {
        auto file = Hdf5File::create(folder / "g4.hdf5");
        file.create_group("/Header");
        file.create_group("/Parameters");
        file.write_attribute("/Header", "NumPart_ThisFile", std::array<std::uint64_t, 2>{0, 1});
        file.write_attribute("/Header", "NumPart_Total", std::array<std::uint64_t, 2>{0, 1});
        file.write_attribute("/Header", "MassTable", std::array<double, 2>{0, 2});
        file.write_attribute("/Header", "Time", 0.25);
        file.write_attribute("/Header", "Redshift", 3.0);
        file.write_attribute("/Parameters", "UnitLength_in_cm", 3e21);
        file.write_attribute("/Parameters", "UnitMass_in_g", 2e43);
        file.write_attribute("/Parameters", "UnitVelocity_in_cm_per_s", 1e5);
        file.write_attribute("/Parameters", "Omega0", 0.3);
        file.write_attribute("/Parameters", "HubbleParam", 0.7);
        file.write_attribute("/Parameters", "ComovingIntegrationOn", std::int32_t{1});
        add_type(file, 1, 1.0f, Ids{1});
    }
    const io::SnapshotHeader header = io::read_gadget_hdf5(folder / "g4.hdf5").header;
    EXPECT_EQ(header.units, (UnitSystem{3e21, 2e43, 1e5}));
    EXPECT_EQ(header.time, 0.25);
    EXPECT_EQ(header.omega0, 0.3);
    EXPECT_EQ(header.hubble, 0.7);
    EXPECT_TRUE(header.comoving);
    EXPECT_EQ(header.velocity_a_exponent, 0.5);
}

/// A file of one particle of types 0, 1 and 2 whose /Parameters are `lengths`; at scale factor 0.5 when
/// comoving.
io::Snapshot with_softening(const std::vector<std::pair<std::string, double>>& lengths, bool comoving)
{
    const TemporaryFolder folder;
    {
        auto file = gadget_file(folder / "g.hdf5", {1, 1, 1}, {1, 1, 1}, 1, {1, 1, 1});
        for (int type = 0; type < 3; ++type)
            add_type(file, type, 1.5f, Ids{static_cast<std::uint32_t>(type)});
        if (comoving) file.write_attribute("/Header", "Redshift", 1.0);
        file.create_group("/Parameters");
        for (const auto& [name, length] : lengths) file.write_attribute("/Parameters", name, length);
    }
    return io::read_gadget_hdf5(folder / "g.hdf5");
}

TEST(GadgetHdf5, SofteningIsReadUnderTheNamesOfEachCode)
{
    using Lengths = std::array<double, 6>;
    const auto classes = with_softening({{"SofteningClassOfPartType0", 0},
                                         {"SofteningClassOfPartType1", 1},
                                         {"SofteningClassOfPartType2", 0},
                                         {"SofteningComovingClass0", 0.5},
                                         {"SofteningComovingClass1", 2}},
                                        false);
    EXPECT_EQ(classes.softening.value().length, (Lengths{0.5, 2, 0.5}));
    EXPECT_EQ(classes.softening->source, "/Parameters/SofteningComovingClass0 and others");
    const auto arepo =
        with_softening({{"SofteningTypeOfPartType1", 1}, {"SofteningComovingType1", 3}}, false);
    EXPECT_EQ(arepo.softening.value().length, (Lengths{0, 3}));
    const auto gizmo = with_softening({{"Softening_Type0", 0.25}, {"Softening_Type2", 4}}, false);
    EXPECT_EQ(gizmo.softening.value().length, (Lengths{0.25, 0, 4}));
    const auto gadget3 = with_softening({{"SofteningHalo", 6}}, false);
    EXPECT_EQ(gadget3.softening.value().length, (Lengths{0, 6}));
    EXPECT_FALSE(with_softening({{"SofteningHalo", 0}, {"Softening_Type0", -1}}, false).softening);
    EXPECT_FALSE(with_softening({}, false).softening);
}

TEST(GadgetHdf5, ALargestPhysicalSofteningLimitsTheComovingOne)
{
    const std::vector<std::pair<std::string, double>> lengths{
        {"SofteningClassOfPartType1", 0}, {"SofteningComovingClass0", 3}, {"SofteningMaxPhysClass0", 1}};
    EXPECT_EQ(with_softening(lengths, true).softening.value().length[1], 2) << "1 physical is 2 at a = 0.5";
    EXPECT_EQ(with_softening(lengths, false).softening.value().length[1], 3)
        << "no limit outside of expansion";
}

/// What SWIFT writes: seven types, length-1 arrays, a box of three sides, names of its own.
void write_swift(const std::filesystem::path& name, std::array<double, 3> box)
{
    using One = std::array<double, 1>;
    Hdf5File file = Hdf5File::create(name);
    for (const char* group : {"/Header", "/Units", "/Cosmology", "/Parameters"}) file.create_group(group);
    const std::array<std::uint64_t, 7> counts{0, 1, 0, 0, 0, 0, 2};
    file.write_attribute("/Header", "NumPart_ThisFile", counts);
    file.write_attribute("/Header", "NumPart_Total", std::array<std::uint32_t, 7>{0, 1, 0, 0, 0, 0, 2});
    file.write_attribute("/Header", "NumPart_Total_HighWord", std::array<std::uint32_t, 7>{});
    file.write_attribute("/Header", "NumFilesPerSnapshot", std::array<std::int32_t, 1>{1});
    file.write_attribute("/Header", "MassTable", std::array<double, 7>{});
    file.write_attribute("/Header", "BoxSize", box);
    file.write_attribute("/Header", "Time", One{0.0123});
    file.write_attribute("/Header", "Redshift", One{1});
    file.write_attribute("/Header", "Scale-factor", One{0.5});
    file.write_attribute("/Units", "Unit length in cgs (U_L)", One{10});
    file.write_attribute("/Units", "Unit mass in cgs (U_M)", One{20});
    file.write_attribute("/Units", "Unit time in cgs (U_t)", One{5});
    file.write_attribute("/Cosmology", "Cosmological run", std::array<std::int32_t, 1>{1});
    file.write_attribute("/Cosmology", "Omega_m", One{0.3});
    file.write_attribute("/Cosmology", "Omega_lambda", One{0.7});
    file.write_attribute("/Cosmology", "h", One{0.68});
    file.write_attribute("/Parameters", "Cosmology:h", std::string_view("0.68"));
    add_type(file, 1, 1.0, Ids{1});
    add_column(file, "/PartType1/Masses", std::vector<float>{2});
    file.write_attribute("/PartType1/Coordinates", "h-scale exponent", One{0});
    file.write_attribute("/PartType1/Velocities", "a-scale exponent", One{0});
    add_type(file, 6, 1.0, Ids{2, 3});
}

TEST(GadgetHdf5, SwiftFilesKeepTheirOwnMeaningOfUnitsAndVelocities)
{
    const TemporaryFolder folder;
    write_swift(folder / "swift.hdf5", {9, 9, 9});
    const io::Snapshot s = io::read_gadget_hdf5(folder / "swift.hdf5");
    EXPECT_EQ(s.format, "SWIFT HDF5");
    EXPECT_EQ(s.header.units, (UnitSystem{10, 20, 2}));
    EXPECT_EQ(s.header.time, 0.5);
    EXPECT_EQ(s.header.box_size, 9);
    EXPECT_EQ(s.header.hubble, 0.68);
    EXPECT_EQ(s.header.omega0, 0.3);
    EXPECT_TRUE(s.header.comoving);
    EXPECT_EQ(s.header.h_exponent, 0);
    EXPECT_EQ(s.header.velocity_a_exponent, 0);
    EXPECT_EQ(s.particles.size(), 1u);
    ASSERT_EQ(s.notes.size(), 1u);
    EXPECT_TRUE(contains(s.notes[0], "/PartType6 (2 particles)"));

    io::write_snapshot(folder / "copy_000.hdf5", s.particles,
                       {.header = s.header, .scales = {}, .provenance = {}});
    const auto copy = Hdf5File::open(folder / "copy_000.hdf5");
    EXPECT_EQ(copy.number("/PartType1/Coordinates", "h_scaling"), 0);
    EXPECT_EQ(copy.number("/PartType1/Velocities", "a_scaling"), 0);
}

TEST(GadgetHdf5, BoxesThatAreNoCubeAreRefused)
{
    const TemporaryFolder folder;
    write_swift(folder / "swift.hdf5", {1, 2, 3});
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_gadget_hdf5(folder / "swift.hdf5"); }),
                         "BoxSize of /Header is 1 x 2 x 3, expected a cube"));
}

class SeveralFiles : public testing::Test {
protected:
    void write_part(int k, std::uint32_t gas, std::uint32_t halo, double first)
    {
        auto file = gadget_file(folder / fmt::format("s_003.{}.hdf5", k), {gas, halo}, {3, 4}, 3, {1, 2});
        Ids ids;
        for (std::uint32_t i = 0; i < gas; ++i) ids.push_back(100 + 10 * k + i);
        if (gas) add_type(file, 0, first, ids);
        ids.clear();
        for (std::uint32_t i = 0; i < halo; ++i) ids.push_back(200 + 10 * k + i);
        if (halo) add_type(file, 1, first + 0.5, ids);
    }
    void write_all()
    {
        write_part(0, 1, 1, 0);
        write_part(1, 0, 3, 100);
        write_part(2, 2, 0, 200);
    }
    const TemporaryFolder folder;
};

TEST_F(SeveralFiles, AreReadTypeByTypeFromAnyPartOrTheBaseName)
{
    write_all();
    for (const char* name : {"s_003.0.hdf5", "s_003.2.hdf5", "s_003", "s_003.hdf5"}) {
        EXPECT_TRUE(io::is_hdf5(folder / name)) << name;
        EXPECT_FALSE(io::is_catalogue(folder / name)) << name;
        const io::Snapshot s = io::read_gadget_hdf5(folder / name);
        EXPECT_EQ(s.particles.id.to_vector(),
                  (std::vector<std::uint64_t>{100, 120, 121, 200, 210, 211, 212}));
        EXPECT_EQ(s.particles.mass.to_vector(), (std::vector<double>{1, 1, 1, 2, 2, 2, 2}));
        EXPECT_EQ(s.format, "Gadget HDF5, 3 files");
    }
    EXPECT_FALSE(io::is_hdf5(folder / "s_004"));
}

TEST_F(SeveralFiles, AMissingPartIsNamed)
{
    write_all();
    std::filesystem::remove(folder / "s_003.1.hdf5");
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_gadget_hdf5(folder / "s_003"); }),
                         "s_003.1.hdf5: missing"));
}

TEST_F(SeveralFiles, PartsMustAddUpAndDiffer)
{
    write_all();
    write_part(2, 1, 0, 200);
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_gadget_hdf5(folder / "s_003"); }),
                         "NumPart_Total promises 3 particles of type 0, but the 3 file(s) hold 2"));
    write_part(2, 1, 1, 200);
    write_part(1, 1, 2, 100);
    std::filesystem::copy_file(folder / "s_003.2.hdf5", folder / "s_003.0.hdf5",
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_gadget_hdf5(folder / "s_003"); }),
                         "s_003.2.hdf5: repeats the particles of"));
}

TEST_F(SeveralFiles, APartWithoutANumberInItsNameIsRefused)
{
    write_all();
    std::filesystem::rename(folder / "s_003.0.hdf5", folder / "renamed.hdf5");
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_gadget_hdf5(folder / "renamed.hdf5"); }),
                         "one of 3 files"));
}

TEST(GadgetHdf5, ErrorsNameFileDatasetAndParticle)
{
    const TemporaryFolder folder;
    const auto message = [&](const char* field, auto spoil) {
        {
            auto file = gadget_file(folder / "bad.hdf5", {0, 2}, {0, 2});
            add_type(file, 1, 1.0, Ids{41, 42});
            add_column(file, "/PartType1/Masses", std::vector<double>{1, 1});
            spoil(file.dataset(std::string("/PartType1/") + field));
        }
        return message_of<IoError>([&] { io::read_gadget_hdf5(folder / "bad.hdf5"); });
    };
    const auto put = [](std::vector<double> row) {
        return [row](io::Hdf5Dataset dataset) { dataset.write_rows(1, std::span<const double>(row)); };
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(contains(message("Coordinates", put({1, nan, 1})),
                         "bad.hdf5: /PartType1/Coordinates: particle 1 (id 42) has y component = nan"));
    EXPECT_TRUE(contains(message("Velocities", put({1, 1, 1 / 0.0})),
                         "/PartType1/Velocities: particle 1 (id 42) has z component = inf"));
    EXPECT_TRUE(
        contains(message("Masses", put({-3})), "/PartType1/Masses: particle 1 (id 42) has mass = -3"));
}

TEST(GadgetHdf5, CountsThatContradictTheDatasetsAreRefused)
{
    const TemporaryFolder folder;
    const auto message = [&](auto write) {
        write();
        return message_of<IoError>([&] { io::read_gadget_hdf5(folder / "g.hdf5"); });
    };
    EXPECT_TRUE(
        contains(message([&] {
                     auto file = gadget_file(folder / "g.hdf5", {0, 3}, {0, 3}, 1, {1, 1});
                     add_type(file, 1, 1.0, Ids{1, 2});
                 }),
                 "NumPart_ThisFile promises 3 particles of type 1, but /PartType1/Coordinates holds 2"));
    EXPECT_TRUE(contains(message([&] {
                             auto file = gadget_file(folder / "g.hdf5", {0, 2}, {0, 9}, 1, {1, 1});
                             add_type(file, 1, 1.0, Ids{1, 2});
                         }),
                         "NumPart_Total promises 9"));
    EXPECT_TRUE(contains(message([&] {
                             auto file = gadget_file(folder / "g.hdf5", {0, 2}, {0, 2}, 1, {1, 1});
                             add_type(file, 1, 1.0, Ids{1, 2});
                             add_column(file, "/PartType1/Masses", std::vector<double>{1, 2, 3});
                         }),
                         "/PartType1/Masses is [3, 1], expected [2, 1]"));
    EXPECT_TRUE(contains(message([&] {
                             auto file = gadget_file(folder / "g.hdf5", {0, 1}, {0, 1}, 1, {1, 1});
                             file.create_group("/PartType1");
                             add_column(file, "/PartType1/Coordinates", std::vector<double>{1});
                         }),
                         "has 1 values per row, expected 3"));
    EXPECT_TRUE(contains(message([&] {
                             auto file = gadget_file(folder / "g.hdf5", {0, 1}, {0, 1}, 1, {1, 1});
                             add_type(file, 1, 1.0, std::vector<double>{1.5});
                         }),
                         "/PartType1/ParticleIDs holds fractions, expected integers"));
}

TEST(GadgetHdf5, NothingIsAllocatedForRowsThatAreNotStored)
{
    const TemporaryFolder folder;
    {
        auto file = gadget_file(folder / "g.hdf5", {0, 4000000000u}, {0, 4000000000u}, 1, {1, 1});
        file.create_group("/PartType1");
        file.create_dataset("/PartType1/Coordinates", io::NumberType::f64, 4000000000u, 3);
    }
    memory::reset_peak(Backend::cpu);
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_gadget_hdf5(folder / "g.hdf5"); }),
                         "/PartType1/Coordinates was never written: 0 bytes are stored for it, expected "
                         "12000000000 numbers of 8 bytes"));
    EXPECT_EQ(memory::peak_bytes(Backend::cpu), memory::held_bytes(Backend::cpu));
}

TEST(GadgetHdf5, OtherFilesAreRefusedBySayingWhatTheyAre)
{
    const TemporaryFolder folder;
    std::ofstream(folder / "text.hdf5") << "not HDF5";
    EXPECT_FALSE(io::is_hdf5(folder / "text.hdf5"));
    EXPECT_FALSE(io::is_hdf5(folder / "absent"));
    EXPECT_THROW(io::read_gadget_hdf5(folder / "text.hdf5"), IoError);
    {
        auto file = Hdf5File::create(folder / "empty.hdf5");
    }
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_gadget_hdf5(folder / "empty.hdf5"); }),
                         "HDF5 without /Header"));
    {
        auto file = Hdf5File::create(folder / "groups.hdf5");
        file.create_group("/Header");
        file.create_group("/Group");
    }
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_gadget_hdf5(folder / "groups.hdf5"); }),
                         "a halo catalogue, expected a snapshot"));
}

TEST(GadgetHdf5, RealGadget4GlassIsReadWhole)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "gadget/glass_32.hdf5");
    const io::Snapshot s = io::read_gadget_hdf5(file);
    EXPECT_EQ(s.particles.size(), 32768u);
    EXPECT_EQ(s.header.box_size, 1);
    EXPECT_TRUE(s.header.comoving);
    EXPECT_EQ(io::count_by_type(s.particles.view())[1], 32768u);
    const auto x = s.particles.position.x.to_vector();
    EXPECT_LE(*std::ranges::max_element(x), 1);
    EXPECT_GE(*std::ranges::min_element(x), 0);
}

}  // namespace
}  // namespace aureole::test
