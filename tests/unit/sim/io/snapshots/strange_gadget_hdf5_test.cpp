// Snapshots that are whole, and not as one expects: headers that say less or other than the rest, parts of
// other snapshots, numbers of other machines.
#include <gtest/gtest.h>
#include <hdf5.h>

#include "sim/core/error.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "tests/support/files/gadget_hdf5_writer.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using io::Hdf5File;

class StrangeHeader : public testing::Test {
protected:
    /// The snapshot of a file with one particle, Omega0 = 0.3 and these attributes of /Header.
    io::Snapshot with(const std::vector<std::pair<const char*, double>>& attributes, double omega0 = 0.3)
    {
        {
            auto file = gadget_file(name_, {0, 1}, {0, 1}, 1, {0, 1});
            add_type(file, 1, 1.0, Ids{1});
            file.write_attribute("/Header", "Omega0", omega0);
            file.write_attribute("/Header", "HubbleParam", 0.7);
            for (const auto& [name, value] : attributes) file.write_attribute("/Header", name, value);
        }
        return io::read_gadget_hdf5(name_);
    }
    const TemporaryFolder folder_;
    const std::filesystem::path name_ = folder_ / "s.hdf5";
};

TEST_F(StrangeHeader, TimeAndRedshiftFollowFromEachOther)
{
    const io::Snapshot by_time = with({{"Time", 0.25}}), by_redshift = with({{"Redshift", 3}}),
                       both = with({{"Time", 0.2501}, {"Redshift", 3}});
    EXPECT_EQ(by_time.header.redshift, 3);
    EXPECT_EQ(by_redshift.header.time, 0.25);
    EXPECT_EQ(both.header.time, 0.2501);
    EXPECT_EQ(both.header.redshift, 3);
    for (const io::Snapshot* snapshot : {&by_time, &by_redshift, &both}) {
        EXPECT_TRUE(snapshot->header.comoving);
        EXPECT_EQ(snapshot->notes, std::vector<std::string>{});
    }
    EXPECT_EQ(with({{"ExpansionFactor", 0.5}, {"Redshift", 1}, {"Time", 7}}).header.time, 0.5) << "EAGLE";
}

TEST_F(StrangeHeader, WhatTheyDoNotSayIsAssumedAloud)
{
    const auto note = [&](const std::vector<std::pair<const char*, double>>& attributes) {
        const io::Snapshot snapshot = with(attributes);
        EXPECT_TRUE(snapshot.header.comoving);
        EXPECT_EQ(snapshot.header.redshift, 0);
        EXPECT_EQ(snapshot.notes.size(), 1u);
        return snapshot.notes.empty() ? "" : snapshot.notes[0];
    };
    EXPECT_EQ(note({}), "The file has no Redshift and no Time; redshift 0 was taken.");
    EXPECT_EQ(note({{"Time", 5}}),
              "The file has no Redshift and Time = 5 is no scale factor; redshift 0 was taken.");
    EXPECT_EQ(
        note({{"Time", 0.3}, {"Redshift", 0}}),
        "Time = 0.3 and Redshift = 0 contradict each other, expected Time = 1 in a comoving file; both were "
        "kept.");
    EXPECT_EQ(with({}).header.time, 1);
    EXPECT_EQ(with({{"Time", 5}}, 0).notes, std::vector<std::string>{}) << "isolated";
    EXPECT_TRUE(contains(message_of<IoError>([&] {
                             with({{"Redshift", -1}});
                         }),
                         "s.hdf5: Redshift is -1, expected more than -1"));
}

TEST_F(StrangeHeader, ComovingIntegrationMayBeSaidInTheHeader)
{
    EXPECT_FALSE(with({{"ComovingIntegrationOn", 0}, {"Time", 0.5}}).header.comoving);
    EXPECT_TRUE(with({{"ComovingIntegrationOn", 1}, {"Time", 0.5}}, 0).header.comoving);
}

TEST_F(StrangeHeader, TotalsThatWereNeverSetAreNotBelieved)
{
    const auto write = [&](const Counts& total, int n_files) {
        auto file = gadget_file(folder_ / "s.0.hdf5", {0, 2}, total, n_files, {0, 1});
        add_type(file, 1, 1.0, Ids{1, 2});
    };
    write({}, 1);
    const io::Snapshot snapshot = io::read_gadget_hdf5(folder_ / "s.0.hdf5");
    EXPECT_EQ(snapshot.particles.size(), 2u);
    EXPECT_EQ(snapshot.notes,
              std::vector<std::string>{"NumPart_Total is 0 for all types; the file's own counts were used."});
    const auto complaint = [&] {
        return message_of<IoError>([&] { io::read_gadget_hdf5(folder_ / "s.0.hdf5"); });
    };
    write({0, 3}, 1);
    EXPECT_TRUE(contains(complaint(), "promises 3 particles of type 1"));
    write({}, 2);
    std::filesystem::copy_file(folder_ / "s.0.hdf5", folder_ / "s.1.hdf5");
    EXPECT_TRUE(contains(complaint(), "promises 0 particles of type 1"));
}

TEST_F(StrangeHeader, MassesThatContradictTheTableAreUsedAloud)
{
    const auto notes = [&](const std::vector<float>& masses) {
        {
            auto file = gadget_file(name_, {0, 2}, {0, 2}, 1, {0, 0.1});
            add_type(file, 1, 1.0, Ids{1, 2});
            add_column(file, "/PartType1/Masses", masses);
        }
        const io::Snapshot snapshot = io::read_gadget_hdf5(name_);
        EXPECT_EQ(snapshot.particles.mass.to_vector(), std::vector<double>(masses.begin(), masses.end()));
        return snapshot.notes;
    };
    EXPECT_EQ(notes({0.1f, 0.1f}), std::vector<std::string>{});
    EXPECT_EQ(notes({0.1f, 0}),
              std::vector<std::string>{"/PartType1/Masses differ from MassTable's 0.1 and were used."});
}

TEST_F(StrangeHeader, MassesOfBlackHolesAreNotAmongWhatWasDropped)
{
    {
        auto file = gadget_file(name_, {0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1});
        add_type(file, 5, 1.0, Ids{1});
        add_column(file, "/PartType5/DynamicalMasses", std::vector<float>{2});
        add_column(file, "/PartType5/SubgridMasses", std::vector<float>{1});
    }
    const io::Snapshot snapshot = io::read_gadget_hdf5(name_);
    EXPECT_EQ(snapshot.particles.mass.to_vector(), std::vector<double>{2});
    EXPECT_EQ(snapshot.dropped_fields, std::vector<std::string>{"/PartType5/SubgridMasses"});
}

/// Two parts of one halo particle each, whose header differs from the usual one by `attributes`.
class StrangeParts : public testing::Test {
protected:
    void write(int k, double x, const std::vector<std::pair<const char*, double>>& attributes,
               double mass = 1)
    {
        auto file = gadget_file(folder_ / fmt::format("s.{}.hdf5", k), {0, 1}, {0, 2}, 2, {0, mass});
        for (const auto& [name, value] : attributes) file.write_attribute("/Header", name, value);
        file.create_group("/PartType1");
        add_vectors(file, "/PartType1/Coordinates", std::vector<double>{x, 1, 2});
        add_vectors(file, "/PartType1/Velocities", std::vector<float>{1, 1, 2});
    }
    io::Snapshot read() { return io::read_gadget_hdf5(folder_ / "s"); }
    std::string complaint()
    {
        return message_of<IoError>([&] { read(); });
    }
    const TemporaryFolder folder_;
};

TEST_F(StrangeParts, OfDifferentSnapshotsAreRefused)
{
    constexpr char expected[] = "s.1.hdf5: Time, Redshift, BoxSize or MassTable differ from those of";
    write(0, 1, {{"Time", 0.5}, {"Redshift", 1}});
    write(1, 2, {{"Time", 0.6}, {"Redshift", 1}});
    EXPECT_TRUE(contains(complaint(), expected));
    write(1, 2, {{"Time", 0.5}});
    EXPECT_TRUE(contains(complaint(), expected));
    write(1, 2, {{"Time", 0.5}, {"Redshift", 1}}, 3);
    EXPECT_TRUE(contains(complaint(), expected));
    write(1, 2, {{"Time", 0.5}, {"Redshift", 1}});
    EXPECT_EQ(read().particles.position.x.to_vector(), (std::vector<double>{1, 2}));
}

TEST_F(StrangeParts, ThatRepeatAnotherAreRefusedWithoutIdsToo)
{
    write(0, 1, {});
    write(1, 1, {});
    EXPECT_TRUE(contains(complaint(), "s.1.hdf5: repeats the particles of"));
}

TEST_F(StrangeParts, WithoutParticlesSayNothingOfTheNumbers)
{
    {
        auto file = gadget_file(folder_ / "s.0.hdf5", {0, 0}, {0, 1}, 2, {0, 1});
        file.write_attribute("/Header", "Redshift", 1.0);
    }
    {
        auto file = gadget_file(folder_ / "s.1.hdf5", {0, 1}, {0, 1}, 2, {0, 1});
        file.write_attribute("/Header", "Redshift", 1.0);
        add_type(file, 1, 1.0, Ids{1});
        file.write_attribute("/PartType1/Coordinates", "h-scale exponent", 0.0);
        file.write_attribute("/PartType1/Velocities", "a-scale exponent", 0.0);
    }
    const io::Snapshot snapshot = read();
    EXPECT_EQ(snapshot.header.h_exponent, 0);
    EXPECT_EQ(snapshot.header.velocity_a_exponent, 0);
}

TEST(StrangeNumbers, OfOtherMachinesAreConverted)
{
    const TemporaryFolder folder;
    {
        auto file = gadget_file(folder / "s.hdf5", {0, 2}, {0, 2}, 1, {0, 1});
        file.create_group("/PartType1");
    }
    {
        const io::Hdf5Handle file(H5Fopen((folder / "s.hdf5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
        const auto put = [&](const char* path, hid_t stored, hid_t given, hsize_t width, const void* values) {
            const std::array<hsize_t, 2> extent{2, width};
            const io::Hdf5Handle space(H5Screate_simple(width > 1 ? 2 : 1, extent.data(), nullptr), H5Sclose);
            const io::Hdf5Handle set(
                H5Dcreate2(file.id(), path, stored, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                H5Dclose);
            ASSERT_GE(H5Dwrite(set.id(), given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
        };
        const std::array<double, 6> x{0.1, 2, 3, 4, 5, 6};
        const std::array<std::int64_t, 2> ids{-1, 300};
        put("/PartType1/Coordinates", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, 3, x.data());
        put("/PartType1/Velocities", H5T_IEEE_F32BE, H5T_NATIVE_DOUBLE, 3, x.data());
        put("/PartType1/ParticleIDs", H5T_STD_I32BE, H5T_NATIVE_INT64, 1, ids.data());
        put("/PartType1/Masses", H5T_NATIVE_LDOUBLE, H5T_NATIVE_DOUBLE, 1, x.data());
    }
    const io::Snapshot s = io::read_gadget_hdf5(folder / "s.hdf5");
    EXPECT_EQ(s.particles.position.x.to_vector(), (std::vector<double>{0.1, 4}));
    EXPECT_EQ(s.particles.velocity.x.to_vector(), (std::vector<double>{double{0.1f}, 4}));
    EXPECT_EQ(s.particles.id.to_vector(), (std::vector<std::uint64_t>{4294967295, 300}));
    EXPECT_EQ(s.particles.mass.to_vector(), (std::vector<double>{0.1, 2}));
}

}  // namespace
}  // namespace aureole::test
