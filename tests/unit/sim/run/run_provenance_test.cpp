#include "sim/run/run_provenance.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

namespace aureole::test {
namespace {

TEST(ShellWords, PlainOnesAreLeftAlone)
{
    for (const std::string word :
         {"run", "-o", "out_1/a.hdf5", "z=20", "20,4,5", "--max-wall", "00:50:00", "Zürich"})
        EXPECT_EQ(run::shell_word(word), word);
}

TEST(ShellWords, OthersAreQuoted)
{
    EXPECT_EQ(run::shell_word(""), "''");
    EXPECT_EQ(run::shell_word("my run"), "'my run'");
    EXPECT_EQ(run::shell_word("it's"), R"('it'\''s')");
    EXPECT_EQ(run::shell_word("*.hdf5"), "'*.hdf5'");
    EXPECT_EQ(run::shell_word("~"), "'~'");
    EXPECT_EQ(run::shell_word("a\nb"), R"($'a\x0ab')");
    EXPECT_EQ(run::shell_word("caf\xe9's \\"), R"($'caf\xe9\'s \\')");
}

/// What bash takes the text of a word for.
std::string word_of(const std::string& text)
{
    const std::string command = "bash -c \"$(cat <<'END'\nprintf %s " + text + "\nEND\n)\"";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::array<char, 4096> bytes{};
    return {bytes.data(), std::fread(bytes.data(), 1, bytes.size(), pipe.get())};
}

TEST(ShellWords, BashReadsThemAsTheyWere)
{
    if (word_of("good") != "good") GTEST_SKIP() << "no bash here";
    std::string every;
    for (int c = 1; c < 256; ++c) every += static_cast<char>(c);
    for (const std::string& word : {every, std::string("a 'b' \"c\" $d `e` !f \\g ü {h,i}"),
                                    std::string("é\xff"
                                                "e9")})
        EXPECT_EQ(word_of(run::shell_word(word)), word);
}

}  // namespace
}  // namespace aureole::test
