// Who may stop a run, and whose directory it is.
#include "sim/run/control/run_control.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/support/message_of.hpp"
#include "tests/support/signal_actions.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

namespace fs = std::filesystem;

TEST(DirectoryLock, KeepsASecondRunOutUntilItEnds)
{
    const TemporaryFolder folder;
    {
        const run::DirectoryLock lock(folder.path());
        EXPECT_TRUE(contains(message_of<IoError>([&] { run::DirectoryLock second(folder.path()); }),
                             "another run is writing to it"));
    }
    EXPECT_FALSE(fs::exists(folder / "run.lock"));
    const run::DirectoryLock next(folder.path());
}

TEST(DirectoryLock, AFileThatAKilledRunLeftLocksNobodyOut)
{
    const TemporaryFolder folder;
    std::ofstream(folder / "run.lock") << "";
    const run::DirectoryLock lock(folder.path());
    lock.expect_held();
}

TEST(DirectoryLock, KnowsThatItsDirectoryIsGoneOrAnothers)
{
    const TemporaryFolder folder;
    const fs::path here = folder / "out";
    std::optional<run::DirectoryLock> first(here);
    fs::rename(here, folder / "moved");
    EXPECT_TRUE(contains(message_of<IoError>([&] { first->expect_held(); }), "is no longer this run's"));
    const run::DirectoryLock second(here);
    EXPECT_THROW(first->expect_held(), IoError);
    first.reset();
    EXPECT_TRUE(fs::exists(here / "run.lock")) << "what it does not hold it must not remove";
    second.expect_held();
}

class Control : public testing::Test {
protected:
    // earlier tests of the same program have left threads, which a fork alone does not take along
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

    run::RunControl control(std::optional<double> wall_seconds)
    {
        return {lock, wall_seconds, [this] { return seconds; }};
    }
    void touch(const char* name) const { std::ofstream(folder / name) << ""; }

    const SignalActions actions{SIG_DFL};  // whoever started the tests may ignore some
    const TemporaryFolder folder;
    const run::DirectoryLock lock{folder.path()};
    double seconds = 1000;
};

TEST_F(Control, TheTimeLimitCountsFromTheBeginning)
{
    run::RunControl control = this->control(50.0);
    seconds += 49;
    EXPECT_EQ(control.stop_reason(), "");
    seconds += 1;
    EXPECT_EQ(control.stop_reason(), "--max-wall");
}

TEST_F(Control, AClockThatGoesBackKeepsNobodyFromStoppingTheRun)
{
    run::RunControl control = this->control(50.0);
    seconds -= 1e9;
    EXPECT_EQ(control.stop_reason(), "");
    touch("stop");
    touch("dump");
    seconds -= 1;
    EXPECT_EQ(control.stop_reason(), "the file stop");
    EXPECT_TRUE(control.dump_wanted());
    EXPECT_FALSE(control.dump_wanted());
    EXPECT_FALSE(fs::exists(folder / "stop"));
}

TEST_F(Control, FilesOfAnEarlierRunAskForNothing)
{
    touch("stop");
    touch("dump");
    run::forget_requests(lock);
    EXPECT_FALSE(fs::exists(folder / "stop"));
    run::RunControl control = this->control({});
    seconds += 1;
    EXPECT_EQ(control.stop_reason(), "");
    EXPECT_FALSE(control.dump_wanted());
}

TEST_F(Control, FilesThatComeWhileTheRunReadsItsCheckpointCount)
{
    run::forget_requests(lock);
    touch("stop");
    touch("dump");
    run::RunControl control = this->control({});
    EXPECT_EQ(control.stop_reason(), "the file stop") << "before the first step";
    EXPECT_TRUE(control.dump_wanted());
}

TEST_F(Control, SignalsAreNamedAndTakenOnce)
{
    run::RunControl control = this->control({});
    std::raise(SIGHUP);
    EXPECT_EQ(control.stop_reason(), "");
    EXPECT_TRUE(control.dump_wanted());
    EXPECT_FALSE(control.dump_wanted());
    std::raise(SIGUSR1);
    EXPECT_EQ(control.stop_reason(), "SIGUSR1");
    std::raise(SIGTERM);
    EXPECT_EQ(control.stop_reason(), "SIGTERM");
}

TEST_F(Control, NobodyIsAnsweredWhoseDirectoryIsGone)
{
    const fs::path here = folder / "out";
    const run::DirectoryLock first(here);
    run::RunControl control(first, 50.0, [this] { return seconds; });
    fs::rename(here, folder / "moved");
    const run::DirectoryLock second(here);
    EXPECT_EQ(control.stop_reason(), "") << "too soon for another look";
    std::raise(SIGHUP);
    EXPECT_THROW(control.dump_wanted(), IoError);
    std::raise(SIGUSR1);
    EXPECT_THROW(control.stop_reason(), IoError) << "the checkpoint would go into the second run's directory";
    run::RunControl limited(second, 50.0, [this] { return seconds; });
    fs::remove_all(here);
    seconds += 50;
    EXPECT_THROW(limited.stop_reason(), IoError);
}

TEST_F(Control, ALogThatNobodyReadsAnyMoreEndsNoRun)
{
    run::RunControl control = this->control({});
    EXPECT_EXIT(
        {
            std::raise(SIGPIPE);
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(Control, AfterAnInterruptTheNextSignalEndsTheProgram)
{
    run::RunControl control = this->control({});
    EXPECT_EXIT(
        {
            std::raise(SIGINT);
            std::this_thread::sleep_for(std::chrono::duration<double>(1.2 * run::StopSignal::one_request));
            std::raise(SIGTERM);
        },
        testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace aureole::test
