#include "sim/io/hdf5/hdf5_file.hpp"

#include <gtest/gtest.h>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using io::Hdf5File;

TEST(Hdf5File, NumbersConvertBetweenStoredAndWantedTypes)
{
    const TemporaryFolder folder;
    {
        auto file = Hdf5File::create(folder / "f.hdf5");
        const std::vector<float> floats{1.5f, -2};
        const std::vector<std::uint16_t> shorts{65535, 3};
        file.write_dataset<float>("/floats", floats);
        file.write_dataset<std::uint16_t>("/shorts", shorts);
        file.close();
    }
    const auto file = Hdf5File::open(folder / "f.hdf5");
    EXPECT_EQ(file.values<double>("/floats"), (std::vector<double>{1.5, -2}));
    EXPECT_EQ(file.values<double>("/shorts"), (std::vector<double>{65535, 3}));
    EXPECT_EQ(file.values<std::uint64_t>("/shorts"), (std::vector<std::uint64_t>{65535, 3}));
    EXPECT_TRUE(contains(message_of<IoError>([&] { file.values<std::int64_t>("/floats"); }),
                         "f.hdf5: /floats holds fractions, expected integers"));
}

TEST(Hdf5File, RowsAreReadAndWrittenInBlocks)
{
    const TemporaryFolder folder;
    {
        auto file = Hdf5File::create(folder / "f.hdf5");
        auto dataset = file.create_dataset("/x", io::NumberType::f64, 4, 3);
        dataset.write_rows<double>(2, std::vector<double>{7, 8, 9, 10, 11, 12});
        dataset.write_rows<double>(0, std::vector<double>{1, 2, 3, 4, 5, 6});
    }
    const auto dataset = Hdf5File::open(folder / "f.hdf5").dataset("/x");
    EXPECT_EQ(dataset.rows(), 4u);
    EXPECT_EQ(dataset.width(), 3u);
    std::vector<double> rows(6);
    dataset.read_rows<double>(1, rows);
    EXPECT_EQ(rows, (std::vector<double>{4, 5, 6, 7, 8, 9}));
    EXPECT_THROW(dataset.read_rows<double>(3, rows), Error);
    rows.resize(4);
    EXPECT_THROW(dataset.read_rows<double>(0, rows), Error);
}

TEST(Hdf5File, AttributesAreTrueScalarsArraysAndTexts)
{
    const TemporaryFolder folder;
    {
        auto file = Hdf5File::create(folder / "f.hdf5");
        file.create_group("/g");
        file.write_attribute("/g", "scalar", 2.5);
        file.write_attribute("/g", "array", std::array<std::uint32_t, 3>{1, 2, 4000000000u});
        file.write_attribute("/g", "text", std::string_view("words"));
        file.write_attribute("/g", "nothing", std::string_view());
        EXPECT_TRUE(contains(message_of<IoError>([&] { file.write_attribute("/g", "scalar", 1.0); }),
                             "attribute scalar of /g cannot be created"));
    }
    const auto file = Hdf5File::open(folder / "f.hdf5");
    EXPECT_EQ(file.attribute_names("/g"), (std::vector<std::string>{"array", "nothing", "scalar", "text"}));
    EXPECT_EQ(file.number("/g", "scalar"), 2.5);
    EXPECT_EQ(file.integers("/g", "array"), (std::vector<std::int64_t>{1, 2, 4000000000}));
    EXPECT_EQ(file.text("/g", "text"), "words");
    EXPECT_EQ(file.text("/g", "nothing"), "");
    EXPECT_TRUE(file.attribute_is_text("/g", "text"));
    EXPECT_FALSE(file.has_attribute("/g", "absent"));
    EXPECT_FALSE(file.has_attribute("/absent", "scalar"));
    EXPECT_THROW(file.number("/g", "array"), IoError);
    EXPECT_THROW(file.number("/g", "text"), IoError);
    EXPECT_THROW(file.text("/g", "scalar"), IoError);
    EXPECT_THROW(file.integers("/g", "scalar"), IoError);
}

TEST(Hdf5File, KnowsWhatIsThere)
{
    const TemporaryFolder folder;
    {
        auto file = Hdf5File::create(folder / "f.hdf5");
        file.create_group("/a");
        file.create_group("/a/b");
        file.write_dataset<double>("/a/d", std::vector<double>{});
    }
    const auto file = Hdf5File::open(folder / "f.hdf5");
    EXPECT_TRUE(file.has_group("/"));
    EXPECT_TRUE(file.has_group("/a/b"));
    EXPECT_FALSE(file.has_group("/a/d"));
    EXPECT_TRUE(file.has_dataset("/a/d"));
    EXPECT_FALSE(file.has_dataset("/a/b/c/d"));
    EXPECT_EQ(file.members("/a"), (std::vector<std::string>{"b", "d"}));
    EXPECT_TRUE(file.members("/absent").empty());
    EXPECT_TRUE(contains(message_of<IoError>([&] { file.dataset("/a/x"); }), "f.hdf5: /a/x is missing"));
}

TEST(Hdf5File, FilesThatCannotBeOpenedAreNamedWithTheReason)
{
    const TemporaryFolder folder;
    EXPECT_TRUE(contains(message_of<IoError>([&] { Hdf5File::open(folder / "none.hdf5"); }),
                         "none.hdf5: cannot be read: No such file"));
    testing::internal::CaptureStderr();
    EXPECT_TRUE(contains(message_of<IoError>([&] { Hdf5File::create(folder / "no/such.hdf5"); }),
                         "such.hdf5 cannot be created: No such file or directory"));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace aureole::test
