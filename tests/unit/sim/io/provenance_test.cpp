#include "sim/io/provenance.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sim/core/error.hpp"
#include "sim/io/compare/exact_difference.hpp"
#include "sim/io/halos/labels_file.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/images/image.hpp"
#include "sim/io/images/png_chunks.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using io::Image, io::Provenance;

const Provenance some{{"Version", "0.1"}, {"Configuration", "a: \"b\"\n  c: \\d\n"}, {"Host", "Zürich\tlab"}};

std::string content(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

void put(const std::filesystem::path& file, const std::string& text)
{
    std::ofstream(file, std::ios::binary) << text;
}

TEST(ProvenanceOfFiles, JsonAndCommentsByHand)
{
    EXPECT_EQ(io::to_json({}), "{\n    }");
    EXPECT_EQ(io::to_json(some),
              "{\n        \"Version\": \"0.1\",\n"
              "        \"Configuration\": \"a: \\\"b\\\"\\n  c: \\\\d\\n\",\n"
              "        \"Host\": \"Zürich\\u0009lab\"\n    }");
    EXPECT_EQ(io::to_comments({{"A", "1\n2"}, {"B", ""}}), "# A: 1\n#     2\n# B: \n");
}

TEST(ProvenanceOfFiles, LiesBesideTablesUnlessThereIsNone)
{
    const TemporaryFolder folder;
    io::write_metadata(folder / "t.csv", {});
    EXPECT_FALSE(std::filesystem::exists(folder / "t.csv-metadata.json"));
    io::write_metadata(folder / "t.csv", {{"A", "1"}});
    EXPECT_EQ(
        content(folder / "t.csv-metadata.json"),
        "{\n    \"@context\": \"http://www.w3.org/ns/csvw\",\n    \"url\": \"t.csv\",\n    \"notes\": [{\n"
        "        \"A\": \"1\"\n    }]\n}\n");
    io::write_directory_metadata(folder.path(), {"a.csv", "b.csv"}, {});
    EXPECT_TRUE(contains(content(folder / "csv-metadata.json"), R"([{"url": "a.csv"}, {"url": "b.csv"}])"));
    io::write_grp(folder / "g.grp", std::vector<std::int32_t>{0, -1}, some);
    EXPECT_EQ(content(folder / "g.grp"), "2\n1\n0\n") << "the file itself has no place for it";
    EXPECT_TRUE(std::filesystem::exists(folder / "g.grp-metadata.json"));
}

TEST(ProvenanceOfFiles, Hdf5KeepsItInAGroupOrAtTheRoot)
{
    const TemporaryFolder folder;
    for (const bool grouped : {true, false}) {
        io::Hdf5File out = io::Hdf5File::create(folder / "f.hdf5");
        if (grouped) io::write_provenance(out, some);
        out.write_attribute("/", "Other", "x");
        out.write_attribute("/", "Provenance.Alone", "y");
        out.close();
        const Provenance found = io::provenance_in(io::Hdf5File::open(folder / "f.hdf5"));
        if (grouped)
            EXPECT_EQ(found, (Provenance{some[1], some[2], some[0]})) << "by name";
        else
            EXPECT_EQ(found, (Provenance{{"Alone", "y"}}));
    }
}

TEST(ProvenanceOfFiles, WhatCannotBeWrittenSaysWhy)
{
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder / "t.csv-metadata.json.partial/in_the_way");
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::write_metadata(folder / "t.csv", some); }),
                         "t.csv-metadata.json.partial is in the way and cannot be removed: a folder"));
    EXPECT_TRUE(contains(
        message_of<IoError>([&] { io::append_png_texts(folder / "absent.png", folder / "a.png", some); }),
        "a.png: the PNG cannot be written: No such file or directory"));
}

class PictureTexts : public testing::Test {
protected:
    void write(const char* name, const Provenance& texts, io::Rgb colour = {1, 2, 3})
    {
        io::write_png(folder_ / name, Image(20, 10, colour), texts);
    }
    TemporaryFolder folder_;
};

TEST_F(PictureTexts, ComeBackAndAreNoDifference)
{
    write("a.png", some);
    write("b.png", {});
    write("c.png", some, {1, 2, 4});
    EXPECT_EQ(io::png_texts(folder_ / "a.png"), some);
    EXPECT_EQ(io::png_texts(folder_ / "b.png"), Provenance{});
    EXPECT_EQ(io::exact_differences(folder_ / "a.png", folder_ / "b.png"), std::vector<std::string>{});
    EXPECT_EQ(io::exact_differences(folder_ / "a.png", folder_ / "c.png"),
              std::vector<std::string>{"differ in a chunk IDAT"});
}

TEST_F(PictureTexts, DamageIsSeenWhereverItIs)
{
    write("a.png", some);
    const std::string whole = content(folder_ / "a.png");
    const auto read = [&] { return io::png_texts(folder_ / "x.png"); };
    for (std::size_t length = 0; length < whole.size(); ++length) {
        put(folder_ / "x.png", whole.substr(0, length));
        EXPECT_THROW(read(), IoError) << length;
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string flipped = whole;
        flipped[at] = static_cast<char>(flipped[at] ^ 0x40);
        put(folder_ / "x.png", flipped);
        EXPECT_THROW(read(), IoError) << at;
    }
}

TEST_F(PictureTexts, NamesHaveToFit)
{
    EXPECT_THROW(write("a.png", {{"", "x"}}), Error);
    EXPECT_THROW(write("a.png", {{std::string(80, 'n'), "x"}}), Error);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.png"));
}

TEST(ExactDifferences, FilesThatCannotBeReadAreNamedWithTheReason)
{
    const TemporaryFolder folder;
    put(folder / "a.txt", "a");
    const auto message = [&](const std::filesystem::path& other) {
        return message_of<IoError>([&] { io::exact_differences(folder / "a.txt", other); });
    };
    EXPECT_TRUE(contains(message(folder / "b.txt"), "b.txt: cannot be read (No such file or directory)"));
    EXPECT_TRUE(contains(message(folder.path()), "expected a file"));
}

TEST(ExactDifferences, OfTablesCountCellsBeyondTheColumns)
{
    const TemporaryFolder folder;
    const auto differences = [&](const char* a, const char* b) {
        put(folder / "a.csv", a);
        put(folder / "b.csv", b);
        return io::csv_differences(folder / "a.csv", folder / "b.csv");
    };
    EXPECT_EQ(differences("x,y_seconds\n1,2\n", "x,y_seconds\n1,3\n"), std::vector<std::string>{});
    EXPECT_EQ(differences("x,y_seconds\n1,2\n3,4\n", "x,y_seconds\n1,2\n3,4,5\n"),
              std::vector<std::string>{"cells: first in row 1, 2 and 3, expected 2"});
    EXPECT_EQ(differences("x\n1,2\n", "x\n1,3\n"),
              std::vector<std::string>{"cells: first in row 0, 2 and 2, expected 1"});
}

TEST(ExactDifferences, CommentsOfParamFilesAreNone)
{
    const TemporaryFolder folder;
    put(folder / "a.param", "# CommandLine: a\nx = 1\ny = 2\n");
    put(folder / "b.param", "# CommandLine: b\n# more\nx = 1\ny = 2\n");
    put(folder / "c.param", "x = 1\ny = 3\n");
    put(folder / "d.param", "x = 1\n");
    const auto differences = [&](const char* name) {
        return io::exact_differences(folder / "a.param", folder / name);
    };
    EXPECT_EQ(differences("b.param"), std::vector<std::string>{});
    EXPECT_EQ(differences("c.param"), std::vector<std::string>{"lines: y = 2 and y = 3"});
    EXPECT_EQ(differences("d.param").size(), 1u);
}

}  // namespace
}  // namespace aureole::test
