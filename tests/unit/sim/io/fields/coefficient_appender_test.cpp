#include "sim/io/fields/coefficient_appender.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "sim/core/error.hpp"
#include "sim/io/compare/exact_difference.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

namespace fs = std::filesystem;
using io::CoefficientFile;

/// The coefficients at the times first, first + 1, ..., before last: every number differs.
CoefficientFile moments(int first, int last)
{
    CoefficientFile file;
    file.name = "component 0";
    file.n_max = 3;
    file.l_max = 2;
    file.scale = 2.5;
    for (int k = first; k < last; ++k) {
        io::CoefficientMoment moment{double(k), {1.0 + k, 2, 3}, {}, {}};
        for (std::size_t i = 0; i < file.size(); ++i) {
            moment.values.emplace_back(1.0 / (3.0 + double(i) + 100 * k), -double(k));
            moment.variances.emplace_back(double(i), double(k) / 7);
        }
        file.moments.push_back(moment);
    }
    return file;
}

/// Fails unless the file holds the first `count` times, whole.
void expect_holds(const fs::path& file, int count)
{
    const CoefficientFile found = io::read_coefficients(file), expected = moments(0, count);
    ASSERT_EQ(found.moments.size(), expected.moments.size());
    for (std::size_t k = 0; k < found.moments.size(); ++k) {
        EXPECT_EQ(found.moments[k].time, expected.moments[k].time);
        EXPECT_EQ(found.moments[k].values, expected.moments[k].values);
        EXPECT_EQ(found.moments[k].variances, expected.moments[k].variances);
    }
}

struct CoefficientAppender : testing::Test {
    TemporaryFolder folder;
    fs::path file = folder / "coefficients_0.hdf5", copy = folder / "coefficients_0.hdf5.partial";
};

TEST_F(CoefficientAppender, LeavesTheFileThatIsWrittenAtOnce)
{
    constexpr int n = 20;  // from nine on HDF5 stores the members of a group in another way
    {
        io::CoefficientAppender appender(file);
        appender.write(moments(0, 2));
        for (int k = 2; k < n; ++k) {
            appender.append(moments(k, k + 1));
            expect_holds(file, k + 1);
        }
        appender.append(moments(n, n + 3));
    }
    expect_holds(file, n + 3);
    io::write_coefficients(folder / "whole.hdf5", moments(0, n + 3));
    EXPECT_TRUE(io::hdf5_differences(file, folder / "whole.hdf5").empty());
    EXPECT_FALSE(fs::exists(copy));
}

TEST_F(CoefficientAppender, TakesNoLongerForTheLastThanForTheFirst)
{
    io::CoefficientAppender appender(file);
    appender.write(moments(0, 2000));
    appender.append(moments(2000, 2001));
    const auto before = fs::file_size(copy);
    const auto inode = [](const fs::path& path) {
        struct stat found {};
        return ::stat(path.c_str(), &found) == 0 ? found.st_ino : 0;
    };
    const auto of_file = inode(file), of_copy = inode(copy);
    appender.append(moments(2001, 2002));
    EXPECT_EQ(inode(file), of_copy) << "the two have changed names, and neither was written anew";
    EXPECT_EQ(inode(copy), of_file);
    EXPECT_LT(fs::file_size(file), before + 100000);
}

TEST_F(CoefficientAppender, CutsBackToWhatIsWritten)
{
    io::CoefficientAppender appender(file);
    appender.write(moments(0, 7));
    appender.append(moments(7, 8));
    appender.write(moments(0, 3));
    expect_holds(file, 3);
    appender.append(moments(3, 4));
    expect_holds(file, 4);
}

TEST_F(CoefficientAppender, LeavesACopyAloneThatIsReadOrHasAnotherName)
{
    io::CoefficientAppender appender(file);
    appender.write(moments(0, 1));
    appender.append(moments(1, 2));
    fs::create_hard_link(copy, folder / "kept.hdf5");
    const std::string kept = bytes_of(folder / "kept.hdf5");
    appender.append(moments(2, 3));
    appender.append(moments(3, 4));
    EXPECT_EQ(bytes_of(folder / "kept.hdf5"), kept);
    const int reader = ::open(copy.c_str(), O_RDONLY);
    ASSERT_EQ(::flock(reader, LOCK_SH | LOCK_NB), 0) << "as the HDF5 library does";
    struct stat before {
    }, after{};
    ::fstat(reader, &before);
    appender.append(moments(4, 5));
    appender.append(moments(5, 6));
    ::fstat(reader, &after);
    EXPECT_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    EXPECT_EQ(before.st_size, after.st_size);
    ::close(reader);
    expect_holds(file, 6);
}

TEST_F(CoefficientAppender, KeepsTheFileWhenItsCopyCannotBeExtended)
{
    io::CoefficientAppender appender(file);
    appender.write(moments(0, 2));
    appender.append(moments(2, 3));
    fs::resize_file(copy, 100);
    EXPECT_TRUE(contains(message_of<IoError>([&] { appender.append(moments(3, 4)); }),
                         "coefficients_0.hdf5 cannot be opened for writing"));
    expect_holds(file, 3);
    appender.append(moments(3, 4));
    expect_holds(file, 4);
    EXPECT_TRUE(contains(message_of<IoError>([&] { appender.append(moments(3, 4)); }),
                         "the time is 3, expected one after 3"));
    fs::remove(file);
    appender.append(moments(4, 5));
    expect_holds(file, 5);
}

TEST_F(CoefficientAppender, LeavesAWholeFileWheneverItIsKilled)
{
    for (int round = 0; round < 12; ++round) {
        io::write_coefficients(file, moments(0, 1));
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            io::CoefficientAppender appender(file);
            appender.write(moments(0, 1));
            for (int k = 1;; ++k) appender.append(moments(k, k + 1));
        }
        std::this_thread::sleep_for(std::chrono::microseconds(20000 + 3331 * round));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        const auto count = static_cast<int>(io::read_coefficients(file).moments.size());
        EXPECT_GE(count, 1);
        expect_holds(file, count);
    }
}

}  // namespace
}  // namespace aureole::test
