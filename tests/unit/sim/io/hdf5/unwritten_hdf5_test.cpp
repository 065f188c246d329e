// Datasets that exist and were not written, whole or in part: HDF5 reads them as zeros and says nothing.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <functional>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/sample_particles.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using io::Hdf5Handle;

enum class ChunkIndex { b_tree, fixed_array, extensible_array, b_tree_2 };  // how a library finds its chunks

/// A dataset [n, 1] of integers as a foreign code would make it.
struct Kind {
    hsize_t rows = 64, chunk_rows = 0;  ///< no chunks when 0
    bool packed = false, fill_value = false, compact = false, early = false;
    ChunkIndex index = ChunkIndex::b_tree;
};

Hdf5Handle properties_of(const Kind& kind)
{
    Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const std::array<hsize_t, 2> chunk{kind.chunk_rows, 1};
    const std::int64_t five = 5;
    if (kind.chunk_rows > 0) H5Pset_chunk(properties.id(), 2, chunk.data());
    if (kind.packed) H5Pset_deflate(properties.id(), 9);
    if (kind.fill_value) H5Pset_fill_value(properties.id(), H5T_NATIVE_INT64, &five);
    if (kind.compact) H5Pset_layout(properties.id(), H5D_COMPACT);
    if (kind.early) H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_EARLY);
    return properties;
}

Hdf5Handle make(hid_t file, const char* path, const Kind& kind)
{
    const std::array<hsize_t, 2> extent{kind.rows, 1},
        most{kind.index >= ChunkIndex::extensible_array ? H5S_UNLIMITED : kind.rows,
             kind.index == ChunkIndex::b_tree_2 ? H5S_UNLIMITED : 1};
    const Hdf5Handle space(H5Screate_simple(2, extent.data(), most.data()), H5Sclose);
    return {H5Dcreate2(file, path, H5T_NATIVE_INT64, space.id(), H5P_DEFAULT, properties_of(kind).id(),
                       H5P_DEFAULT),
            H5Dclose};
}

void write_rows(hid_t set, hsize_t first, hsize_t count, std::int64_t value)
{
    const Hdf5Handle space(H5Dget_space(set), H5Sclose);
    const std::array<hsize_t, 2> start{first, 0}, extent{count, 1};
    H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr);
    const Hdf5Handle memory(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
    const std::vector<std::int64_t> values(count, value);
    ASSERT_GE(H5Dwrite(set, H5T_NATIVE_INT64, memory.id(), space.id(), H5P_DEFAULT, values.data()), 0);
}

class UnwrittenHdf5 : public testing::Test {
protected:
    /// A file with the dataset /d, of which `write` writes what it likes.
    void put(
        const Kind& kind, const std::function<void(hid_t)>& write = [](hid_t) {})
    {
        const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        if (kind.index != ChunkIndex::b_tree)
            H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        const Hdf5Handle out(H5Fcreate(name_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
        const Hdf5Handle set = make(out.id(), "/d", kind);
        ASSERT_GE(set.id(), 0);
        write(set.id());
    }
    std::string complaint() const
    {
        return message_of<IoError>([&] { io::Hdf5File::open(name_).array("/d"); });
    }
    std::vector<std::int64_t> values() const { return io::Hdf5File::open(name_).values<std::int64_t>("/d"); }
    const TemporaryFolder folder_;
    const std::filesystem::path name_ = folder_ / "f.hdf5";
};

TEST_F(UnwrittenHdf5, DatasetsWithoutStorageAreRefusedWhateverTheirFillValue)
{
    for (const hsize_t chunk_rows : {0, 16})
        for (const bool fill_value : {false, true})
            for (const bool packed : {false, chunk_rows > 0}) {
                put({.chunk_rows = chunk_rows, .packed = packed, .fill_value = fill_value});
                const std::string text = complaint();
                EXPECT_TRUE(contains(text,
                                     "f.hdf5: /d was never written: 0 bytes are stored for it, expected "
                                     "64 numbers of 8 bytes"));
                EXPECT_TRUE(contains(text, "write it or remove it"));
            }
}

TEST_F(UnwrittenHdf5, OneMissingChunkIsSeenInEveryIndexOfChunks)
{
    for (const ChunkIndex index :
         {ChunkIndex::b_tree, ChunkIndex::fixed_array, ChunkIndex::extensible_array, ChunkIndex::b_tree_2})
        for (const bool packed : {false, true})
            for (const hsize_t last : {40, 60}) {
                put({.chunk_rows = 20, .packed = packed, .index = index}, [&](hid_t set) {
                    write_rows(set, 0, 20, 1);
                    write_rows(set, 20, last - 20, 0);
                });
                EXPECT_TRUE(contains(complaint(), fmt::format("f.hdf5: /d was written in part: {} of its 4 "
                                                              "chunks are stored",
                                                              last / 20)))
                    << static_cast<int>(index) << packed;
            }
}

TEST_F(UnwrittenHdf5, ZerosThatWereWrittenAreNumbers)
{
    const std::vector<std::int64_t> zeros(64, 0);
    for (const ChunkIndex index :
         {ChunkIndex::b_tree, ChunkIndex::fixed_array, ChunkIndex::extensible_array, ChunkIndex::b_tree_2})
        for (const hsize_t chunk_rows : {0, 20, 64, 100})
            for (const bool packed : {false, chunk_rows > 0}) {
                if (chunk_rows == 0 && index >= ChunkIndex::extensible_array)
                    continue;  // only chunks can grow
                if (chunk_rows > 64 && index < ChunkIndex::extensible_array)
                    continue;  // no longer than the set
                put({.chunk_rows = chunk_rows, .packed = packed, .index = index},
                    [](hid_t set) { write_rows(set, 0, 64, 0); });
                EXPECT_EQ(values(), zeros) << static_cast<int>(index) << ' ' << chunk_rows << packed;
            }
}

TEST_F(UnwrittenHdf5, StorageThatTheLibraryFilledItselfCannotBeToldFromNumbers)
{
    const std::vector<std::int64_t> zeros(64, 0);
    put({.compact = true});
    EXPECT_EQ(values(), zeros);
    put({.early = true});
    EXPECT_EQ(values(), zeros);
    put({.chunk_rows = 16, .early = true, .index = ChunkIndex::fixed_array});  // no index at all is kept
    EXPECT_EQ(values(), zeros);
}

TEST_F(UnwrittenHdf5, ScalarsCountAndEmptySetsDoNot)
{
    {
        io::Hdf5File out = io::Hdf5File::create(name_);
        out.create_dataset("/empty", io::NumberType::f64, 0, 3);
    }
    {
        const Hdf5Handle out(H5Fopen(name_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
        const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
        const Hdf5Handle set(
            H5Dcreate2(out.id(), "/d", H5T_NATIVE_DOUBLE, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
            H5Dclose);
        ASSERT_GE(set.id(), 0);
    }
    EXPECT_TRUE(contains(complaint(), "/d was never written: 0 bytes"));
    EXPECT_EQ(io::Hdf5File::open(name_).array("/empty").rows(), 0u);
}

TEST_F(UnwrittenHdf5, VirtualSetsShowWhatIsWritten)
{
    const auto show = [](hid_t file, hsize_t rows) {
        const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        const std::array<hsize_t, 2> extent{rows, 1};
        const Hdf5Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
        H5Pset_virtual(properties.id(), space.id(), ".", "/d", space.id());
        const Hdf5Handle set(H5Dcreate2(file, "/shown", H5T_NATIVE_INT64, space.id(), H5P_DEFAULT,
                                        properties.id(), H5P_DEFAULT),
                             H5Dclose);
        ASSERT_GE(set.id(), 0);
    };
    const auto complaint_of_shown = [&](hsize_t written, hsize_t rows) {
        put({.chunk_rows = 32, .packed = true}, [&](hid_t set) {
            if (written > 0) write_rows(set, 0, written, 3);
            const Hdf5Handle file(H5Iget_file_id(set), H5Fclose);
            show(file.id(), rows);
        });
        return message_of<IoError>([&] { io::Hdf5File::open(name_).array("/shown"); });
    };
    EXPECT_TRUE(contains(complaint_of_shown(0, 64), "/shown: its source /d was never written"));
    EXPECT_TRUE(
        contains(complaint_of_shown(32, 64), "/shown: its source /d was written in part: 1 of its 2"));
    EXPECT_TRUE(contains(complaint_of_shown(64, 100), "/shown claims 100 rows"));
    put({.chunk_rows = 32, .packed = true}, [&](hid_t set) {
        write_rows(set, 0, 64, 3);
        const Hdf5Handle file(H5Iget_file_id(set), H5Fclose);
        show(file.id(), 64);
    });
    EXPECT_EQ(io::Hdf5File::open(name_).values<std::int64_t>("/shown"), std::vector<std::int64_t>(64, 3));
}

/// A snapshot of ours with one dataset made anew and left empty.
class UnwrittenField : public testing::TestWithParam<const char*> {};

TEST_P(UnwrittenField, OfASnapshotIsRefusedByName)
{
    const TemporaryFolder folder;
    const auto name = folder / "s.hdf5";
    const std::string path = std::string("/PartType1/") + GetParam();
    for (const bool packed : {false, true}) {
        io::write_snapshot(name, sample_particles(12), {});
        {
            const Hdf5Handle file(H5Fopen(name.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
            const Hdf5Handle old(H5Dopen2(file.id(), path.c_str(), H5P_DEFAULT), H5Dclose);
            const Hdf5Handle space(H5Dget_space(old.id()), H5Sclose), type(H5Dget_type(old.id()), H5Tclose),
                properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
            const std::array<hsize_t, 2> chunk{3, 3};
            if (packed) H5Pset_chunk(properties.id(), H5Sget_simple_extent_ndims(space.id()), chunk.data());
            if (packed) H5Pset_deflate(properties.id(), 1);
            ASSERT_GE(H5Ldelete(file.id(), path.c_str(), H5P_DEFAULT), 0);
            const Hdf5Handle made(H5Dcreate2(file.id(), path.c_str(), type.id(), space.id(), H5P_DEFAULT,
                                             properties.id(), H5P_DEFAULT),
                                  H5Dclose);
            ASSERT_GE(made.id(), 0);
        }
        EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_snapshot(name); }),
                             "s.hdf5: " + path + " was never written: 0 bytes are stored"));
    }
}

INSTANTIATE_TEST_SUITE_P(Any, UnwrittenField,
                         testing::Values("Coordinates", "Velocities", "ParticleIDs", "Masses",
                                         "ComponentIDs"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace aureole::test
