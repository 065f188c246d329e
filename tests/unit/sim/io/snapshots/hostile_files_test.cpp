// Files that are well-formed and mean harm: more memory than they explain, endless reading, ways out of the
// folder. What a fuzzer finds in the rest is kept in tests/fuzz/corpus.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <fstream>
#include <functional>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/compare/exact_difference.hpp"
#include "sim/io/fields/coefficient_file.hpp"
#include "sim/io/fields/point_table.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/snapshots/tipsy_layout.hpp"
#include "tests/support/files/byte_writer.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/sample_particles.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using io::Hdf5File, io::Hdf5Handle;

/// A dataset of `type`, [rows, width], of which one row is written, in chunks of so many rows that are
/// deflated twice.
void add_chunked(hid_t file, const char* path, std::array<hsize_t, 2> extent, hsize_t chunk_rows,
                 hid_t type = H5T_NATIVE_DOUBLE)
{
    const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const std::array<hsize_t, 2> chunk{chunk_rows, extent[1]}, most{H5S_UNLIMITED, extent[1]};
    H5Pset_chunk(properties.id(), 2, chunk.data());
    H5Pset_deflate(properties.id(), 9);
    H5Pset_deflate(properties.id(), 9);
    const Hdf5Handle space(H5Screate_simple(2, extent.data(), most.data()), H5Sclose);
    const Hdf5Handle set(H5Dcreate2(file, path, type, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                         H5Dclose);
    ASSERT_GE(set.id(), 0);
    const std::array<hsize_t, 2> start{0, 0}, row{1, extent[1]};
    const Hdf5Handle memory(H5Screate_simple(2, row.data(), nullptr), H5Sclose);
    H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, row.data(), nullptr);
    const std::array<double, 3> values{1, 2, 3};
    H5Dwrite(set.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, values.data());
}

Hdf5Handle new_file(const std::filesystem::path& file)
{
    return {H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose};
}

void write_chunked(const std::filesystem::path& file, hsize_t rows, hsize_t chunk_rows, hid_t type)
{
    add_chunked(new_file(file).id(), "Coordinates", {rows, 3}, chunk_rows, type);
}

TEST(HostileHdf5, ChunksThatUnpackToMoreThanTheFileExplainsAreRefused)
{
    const TemporaryFolder folder;
    const auto file = folder / "bomb.hdf5";
    constexpr hsize_t many = 3 << 20;  // rows: 75 MB that deflate twice to a few hundred bytes
    write_chunked(file, 1, many, H5T_NATIVE_DOUBLE);
    ASSERT_LT(std::filesystem::file_size(file), 100000u);
    const std::string message = message_of<IoError>([&] { io::read_points(file); });
    EXPECT_TRUE(contains(message, "has chunks of 75497472 bytes"));
}

TEST(HostileHdf5, ChunksLongerThanTheirDatasetAreReadWhereTheyAreSmall)
{
    const TemporaryFolder folder;
    write_chunked(folder / "good.hdf5", 1, 1024, H5T_NATIVE_DOUBLE);
    const std::vector<Vec3> points = io::read_points(folder / "good.hdf5");
    ASSERT_EQ(points.size(), 1u);
    EXPECT_EQ(points[0].z, 3);
}

TEST(HostileHdf5, NumbersOfOddSizesAreRefused)
{
    const TemporaryFolder folder;
    const Hdf5Handle type(H5Tcopy(H5T_NATIVE_INT64), H5Tclose);
    H5Tset_size(type.id(), 100);
    write_chunked(folder / "odd.hdf5", 1, 1, type.id());
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_points(folder / "odd.hdf5"); }),
                         "/Coordinates does not hold plain numbers"));
}

TEST(HostileHdf5, ColumnsThatShareTheirNumbersAreRefusedBeyondABound)
{
    const TemporaryFolder folder;
    const auto file = folder / "c.hdf5";
    Table groups{3, {}};
    groups.columns.push_back({"GroupLen", "Members.", {}, 1, std::vector<std::int64_t>(groups.rows, 3)});
    io::write_catalogue(file, groups, {});
    {
        const Hdf5Handle out(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
        constexpr hsize_t many = 1 << 20;  // 8 MB, of some 100 bytes
        add_chunked(out.id(), "/Group/column", {many, 1}, many);
        for (int k = 0; k < 20; ++k)
            H5Lcreate_hard(out.id(), "/Group/column", out.id(), fmt::format("/Group/c{}", k).c_str(),
                           H5P_DEFAULT, H5P_DEFAULT);
    }
    ASSERT_LT(std::filesystem::file_size(file), 100000u);
    EXPECT_TRUE(
        contains(message_of<IoError>([&] { io::read_catalogue(file); }), "/Group claims 1.76e+08 bytes"));
}

TEST(HostileHdf5, GroupsThatHoldThemselvesAreNotComparedForEver)
{
    const TemporaryFolder folder;
    const auto file = folder / "circle.hdf5";
    for (const int n_links : {1, 2}) {
        {
            const Hdf5Handle out = new_file(file);
            for (int k = 0; k < n_links; ++k)
                H5Lcreate_hard(out.id(), "/", out.id(), fmt::format("/again{}", k).c_str(), H5P_DEFAULT,
                               H5P_DEFAULT);
        }
        EXPECT_TRUE(contains(message_of<IoError>([&] { io::exact_differences(file, file); }),
                             "groups that hold themselves"));
    }
}

TEST(HostileHdf5, DatasetsOfSizesBeyond64BitsAreNotCompared)
{
    const TemporaryFolder folder;
    const auto file = folder / "wide.hdf5";
    {
        const Hdf5Handle out = new_file(file);
        const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        const std::array<hsize_t, 2> chunk{1, 1}, extent{1, (hsize_t{1} << 61) + 1};
        H5Pset_chunk(properties.id(), 2, chunk.data());
        const Hdf5Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
        const Hdf5Handle set(H5Dcreate2(out.id(), "wide", H5T_NATIVE_DOUBLE, space.id(), H5P_DEFAULT,
                                        properties.id(), H5P_DEFAULT),
                             H5Dclose);
        ASSERT_GE(set.id(), 0);
    }
    EXPECT_TRUE(
        contains(message_of<IoError>([&] { io::exact_differences(file, file); }), "has rows of more than"));
}

/// A dataset /NAME [1, 3] that is virtual: its numbers are those of `source`.
void add_virtual(hid_t file, const char* name, const char* source_file, const char* source)
{
    const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const std::array<hsize_t, 2> extent{1, 3};
    const Hdf5Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
    ASSERT_GE(H5Pset_virtual(properties.id(), space.id(), source_file, source, space.id()), 0);
    const Hdf5Handle set(
        H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
        H5Dclose);
    ASSERT_GE(set.id(), 0);
}

TEST(HostileHdf5, VirtualNumbersHaveToBeInTheFile)
{
    const TemporaryFolder folder;
    const auto file = folder / "v.hdf5";
    const auto message = [&](const std::function<void(hid_t)>& fill) {
        fill(new_file(file).id());
        return message_of<IoError>([&] { io::read_points(file); });
    };
    constexpr hsize_t many = 3 << 20;
    EXPECT_TRUE(contains(message([](hid_t out) { add_virtual(out, "Coordinates", ".", "/absent"); }),
                         "/Coordinates: its source /absent cannot be opened"));
    EXPECT_TRUE(contains(message([](hid_t out) {
                             add_chunked(out, "far", {1, 3}, many);
                             add_virtual(out, "Coordinates", ".", "/far");
                         }),
                         "has chunks of 75497472 bytes"));
    EXPECT_TRUE(contains(message([](hid_t out) {
                             add_virtual(out, "b", ".", "/Coordinates");
                             add_virtual(out, "Coordinates", ".", "/b");
                         }),
                         "its source /b is virtual too"));
    EXPECT_TRUE(contains(message([](hid_t out) { add_virtual(out, "Coordinates", "other.hdf5", "/a"); }),
                         "is stored in other files"));
    add_virtual(
        [&] {
            write_chunked(file, 1, 1, H5T_NATIVE_DOUBLE);
            return Hdf5Handle(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
        }()
            .id(),
        "Twice", ".", "/Coordinates");
    EXPECT_EQ(io::Hdf5File::open(file).values<double>("/Twice"), (std::vector<double>{1, 2, 3}));
}

TEST(HostileHdf5, AMillionPartsThatAreNotThereAreRefusedAtTheFirst)
{
    const TemporaryFolder folder;
    const auto file = folder / "s.0.hdf5";
    io::SnapshotContent content;
    io::write_snapshot(file, sample_particles(3), content);
    {
        const Hdf5Handle out(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
        const Hdf5Handle header(H5Oopen(out.id(), "/Header", H5P_DEFAULT), H5Oclose);
        const Hdf5Handle files(H5Aopen(header.id(), "NumFilesPerSnapshot", H5P_DEFAULT), H5Aclose);
        const std::int32_t million = 1000000;
        ASSERT_GE(H5Awrite(files.id(), H5T_NATIVE_INT32, &million), 0);
    }
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_snapshot(file); }), "s.1.hdf5: missing"));
}

TEST(HostileText, DevicesAreNotRead)
{
    for (const auto read : {+[](const std::filesystem::path& file) { io::read_points(file); },
                            +[](const std::filesystem::path& file) { io::read_coefficients(file); },
                            +[](const std::filesystem::path& file) { io::read_snapshot(file); },
                            +[](const std::filesystem::path& file) { io::read_tipsy_param(file); }})
        EXPECT_TRUE(contains(message_of<IoError>([&] { read("/dev/zero"); }), "/dev/zero"));
}

TEST(HostileTipsy, UnitsThatOverflowAreRefused)
{
    const TemporaryFolder folder;
    std::vector<std::string> notes;
    const auto read = [&](const std::string& text, double time) {
        write_bytes(folder / "a.param", text);
        const io::TipsyParam param = io::read_tipsy_param(folder / "a.param");
        return message_of<IoError>([&] { io::to_snapshot_header(time, param, notes); });
    };
    EXPECT_TRUE(contains(read("dKpcUnit = 1e300\ndMsolUnit = 1\n", 1), "a.param: dKpcUnit = 1e+300"));
    EXPECT_TRUE(contains(read("dKpcUnit = 1e-300\ndMsolUnit = 1e300\n", 1), "not finite"));
    EXPECT_TRUE(contains(read("bComove = 1\n", 1e-320), "should be a scale factor"));
}

TEST(HostileFolder, ALinkUnderTheTemporaryNameIsNotWrittenThrough)
{
    const TemporaryFolder folder, outside;
    write_bytes(outside / "precious", "precious");
    std::filesystem::create_symlink(outside / "precious", folder / "out.txt.partial");
    io::AtomicFile file(folder / "out.txt");
    std::ofstream(file.temporary()) << "new";
    file.commit();
    EXPECT_EQ(read_bytes(outside / "precious"), "precious");
    EXPECT_EQ(read_bytes(folder / "out.txt"), "new");
    EXPECT_FALSE(std::filesystem::is_symlink(folder / "out.txt"));
}

TEST(HostileFolder, ALinkUnderTheFinalNameIsReplacedNotFollowed)
{
    const TemporaryFolder folder, outside;
    write_bytes(outside / "precious", "precious");
    std::filesystem::create_symlink(outside / "precious", folder / "s.hdf5");
    io::write_snapshot(folder / "s.hdf5", sample_particles(3), {});
    EXPECT_EQ(read_bytes(outside / "precious"), "precious");
    EXPECT_FALSE(std::filesystem::is_symlink(folder / "s.hdf5"));
}

}  // namespace
}  // namespace aureole::test
