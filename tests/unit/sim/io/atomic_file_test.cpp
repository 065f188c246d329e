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
