#include "sim/io/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

std::string content(const std::filesystem::path& file)
{
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

TEST(AtomicFile, AppearsUnderItsNameOnCommitOnly)
{
    const TemporaryFolder folder;
    io::AtomicFile file(folder / "out.txt");
    std::ofstream(file.temporary()) << "new";
    EXPECT_FALSE(std::filesystem::exists(folder / "out.txt"));
    file.commit();
    EXPECT_EQ(content(folder / "out.txt"), "new");
    EXPECT_FALSE(std::filesystem::exists(file.temporary()));
}

TEST(AtomicFile, WithoutCommitTheOldFileStaysAndTheTemporaryGoes)
{
    const TemporaryFolder folder;
    std::ofstream(folder / "out.txt") << "old";
    std::filesystem::path temporary;
    {
        const io::AtomicFile file(folder / "out.txt");
        temporary = file.temporary();
        std::ofstream(temporary) << "half";
    }
    EXPECT_EQ(content(folder / "out.txt"), "old");
    EXPECT_FALSE(std::filesystem::exists(temporary));
}

TEST(AtomicFile, RefusesMissingFoldersAndNamesOfFolders)
{
    const TemporaryFolder folder;
    EXPECT_THROW(io::AtomicFile(folder / "missing/out.txt"), IoError);
    EXPECT_THROW(io::AtomicFile{folder.path()}, IoError);
}

TEST(AtomicFile, WritesAFreshFileWhateverStandsUnderTheTemporaryName)
{
    const TemporaryFolder folder;
    const std::filesystem::path out = folder / "out.txt", partial = folder / "out.txt.partial",
                                precious = folder / "precious.txt";
    std::ofstream(precious) << "precious";
    const auto expect_fresh = [&] {
        io::write_text_file(out, "new");
        EXPECT_EQ(content(out), "new");
        EXPECT_EQ(content(precious), "precious");
        EXPECT_FALSE(std::filesystem::exists(partial));
    };
    std::filesystem::create_hard_link(precious, partial);
    expect_fresh();
    std::filesystem::create_symlink(precious, partial);
    expect_fresh();
    std::ofstream(partial) << "longer than what is written, of a run that was killed";
    expect_fresh();
    ASSERT_EQ(mkfifo(partial.c_str(), 0600), 0);
    EXPECT_TRUE(std::filesystem::is_fifo(partial));
    {
        const io::AtomicFile file(out);
    }  // before anything is opened, which would wait for a reader
    EXPECT_FALSE(std::filesystem::exists(partial));
    std::filesystem::create_directory(partial);
    EXPECT_TRUE(contains(message_of<IoError>([&] { const io::AtomicFile file(out); }),
                         "out.txt.partial is in the way and cannot be removed: a folder"));
    EXPECT_TRUE(std::filesystem::is_directory(partial));
}

TEST(AtomicFile, CommitWithoutAWrittenFileIsAnError)
{
    const TemporaryFolder folder;
    io::AtomicFile file(folder / "out.txt");
    EXPECT_THROW(file.commit(), IoError);
}

TEST(AtomicFile, TakesNoDevicesPlace)
{
    const TemporaryFolder folder;
    const std::filesystem::path pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_TRUE(contains(message_of<IoError>([&] { const io::AtomicFile file(pipe); }),
                         "pipe: cannot be written, a device or a pipe has that name; expected a file"));
    EXPECT_TRUE(std::filesystem::is_fifo(pipe));
    EXPECT_THROW(io::AtomicFile("/dev/null"), IoError);
}

}  // namespace
}  // namespace aureole::test
