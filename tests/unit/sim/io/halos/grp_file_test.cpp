#include "sim/io/halos/labels_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <iterator>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test {
namespace {

using Rows = std::vector<std::int64_t>;

class GrpFile : public testing::Test {
protected:
    std::filesystem::path text(const std::string& content)
    {
        std::ofstream(folder_ / "a.grp") << content;
        return folder_ / "a.grp";
    }
    std::string complaint(const std::string& content, std::size_t n)
    {
        const auto file = text(content);
        return message_of<IoError>([&] { io::read_grp(file, n); });
    }
    const TemporaryFolder folder_;
};

TEST_F(GrpFile, GroupsCountFromOneAndZeroIsNone)
{
    EXPECT_EQ(io::read_grp(text("4\n2\n0\n1\n7\n"), 4), (Rows{1, -1, 0, 6}));
    EXPECT_EQ(io::read_grp(text("  3 1 1\n0"), 3), (Rows{0, 0, -1}))
        << "white space parts numbers, lines or not";
    EXPECT_EQ(io::read_grp(text("0\n"), 0), Rows{});
}

TEST_F(GrpFile, NegativeNumbersMeanThatGroupsCountFromZero)
{
    EXPECT_EQ(io::read_grp(text("3\n-1\n0\n4\n"), 3), (Rows{-1, 0, 4}));
}

TEST_F(GrpFile, BothByteOrdersOfTheBinaryFormAreRead)
{
    for (const std::endian order : {std::endian::big, std::endian::little}) {
        std::string bytes;
        for (const std::uint32_t value : {3u, 0u, 258u, 1u})
            for (int k = 0; k < 4; ++k)
                bytes += static_cast<char>(value >> (8 * (order == std::endian::big ? 3 - k : k)) & 0xffu);
        EXPECT_EQ(io::read_grp(text(bytes), 3), (Rows{-1, 257, 0}));
        EXPECT_TRUE(contains(complaint(bytes, 4), "holds 3 group numbers, expected 4"));
        EXPECT_TRUE(contains(complaint(bytes.substr(0, 14), 3), "neither a text nor"));
    }
}

TEST_F(GrpFile, WhatIsWrittenIsReadBack)
{
    const std::vector<std::int32_t> group{-1, 0, 2147483647, 5};
    io::write_grp(folder_ / "b.grp", group);
    EXPECT_EQ(io::read_grp(folder_ / "b.grp", 4), Rows(group.begin(), group.end()));
    std::ifstream in(folder_ / "b.grp");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "4\n0\n1\n2147483648\n6\n");
    io::write_grp(folder_ / "none.grp", {});
    EXPECT_EQ(io::read_grp(folder_ / "none.grp", 0), Rows{});
}

TEST_F(GrpFile, WrongFilesNameTheLineAndTheCount)
{
    EXPECT_TRUE(contains(complaint("2\n1\nx1\n", 2), "a.grp, line 3: found 'x1', expected a whole number"));
    EXPECT_TRUE(contains(complaint("2\n1\n1.5\n", 2), "line 3: found '1.5'"));
    EXPECT_TRUE(contains(complaint("3\n1\n1\n1\n", 2), "holds 3 group numbers, expected 2"));
    EXPECT_TRUE(contains(complaint("-3\n", 2), "holds -3 group numbers"));
    EXPECT_TRUE(contains(complaint("3\n1\n1\n", 3), "ends after 2 of the 3"));
    EXPECT_TRUE(contains(complaint("2\n1\n1\n9\n", 2), "line 4: found '9' after the 2 group numbers"));
    EXPECT_TRUE(contains(complaint("", 2), "is empty"));
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_grp(folder_ / "no", 1); }), "cannot be read"));
}

TEST_F(GrpFile, ARealBinaryArrayOfAHF)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "tipsy/tiny.000832.amiga.grp");
    const Rows rows = io::read_grp(file, 3344);
    EXPECT_EQ(std::ranges::count(rows, -1), 2141);
    EXPECT_EQ(std::ranges::count(rows, 0), 605);
}

}  // namespace
}  // namespace aureole::test
