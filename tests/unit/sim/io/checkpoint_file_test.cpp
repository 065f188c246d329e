#include "sim/io/checkpoint_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using io::CheckpointFile, io::CheckpointSection, io::crc64, io::xxh3;

using Bytes = std::vector<std::byte>;

Bytes bytes_in(const std::string& text)
{
    const auto span = std::as_bytes(std::span(text));
    return {span.begin(), span.end()};
}

class CheckpointContainer : public ::testing::Test {
protected:
    void write(const std::string& first, const std::string& second)
    {
        const Bytes a = bytes_in(first), b = bytes_in(second);
        io::write_checkpoint_file(file_, previous_,
                                  std::vector<CheckpointSection>{{"first", a}, {"second", b}});
    }
    static std::string read(const std::filesystem::path& file, const std::string& name)
    {
        CheckpointFile in(file);
        std::string text(in.size(name), '\0');
        in.read(name, std::as_writable_bytes(std::span(text)));
        return text;
    }
    /// Everything that a run reads of a checkpoint.
    void read_all() const
    {
        read(file_, "first");
        read(file_, "second");
    }
    std::string content() const
    {
        std::ifstream in(file_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void replace(const std::string& content) const { std::ofstream(file_, std::ios::binary) << content; }

    TemporaryFolder folder_;
    std::filesystem::path file_ = folder_.path() / "checkpoint.bin",
                          previous_ = folder_.path() / "previous.bin";
};

TEST(Crc64, HasTheCheckValueOfTheStandard)
{
    EXPECT_EQ(crc64(bytes_in("123456789")), 0x995dc9bbdf1939fau);
    EXPECT_EQ(crc64({}), 0u);
}

TEST(Crc64, OfPiecesIsThatOfTheWhole)
{
    const Bytes whole = bytes_in("what is cut at any place has the same remainder in the end");
    for (std::size_t cut = 0; cut <= whole.size(); ++cut)
        EXPECT_EQ(crc64(std::span(whole).subspan(cut), crc64(std::span(whole).first(cut))), crc64(whole));
}

/// Values of the library's own interface to Python (xxhash 0.8.4).
TEST(Xxh3, HasTheValuesOfTheLibrary)
{
    EXPECT_EQ(xxh3({}), 0x2d06800538d394c2u);
    EXPECT_EQ(xxh3(bytes_in("123456789")), 0x72dcb18b67a17dffu);
    Bytes thousand(1000);
    for (std::size_t k = 0; k < thousand.size(); ++k) thousand[k] = static_cast<std::byte>(k * 7 % 256);
    EXPECT_EQ(xxh3(thousand, 0x1234567890abcdef), 0xb7905285dcb2dd92u);
}

/// The same file as version 3 of the format has it: under CRC-64, that of the header going on from the
/// table's.
std::string as_version_3(std::string content)
{
    const auto crc = [&](std::size_t first, std::size_t n, std::uint64_t so_far = 0) {
        return crc64(std::as_bytes(std::span(content)).subspan(first, n), so_far);
    };
    const auto set = [&](std::size_t at, auto value) {
        std::memcpy(content.data() + at, &value, sizeof value);
    };
    std::uint32_t sections = 0;
    std::memcpy(&sections, content.data() + 28, sizeof sections);
    set(20, std::uint32_t{3});
    for (std::size_t row = 64; row < 64 * (1 + sections); row += 64) {
        std::uint64_t place[2];
        std::memcpy(place, content.data() + row + 40, sizeof place);
        set(row + 56, crc(place[0], place[1]));
    }
    set(56, crc(0, 56, crc(64, 64 * sections)));
    return content;
}

TEST_F(CheckpointContainer, ReadsAndVerifiesFilesOfVersion3)
{
    write("a section of some length", "another");
    const std::string old = as_version_3(content());
    replace(old);
    EXPECT_EQ(read(file_, "first"), "a section of some length");
    EXPECT_EQ(read(file_, "second"), "another");
    for (std::size_t bit = 0; bit < 8 * old.size(); ++bit) {
        std::string flipped = old;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
        replace(flipped);
        EXPECT_THROW(read_all(), IoError) << "bit " << bit;
    }
}

TEST_F(CheckpointContainer, GivesBackWhatWasWrittenEmptySectionsIncluded)
{
    write("some numbers", "");
    EXPECT_EQ(read(file_, "first"), "some numbers");
    EXPECT_EQ(read(file_, "second"), "");
    EXPECT_FALSE(std::filesystem::exists(previous_));
    EXPECT_TRUE(contains(message_of<IoError>([&] { read(file_, "third"); }), "has no section 'third'"));
}

TEST_F(CheckpointContainer, KeepsTheGenerationBefore)
{
    for (const char* text : {"one", "two", "three"}) write(text, text);
    EXPECT_EQ(read(file_, "first"), "three");
    EXPECT_EQ(read(previous_, "first"), "two");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 2);
}

TEST_F(CheckpointContainer, IsNotRenamedWhereWhatComesBeforeFails)
{
    for (const char* text : {"one", "two"}) write(text, text);
    const Bytes bytes = bytes_in("three");
    bool complete = false;
    const auto fail = [&] {
        std::filesystem::copy(file_.string() + ".partial", folder_.path() / "copy");
        complete = read(folder_.path() / "copy", "first") == "three";
        std::filesystem::remove(folder_.path() / "copy");
        throw IoError("what it counts is lost");
    };
    EXPECT_EQ(message_of<IoError>([&] {
                  io::write_checkpoint_file(file_, previous_,
                                            std::vector<CheckpointSection>{{"first", bytes}}, fail);
              }),
              "what it counts is lost");
    EXPECT_TRUE(complete);
    EXPECT_EQ(read(file_, "first"), "two");
    EXPECT_EQ(read(previous_, "first"), "one");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 2);
}

TEST_F(CheckpointContainer, LeavesNothingBehindWhenBothGenerationsAreOneFile)
{
    write("one", "one");
    std::filesystem::create_hard_link(file_, previous_);  // a run was killed between two names
    write("two", "two");
    EXPECT_EQ(read(file_, "first"), "two");
    EXPECT_EQ(read(previous_, "first"), "one");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 2);
}

TEST_F(CheckpointContainer, RecognisesTheLossOfAnyNumberOfBytes)
{
    write("a section of some length", "another");
    const std::string whole = content();
    for (std::size_t length = 0; length < whole.size(); ++length) {
        replace(whole.substr(0, length));
        EXPECT_THROW(read_all(), IoError) << length << " of " << whole.size() << " bytes";
    }
    replace(whole + "x");
    EXPECT_THROW(read_all(), IoError);
    replace(whole);
    read_all();
}

TEST_F(CheckpointContainer, RecognisesEveryFlippedBit)
{
    write("a section of some length", "another");
    const std::string whole = content();
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
        std::string flipped = whole;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
        replace(flipped);
        EXPECT_THROW(read_all(), IoError) << "bit " << bit;
    }
}

TEST_F(CheckpointContainer, SaysWhatIsWrongWithAFile)
{
    write("numbers", "more");
    const std::string whole = content();
    const auto complaint = [&](std::size_t place, std::uint32_t value) {
        std::string changed = whole;
        std::memcpy(changed.data() + place, &value, sizeof value);
        replace(changed);
        return message_of<IoError>([&] { read_all(); });
    };
    const auto holds = [](const std::string& message, const std::string& words) {
        return contains(message, "checkpoint.bin: " + words);
    };
    EXPECT_TRUE(holds(complaint(0, 0), "is no checkpoint"));
    EXPECT_TRUE(holds(complaint(16, 0x04030201), "was written with another byte order"));
    EXPECT_TRUE(holds(complaint(20, 7), "has version 7 of the format, expected 3 to 4"));
    EXPECT_TRUE(holds(complaint(24, 4), "has real numbers of 4 bytes, expected 8"));
    EXPECT_TRUE(holds(complaint(28, 0xffffffff), "claims 4294967295 sections"));
    EXPECT_TRUE(holds(complaint(64, 0), "is damaged: checksum"));
    EXPECT_TRUE(holds(complaint(whole.size() - 4, 0), "section 'second' is damaged: checksum"));
    replace("short");
    EXPECT_TRUE(holds(message_of<IoError>([&] { read_all(); }), "is cut off: 5 bytes"));
    std::filesystem::remove(file_);
    EXPECT_TRUE(holds(message_of<IoError>([&] { read_all(); }), "no such file"));
}

}  // namespace
}  // namespace aureole::test
