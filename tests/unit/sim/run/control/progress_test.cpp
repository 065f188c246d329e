// A run's log when nobody can take it.
#include "sim/run/control/progress.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

namespace aureole::test {
namespace {

/// Standard output goes to a file for a while.
class OutputTo {
public:
    explicit OutputTo(const char* file) : before_(::dup(STDOUT_FILENO))
    {
        std::fflush(stdout);
        const int other = ::open(file, O_WRONLY | O_CLOEXEC);
        ::dup2(other, STDOUT_FILENO);
        ::close(other);
    }
    ~OutputTo()
    {
        std::fflush(stdout);
        ::dup2(before_, STDOUT_FILENO);
        ::close(before_);
        std::clearerr(stdout);
    }
    OutputTo(const OutputTo&) = delete;
    OutputTo& operator=(const OutputTo&) = delete;

private:
    int before_;
};

TEST(Progress, ALogThatCannotBeWrittenEndsNoRun)
{
    if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
    const OutputTo nowhere("/dev/full");
    run::Progress progress(false);
    for (const std::size_t length : {10, 5000, 1000000})
        EXPECT_NO_THROW(progress.say(std::string(length, 'x'))) << length;
}

}  // namespace
}  // namespace aureole::test
