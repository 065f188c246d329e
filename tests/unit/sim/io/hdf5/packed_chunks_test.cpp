// Chunks that unpack to fewer or more bytes than their shape says: HDF5 1.10 reads beyond its buffer.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <functional>
#include <numeric>

#include "sim/core/error.hpp"
#include "sim/io/compare/exact_difference.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using io::Hdf5Handle;

/// Filters that the library brings, one after another in the order in which chunks are packed.
struct Packing {
    const char* name;
    std::function<void(hid_t)> set;
    bool tells_longer = true;  ///< whether what is behind the numbers of a chunk would be unpacked
};

const std::vector<Packing>& packings()
{
    const auto scale_offset = [](hid_t p) { H5Pset_scaleoffset(p, H5Z_SO_INT, 0); };
    const auto deflate = [](hid_t p) { H5Pset_deflate(p, 6); };
    static const std::vector<Packing> all{
        {"deflate", deflate},
        {"shuffle_deflate",
         [=](hid_t p) {
             H5Pset_shuffle(p);
             deflate(p);
         }},
        {"deflate_fletcher32",
         [=](hid_t p) {
             deflate(p);
             H5Pset_fletcher32(p);
         }},
        {"fletcher32_deflate",
         [=](hid_t p) {
             H5Pset_fletcher32(p);
             deflate(p);
         }},
        {"deflate_shuffle_deflate",
         [=](hid_t p) {
             deflate(p);
             H5Pset_shuffle(p);
             deflate(p);
         }},
        {"fletcher32", [](hid_t p) { H5Pset_fletcher32(p); }},
        {"szip", [](hid_t p) { H5Pset_szip(p, H5_SZIP_NN_OPTION_MASK, 4); }},
        {"nbit", [](hid_t p) { H5Pset_nbit(p); }, false},
        {"nbit_shuffle_deflate",
         [=](hid_t p) {
             H5Pset_nbit(p);
             H5Pset_shuffle(p);
             deflate(p);
         },
         false},
        {"scale_offset", scale_offset, false},
        {"scale_offset_shuffle_deflate",
         [=](hid_t p) {
             scale_offset(p);
             H5Pset_shuffle(p);
             deflate(p);
         },
         false},
    };
    return all;
}

bool is_here(const Packing& packing)
{
    return std::string_view(packing.name) != "szip" || H5Zfilter_avail(H5Z_FILTER_SZIP) > 0;
}

/// Integers of 40 bits in 8 bytes, for which every packing is made.
Hdf5Handle stored_type()
{
    Hdf5Handle type(H5Tcopy(H5T_STD_I64LE), H5Tclose);
    H5Tset_precision(type.id(), 40);
    return type;
}

constexpr hsize_t rows = 40, width = 3, chunk_rows = 16;

/// The dataset [40, 3] with the numbers 7, 14, ... in chunks of [rows_of_chunk, 2].
Hdf5Handle make(hid_t file, const char* path, const Packing& packing, hsize_t rows_of_chunk = chunk_rows,
                unsigned options = 0)
{
    const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), type = stored_type();
    const std::array<hsize_t, 2> extent{rows, width}, chunk{rows_of_chunk, 2};
    H5Pset_chunk(properties.id(), 2, chunk.data());
    if (options) H5Pset_chunk_opts(properties.id(), options);
    packing.set(properties.id());
    const Hdf5Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
    Hdf5Handle set(H5Dcreate2(file, path, type.id(), space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                   H5Dclose);
    std::vector<std::int64_t> values(rows * width);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = 7 * static_cast<std::int64_t>(k + 1);
    EXPECT_GE(H5Dwrite(set.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    return set;
}

std::vector<unsigned char> stored_chunk(hid_t set, std::array<hsize_t, 2> corner)
{
    H5Dflush(set);
    hsize_t n = 0;
    unsigned mask = 0;
    EXPECT_GE(H5Dget_chunk_storage_size(set, corner.data(), &n), 0);
    std::vector<unsigned char> bytes(n);
    EXPECT_GE(H5Dread_chunk(set, H5P_DEFAULT, corner.data(), &mask, bytes.data()), 0);
    return bytes;
}

class PackedChunks : public testing::Test {
protected:
    void put(const std::function<void(hid_t)>& fill, bool newest = false) const
    {
        const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        if (newest) H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        fill(Hdf5Handle(H5Fcreate(name_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose).id());
    }
    /// A dataset whose chunk at [16, 2] was packed in chunks of so many rows.
    void put_chunk_of(const Packing& packing, hsize_t rows_of_chunk) const
    {
        put([&](hid_t file) {
            const Hdf5Handle other = make(file, "/other", packing, rows_of_chunk),
                             set = make(file, "/d", packing);
            const std::array<hsize_t, 2> corner{chunk_rows, 2};
            const auto bytes = stored_chunk(other.id(), {rows_of_chunk, 2});
            ASSERT_GE(H5Dwrite_chunk(set.id(), H5P_DEFAULT, 0, corner.data(), bytes.size(), bytes.data()), 0);
        });
    }
    std::vector<std::int64_t> values(const char* path = "/d") const
    {
        return io::Hdf5File::open(name_).values<std::int64_t>(path);
    }
    std::string complaint(const char* path = "/d") const
    {
        return message_of<IoError>([&] { values(path); });
    }
    const TemporaryFolder folder_;
    const std::filesystem::path name_ = folder_ / "f.hdf5";
    const std::vector<std::int64_t> expected_ = [] {
        std::vector<std::int64_t> values(rows * width);
        std::iota(values.begin(), values.end(), 1);
        for (std::int64_t& value : values) value *= 7;
        return values;
    }();
};

TEST_F(PackedChunks, OfEveryFilterAreRead)
{
    for (const Packing& packing : packings())
        for (const bool newest : {false, true})
            for (const unsigned options : {0u, unsigned{H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS}}) {
                if (!is_here(packing) || (options && !newest)) continue;
                put([&](hid_t file) { make(file, "/d", packing, chunk_rows, options); }, newest);
                EXPECT_EQ(values(), expected_) << packing.name << newest << options;
            }
}

TEST_F(PackedChunks, ThatUnpackToLessAreRefused)
{
    for (const Packing& packing : packings()) {
        if (!is_here(packing)) continue;
        put_chunk_of(packing, chunk_rows - 1);
        const std::string text = complaint();
        EXPECT_TRUE(contains(text, "f.hdf5: /d: its chunk from row 16 on ")) << packing.name << ": " << text;
        EXPECT_TRUE(contains(text, "the file is damaged")) << packing.name << ": " << text;
    }
}

TEST_F(PackedChunks, ThatUnpackToMoreAreRefused)
{
    for (const Packing& packing : packings()) {
        if (!is_here(packing) || !packing.tells_longer) continue;
        put_chunk_of(packing, chunk_rows + 1);
        EXPECT_TRUE(contains(complaint(), "/d: its chunk from row 16 on unpacks to 272 bytes, expected 256"))
            << packing.name << ": " << complaint();
    }
}

TEST_F(PackedChunks, CutAnywhereAreRefusedOrWhole)
{
    for (const Packing& packing : packings()) {
        if (!is_here(packing)) continue;
        const bool is_szip = std::string_view(packing.name) == "szip";
        bool whole = false;
        for (std::size_t left = 1; !whole; left += 7) {
            put([&](hid_t file) {
                const Hdf5Handle set = make(file, "/d", packing);
                const auto bytes = stored_chunk(set.id(), {0, 0});
                const std::array<hsize_t, 2> corner{0, 0};
                whole = left >= bytes.size();
                if (!whole) H5Dwrite_chunk(set.id(), H5P_DEFAULT, 0, corner.data(), left, bytes.data());
            });
            try {
                // of nbit the last byte is padding; szip's own library does not always see what is missing
                const auto read = values();
                EXPECT_TRUE(is_szip || read == expected_) << packing.name << ' ' << left;
            } catch (const IoError& error) {
                EXPECT_TRUE(contains(error.what(), "f.hdf5: /d")) << packing.name << ' ' << error.what();
            }
        }
    }
}

TEST_F(PackedChunks, WithoutFiltersHaveTheirOwnSize)
{
    const Packing none{"none", [](hid_t) {}};
    put([&](hid_t file) { make(file, "/d", none); });
    EXPECT_EQ(values(), expected_);
    for (const hsize_t other : {chunk_rows - 1, chunk_rows + 1}) {
        put_chunk_of(none, other);
        EXPECT_TRUE(contains(complaint(), fmt::format("on unpacks to {} bytes, expected 256", 16 * other)))
            << complaint();
    }
}

TEST_F(PackedChunks, ThatWereStoredWithoutOneFilterAreRead)
{
    put([&](hid_t file) {
        const Hdf5Handle set = make(file, "/d", packings()[0]);
        const std::array<hsize_t, 2> corner{0, 0};
        std::vector<std::int64_t> plain(chunk_rows * 2);
        for (std::size_t k = 0; k < plain.size(); ++k)
            plain[k] = 7 * static_cast<std::int64_t>(k / 2 * width + k % 2 + 1);
        ASSERT_GE(H5Dwrite_chunk(set.id(), H5P_DEFAULT, 1, corner.data(), 8 * plain.size(), plain.data()), 0);
    });
    EXPECT_EQ(values(), expected_);
}

TEST_F(PackedChunks, OfRowsThatAreNotReadAreNotUnpacked)
{
    put_chunk_of(packings()[0], chunk_rows - 1);
    const io::Hdf5File file = io::Hdf5File::open(name_);
    const io::Hdf5Dataset set = file.dataset("/d");
    std::vector<std::int64_t> one(width);
    for (const std::uint64_t row : {0, 15, 32, 39, 7}) EXPECT_NO_THROW(set.read_rows<std::int64_t>(row, one));
    EXPECT_EQ(one, (std::vector<std::int64_t>{7 * 22, 7 * 23, 7 * 24}));
    for (const std::uint64_t row : {16, 31})
        EXPECT_THROW(set.read_rows<std::int64_t>(row, one), IoError) << row;
    EXPECT_NO_THROW(set.read_rows<std::int64_t>(0, one));
}

TEST_F(PackedChunks, BehindVirtualSetsAndInComparisonsAreRefused)
{
    put_chunk_of(packings()[0], chunk_rows - 1);
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::exact_differences(name_, name_); }),
                         "/d: its chunk from row 16 on unpacks to 240 bytes"));
    {
        const Hdf5Handle file(H5Fopen(name_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
        const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        const std::array<hsize_t, 2> extent{rows, width};
        const Hdf5Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
        H5Pset_virtual(properties.id(), space.id(), ".", "/d", space.id());
        const Hdf5Handle shown(H5Dcreate2(file.id(), "/shown", H5T_NATIVE_INT64, space.id(), H5P_DEFAULT,
                                          properties.id(), H5P_DEFAULT),
                               H5Dclose);
        ASSERT_GE(shown.id(), 0);
    }
    EXPECT_TRUE(contains(complaint("/shown"), "/shown: its source /d: its chunk from row 16 on unpacks"));
}

}  // namespace
}  // namespace aureole::test
