#include "sim/io/utf8.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/images/image.hpp"
#include "sim/io/images/png_chunks.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

#define BAD "\xef\xbf\xbd"  // U+FFFD; a macro, for the compiler to join it with what stands beside it

TEST(Utf8, WellFormedTextIsKept)
{
    for (const std::string text : {"", "plain\tand\x7f\x01", "Zürich", "M☉ ≤ 10¹⁵", "😀",
                                   "\u0080\u07ff\u0800\uffff\U00010000\U0010ffff", "\ud7ff\ue000"})
        EXPECT_EQ(io::valid_utf8(text), text);
    const std::string with_nul("a\0b", 3);
    EXPECT_EQ(io::valid_utf8(with_nul), with_nul);
}

TEST(Utf8, ControlCharactersAreSpeltForATerminal)
{
    EXPECT_EQ(io::printable("Zürich\\n 😀"), "Zürich\\n 😀") << "nothing to spell";
    EXPECT_EQ(io::printable("a\nb\tc\rd"), "a\\nb\\tc\\x0dd");
    EXPECT_EQ(io::printable("\x1b[2J\x1b]0;title\x07\x7f"), "\\x1b[2J\\x1b]0;title\\x07\\x7f");
    EXPECT_EQ(io::printable("\u0080\u009b31m\u00a0"), "\\x80\\x9b31m\u00a0")
        << "C1 controls, a no-break space";
    EXPECT_EQ(io::printable(std::string("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(io::printable("\x9b"), BAD) << "a byte that is no UTF-8";
    EXPECT_EQ(io::printable_lines("a: 1\n\tb\x1b\n"), "a: 1\n\\tb\\x1b\n");
}

TEST(Utf8, EveryMaximalSubpartBecomesOneReplacement)
{
    EXPECT_EQ(io::valid_utf8("a\xff"
                             "b"),
              "a" BAD "b");
    EXPECT_EQ(io::valid_utf8("caf\xe9"), "caf" BAD) << "Latin-1";
    EXPECT_EQ(io::valid_utf8("\xc0\xaf"), BAD BAD) << "overlong";
    EXPECT_EQ(io::valid_utf8("\xe0\x80\x80"), BAD BAD BAD) << "overlong";
    EXPECT_EQ(io::valid_utf8("\xed\xa0\x80"), BAD BAD BAD) << "a surrogate";
    EXPECT_EQ(io::valid_utf8("\xf4\x90\x80\x80"), BAD BAD BAD BAD) << "beyond U+10FFFF";
    EXPECT_EQ(io::valid_utf8("\xf0\x9f\x98"), BAD) << "cut off";
    // the example of the Unicode Standard's table 3-8
    EXPECT_EQ(io::valid_utf8("\x61\xf1\x80\x80\xe1\x80\xc2\x62\x80\x63\x80\xbf\x64"),
              "a" BAD BAD BAD "b" BAD "c" BAD BAD "d");
}

TEST(Utf8, EveryPairOfBytesGivesTextThatIsKept)
{
    for (int a = 0; a < 256; ++a)
        for (int b = 0; b < 256; ++b) {
            const std::string once =
                io::valid_utf8(std::string{static_cast<char>(a), static_cast<char>(b), '\x80', 'x'});
            EXPECT_EQ(io::valid_utf8(once), once) << a << ' ' << b;
            EXPECT_EQ(once.back(), 'x') << a << ' ' << b;
        }
}

TEST(Utf8, JsonEscapesWhatItMust)
{
    EXPECT_EQ(io::json_text("a\"b\\c\n\t\x1f"), R"("a\"b\\c\n\u0009\u001f")");
    EXPECT_EQ(io::json_text("-o run\xff\x7f"), "\"-o run" BAD "\x7f\"");
}

TEST(Utf8, NamesInUrlsAreNotLost)
{
    EXPECT_EQ(io::relative_url("energy_000.csv"), "energy_000.csv");
    EXPECT_EQ(io::relative_url("a b%:?#/\xff"
                               "ü.csv"),
              "a%20b%25%3A%3F%23%2F%FF%C3%BC.csv");
}

TEST(Utf8, TextsOfHdf5AndPngAreValid)
{
    const TemporaryFolder folder;
    {
        auto file = io::Hdf5File::create(folder / "f.hdf5");
        file.write_attribute("/", "bad", std::string_view("run\xff"));
        file.write_attribute("/", "good", std::string_view("Zürich"));
        file.write_attribute("/", "plain", std::string_view("words"));
    }
    const auto file = io::Hdf5File::open(folder / "f.hdf5");
    EXPECT_EQ(file.text("/", "bad"), "run" BAD);
    EXPECT_EQ(file.text("/", "good"), "Zürich");
    for (const auto& [name, declared] :
         {std::pair("good", H5T_CSET_UTF8), std::pair("plain", H5T_CSET_ASCII)}) {
        const io::Hdf5Handle raw(H5Fopen((folder / "f.hdf5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose),
            attribute(H5Aopen(raw.id(), name, H5P_DEFAULT), H5Aclose),
            type(H5Aget_type(attribute.id()), H5Tclose);
        EXPECT_EQ(H5Tget_cset(type.id()), declared) << name;
    }
    io::write_png(folder / "a.png", io::Image(4, 4, {1, 2, 3}), {{"CommandLine", "run\xff"}});
    EXPECT_EQ(io::png_texts(folder / "a.png"), (io::Provenance{{"CommandLine", "run" BAD}}));
}

}  // namespace
}  // namespace aureole::test
