// A write beside the run: in order, one at a time, and with its errors.
#include "sim/run/outputs/background_write.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test {
namespace {

void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

TEST(BackgroundWrite, GoesOnBesideTheCaller)
{
    std::promise<void> go;
    run::BackgroundWrite background;
    background.start([may_go = go.get_future()]() mutable { may_go.get(); });
    EXPECT_TRUE(background.busy()) << "start() would never return otherwise";
    go.set_value();
    background.wait();
    EXPECT_FALSE(background.busy());
    background.wait();  // nothing to wait for
}

TEST(BackgroundWrite, TheNextOneWaitsForTheOneBefore)
{
    std::atomic<int> at_once{0}, most{0}, done{0};
    run::BackgroundWrite background;
    for (int k = 0; k < 4; ++k)
        background.start([&] {
            most = std::max(most.load(), ++at_once);
            pause();
            --at_once;
            ++done;
        });
    background.wait();
    EXPECT_EQ(most, 1);
    EXPECT_EQ(done, 4);
}

TEST(BackgroundWrite, ItsErrorComesWithTheNextCallAndOnlyOnce)
{
    run::BackgroundWrite background;
    const auto fail = [] { throw IoError("the disk is full"); };
    background.start(fail);
    EXPECT_EQ(message_of<IoError>([&] { background.wait(); }), "the disk is full");
    EXPECT_NO_THROW(background.wait());
    background.start(fail);
    bool begun = false;
    EXPECT_EQ(message_of<IoError>([&] { background.start([&] { begun = true; }); }), "the disk is full");
    EXPECT_NO_THROW(background.wait());
    EXPECT_FALSE(begun) << "after an error nothing more is written";
}

TEST(BackgroundWrite, TellsWhenItHasEndedAndOthersMayWaitForItToo)
{
    std::promise<void> go;
    run::BackgroundWrite background;
    EXPECT_FALSE(background.ended());
    EXPECT_FALSE(background.pending().valid());
    background.start([may_go = go.get_future()]() mutable {
        may_go.get();
        throw IoError("the disk is full");
    });
    EXPECT_FALSE(background.ended());
    const std::shared_future<void> write = background.pending();
    go.set_value();
    EXPECT_EQ(message_of<IoError>([&] { write.get(); }), "the disk is full");
    EXPECT_TRUE(background.ended());
    EXPECT_EQ(message_of<IoError>([&] { background.wait(); }), "the disk is full");
    EXPECT_FALSE(background.ended());
}

TEST(BackgroundWrite, IsDoneWhenItsOwnerIsGone)
{
    std::atomic<bool> done{false};
    {
        run::BackgroundWrite background;
        background.start([&] {
            pause();
            done = true;
        });
    }
    EXPECT_TRUE(done);
}

}  // namespace
}  // namespace aureole::test
