// What a command prints, where standard output cannot be written.
#include "sim/cli/terminal_log.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/captured_output.hpp"

namespace aureole::test {
namespace {

TEST(TerminalLog, ALogThatCannotBeWrittenEndsNoRun)
{
    if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
    const OutputTo nowhere("/dev/full");
    cli::TerminalLog log(false);
    for (const std::size_t length : {10, 5000, 1000000})
        EXPECT_NO_THROW(log.say(std::string(length, 'x'))) << length;
}

}  // namespace
}  // namespace aureole::test
