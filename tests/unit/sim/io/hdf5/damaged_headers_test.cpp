// Files with object headers of version 2, in which every byte is damaged: as it stands, which the checksums
// find, and with checksums that fit the damage, as in a file that is made to look whole.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <bit>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/io/compare/exact_difference.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using io::Hdf5Handle;

/// Jenkins's lookup3, the checksum of metadata (HDF5 File Format Specification, VII.A).
std::uint32_t checksum(std::string_view bytes)
{
    auto a = static_cast<std::uint32_t>(0xdeadbeef + bytes.size()), b = a, c = a;
    const auto rotate = [](std::uint32_t x, int n) { return std::rotl(x, n); };
    const auto add = [&](std::string_view part) {
        std::array<std::uint32_t, 3> words{};
        for (std::size_t k = 0; k < part.size(); ++k)
            words[k / 4] += std::uint32_t{static_cast<unsigned char>(part[k])} << 8 * (k % 4);
        a += words[0], b += words[1], c += words[2];
    };
    for (; bytes.size() > 12; bytes.remove_prefix(12)) {
        add(bytes.substr(0, 12));
        a -= c, a ^= rotate(c, 4), c += b, b -= a, b ^= rotate(a, 6), a += c;
        c -= b, c ^= rotate(b, 8), b += a, a -= c, a ^= rotate(c, 16), c += b;
        b -= a, b ^= rotate(a, 19), a += c, c -= b, c ^= rotate(b, 4), b += a;
    }
    add(bytes);
    c ^= b, c -= rotate(b, 14), a ^= c, a -= rotate(c, 11), b ^= a, b -= rotate(a, 25);
    c ^= b, c -= rotate(b, 16), a ^= c, a -= rotate(c, 4), b ^= a, b -= rotate(a, 14), c ^= b,
        c -= rotate(b, 24);
    return c;
}

struct Block {
    std::size_t begin, end;  ///< the checksum stands at the end
};

std::string as_bytes(std::uint32_t value)
{
    std::string bytes;
    for (int k = 0; k < 4; ++k) bytes += static_cast<char>(value >> 8 * k);
    return bytes;
}

/// The object headers of a file, and their further blocks.
std::vector<Block> header_blocks(const std::string& bytes)
{
    std::vector<Block> blocks;
    for (const char* mark : {"OHDR", "OCHK"})
        for (std::size_t at = bytes.find(mark); at != std::string::npos; at = bytes.find(mark, at + 1))
            for (std::size_t end = at + 4; end + 4 <= bytes.size() && end < at + 1000; ++end)
                if (bytes.compare(end, 4, as_bytes(checksum(std::string_view(bytes).substr(at, end - at)))) ==
                    0)
                    blocks.push_back({at, end});
    return blocks;
}

void write_attribute(hid_t object, const std::string& name, hid_t type, std::vector<hsize_t> sides)
{
    const Hdf5Handle space(sides.empty()
                               ? H5Screate(H5S_SCALAR)
                               : H5Screate_simple(static_cast<int>(sides.size()), sides.data(), nullptr),
                           H5Sclose);
    const Hdf5Handle attribute(H5Acreate2(object, name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                               H5Aclose);
    const std::vector<char> zeros(1000, 0);
    ASSERT_GE(H5Awrite(attribute.id(), type, zeros.data()), 0);
}

/// Attributes of numbers, texts, structures and a named type; a group, a dataset with and one without chunks.
void write_newest(const std::filesystem::path& file)
{
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const Hdf5Handle made(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
    const Hdf5Handle named(H5Tcopy(H5T_IEEE_F64LE), H5Tclose);
    H5Tcommit2(made.id(), "type", named.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const Hdf5Handle group(H5Gcreate2(made.id(), "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    const Hdf5Handle structure(H5Tcreate(H5T_COMPOUND, 12), H5Tclose);
    H5Tinsert(structure.id(), "x", 0, H5T_IEEE_F64LE);
    H5Tinsert(structure.id(), "n", 8, H5T_STD_I32LE);
    const Hdf5Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(text.id(), 5);
    write_attribute(group.id(), "named", named.id(), {3});
    write_attribute(group.id(), "structure", structure.id(), {});
    write_attribute(group.id(), "text", text.id(), {2, 2});
    write_attribute(made.id(), "number", H5T_STD_I64LE, {});
    const hsize_t sides[] = {4, 3};
    const Hdf5Handle space(H5Screate_simple(2, sides, nullptr), H5Sclose);
    const Hdf5Handle chunks(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(chunks.id(), 2, sides);
    const std::array<double, 12> zeros{};
    for (const hid_t properties : {hid_t{H5P_DEFAULT}, chunks.id()}) {
        const Hdf5Handle numbers(H5Dcreate2(group.id(), properties == H5P_DEFAULT ? "plain" : "chunks",
                                            named.id(), space.id(), H5P_DEFAULT, properties, H5P_DEFAULT),
                                 H5Dclose);
        H5Dwrite(numbers.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros.data());
    }
}

class DamagedHeaders : public testing::Test {
protected:
    DamagedHeaders()
    {
        write_newest(folder_ / "whole.hdf5");
        std::ostringstream bytes;
        bytes << std::ifstream(folder_ / "whole.hdf5", std::ios::binary).rdbuf();
        whole_ = bytes.str();
    }

    /// Reads everything in a file with these bytes; true where it is refused or differs from the whole one.
    bool is_noticed(const std::string& bytes) const
    {
        std::ofstream(folder_ / "damaged.hdf5", std::ios::binary) << bytes;
        try {
            return !io::hdf5_differences(folder_ / "whole.hdf5", folder_ / "damaged.hdf5").empty();
        } catch (const IoError&) {
            return true;
        }
    }

    const TemporaryFolder folder_;
    std::string whole_;
};

TEST_F(DamagedHeaders, AreFoundByTheirChecksumsAtEveryByte)
{
    const std::vector<Block> blocks = header_blocks(whole_);
    ASSERT_GT(blocks.size(), 5u) << "root, type, group, two datasets, and what did not fit into one block";
    ASSERT_FALSE(is_noticed(whole_));
    for (const Block& block : blocks)
        for (std::size_t at = block.begin; at < block.end + 4; ++at) {
            std::string damaged = whole_;
            damaged[at] = static_cast<char>(~damaged[at]);
            EXPECT_TRUE(is_noticed(damaged)) << at;
        }
}

TEST_F(DamagedHeaders, WithChecksumsThatFitAreRefusedOrReadAtEveryByte)
{
    int noticed = 0, all = 0;
    for (const Block& block : header_blocks(whole_))
        for (std::size_t at = block.begin; at < block.end; ++at)
            for (const int change : {0xff, 1 << at % 8}) {
                std::string damaged = whole_;
                damaged[at] = static_cast<char>(damaged[at] ^ change);
                damaged.replace(block.end, 4,
                                as_bytes(checksum(
                                    std::string_view(damaged).substr(block.begin, block.end - block.begin))));
                noticed += is_noticed(damaged);
                ++all;
            }
    EXPECT_GT(noticed, all / 2);
    EXPECT_LT(noticed, all);
}

}  // namespace
}  // namespace aureole::test
