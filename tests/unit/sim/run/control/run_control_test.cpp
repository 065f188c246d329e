// Requests to a run, and the lock of its directory.
#include "sim/run/control/run_control.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <utility>

#include "tests/support/message_of.hpp"
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
    Control()
    {
        callbacks.stop_reason = [this] { return reason; };
        callbacks.dump_requested = [this] { return std::exchange(dump, false); };
    }
    run::RunControl control(std::optional<double> wall_seconds)
    {
        return {lock, wall_seconds, callbacks, [this] { return seconds; }};
    }
    void touch(const char* name) const { std::ofstream(folder / name) << ""; }

    const TemporaryFolder folder;
    const run::DirectoryLock lock{folder.path()};
    double seconds = 1000;
    std::string reason;
    bool dump = false;
    run::RunCallbacks callbacks;
};

TEST_F(Control, TheTimeLimitCountsFromTheBeginning)
{
    run::RunControl control = this->control(50.0);
    seconds += 49;
    EXPECT_EQ(control.stop_reason(), "");
    seconds += 1;
    EXPECT_EQ(control.stop_reason(), "--max-wall");
}

TEST_F(Control, FilesAreSeenAlthoughTheClockGoesBack)
{
    run::RunControl control = this->control(50.0);
    seconds -= 1e9;
    EXPECT_EQ(control.stop_reason(), "");
    touch("stop");
    touch("dump");
    seconds -= 1;
    EXPECT_EQ(control.stop_reason(), "the file stop");
    EXPECT_TRUE(control.take_dump_request());
    EXPECT_FALSE(control.take_dump_request());
    EXPECT_FALSE(fs::exists(folder / "stop"));
}

TEST_F(Control, FilesOfAnEarlierRunAreNoRequests)
{
    touch("stop");
    touch("dump");
    run::forget_requests(lock);
    EXPECT_FALSE(fs::exists(folder / "stop"));
    run::RunControl control = this->control({});
    seconds += 1;
    EXPECT_EQ(control.stop_reason(), "");
    EXPECT_FALSE(control.take_dump_request());
}

TEST_F(Control, FilesThatComeWhileTheRunReadsItsCheckpointCount)
{
    run::forget_requests(lock);
    touch("stop");
    touch("dump");
    run::RunControl control = this->control({});
    EXPECT_EQ(control.stop_reason(), "the file stop") << "before the first step";
    EXPECT_TRUE(control.take_dump_request());
}

TEST_F(Control, TheCallerIsAskedEachTimeAndADumpIsTakenOnce)
{
    run::RunControl control = this->control({});
    dump = true;
    EXPECT_EQ(control.stop_reason(), "");
    EXPECT_TRUE(control.take_dump_request());
    EXPECT_FALSE(control.take_dump_request());
    reason = "the caller";
    EXPECT_EQ(control.stop_reason(), "the caller");
    reason = "another reason";
    EXPECT_EQ(control.stop_reason(), "another reason");
}

TEST_F(Control, CallbacksMayBeEmpty)
{
    const run::RunCallbacks none;
    run::RunControl control(lock, {}, none, [this] { return seconds; });
    EXPECT_EQ(control.stop_reason(), "");
    EXPECT_FALSE(control.take_dump_request());
}

TEST_F(Control, ARequestIsRefusedWhenTheDirectoryIsNoLongerTheRuns)
{
    const fs::path here = folder / "out";
    const run::DirectoryLock first(here);
    run::RunControl control(first, 50.0, callbacks, [this] { return seconds; });
    fs::rename(here, folder / "moved");
    const run::DirectoryLock second(here);
    EXPECT_EQ(control.stop_reason(), "") << "too soon for another look";
    dump = true;
    EXPECT_THROW(control.take_dump_request(), IoError);
    reason = "the caller";
    EXPECT_THROW(control.stop_reason(), IoError) << "the checkpoint would go into the second run's directory";
    reason = "";
    run::RunControl limited(second, 50.0, callbacks, [this] { return seconds; });
    fs::remove_all(here);
    seconds += 50;
    EXPECT_THROW(limited.stop_reason(), IoError);
}

}  // namespace
}  // namespace aureole::test
