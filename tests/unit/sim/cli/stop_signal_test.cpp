// Signals as the program sees them: of any thread, each once, and none of those that the parent has ignored.
#include "sim/cli/stop_signal.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "tests/support/signal_actions.hpp"

namespace aureole::test {
namespace {

/// Raises `number` in a thread of its own, where the system may deliver what is sent to the process too,
/// while the caller asks `seen`. False when it was not seen within seconds.
template <class Seen>
bool seen_from_another_thread(int number, Seen seen)
{
    std::thread other([number] { std::raise(number); });
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    bool found = false;
    while (!found && std::chrono::steady_clock::now() < end) found = seen();
    other.join();
    return found;
}

class StopSignals : public testing::Test {
protected:
    // earlier tests of the same program have left threads, which a fork alone does not take along
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

    const SignalActions actions{SIG_DFL};  // the parent of the tests may ignore some
};

TEST_F(StopSignals, NothingIsAskedForAtFirst)
{
    cli::StopSignal signal;
    EXPECT_EQ(signal.name(), "");
    EXPECT_FALSE(signal.take_dump());
}

TEST_F(StopSignals, IsSeenWhicheverThreadItComesTo)
{
    for (const auto& [number, name] :
         {std::pair(SIGINT, "SIGINT"), {SIGTERM, "SIGTERM"}, {SIGUSR1, "SIGUSR1"}}) {
        const cli::StopSignal signal;
        EXPECT_TRUE(seen_from_another_thread(number, [&] { return !signal.name().empty(); })) << name;
        EXPECT_EQ(signal.name(), name);
    }
}

TEST_F(StopSignals, ASnapshotIsAskedForOnceASignal)
{
    cli::StopSignal signal;
    for (int k = 0; k < 2; ++k) {
        EXPECT_TRUE(seen_from_another_thread(SIGHUP, [&] { return signal.take_dump(); }));
        EXPECT_FALSE(signal.take_dump());
    }
    EXPECT_EQ(signal.name(), "");
}

TEST_F(StopSignals, TheNextOneBeginsAnew)
{
    {
        const cli::StopSignal signal;
        std::raise(SIGUSR1);
        std::raise(SIGHUP);
    }
    cli::StopSignal signal;
    EXPECT_EQ(signal.name(), "");
    EXPECT_FALSE(signal.take_dump());
}

TEST_F(StopSignals, WhatWasIgnoredStaysIgnored)
{
    for (const int number : asking_signals) {
        std::signal(number, SIG_IGN);
        {
            cli::StopSignal signal;
            std::raise(number);
            EXPECT_EQ(signal.name(), "") << number;
            EXPECT_FALSE(signal.take_dump()) << number;
            for (const int other : asking_signals)  // these were not
                if (other != number && other != SIGHUP) std::raise(other);
            EXPECT_NE(signal.name(), "") << number;
            EXPECT_EQ(action_of(number), SIG_IGN) << number << " after another one that ends the run";
        }
        EXPECT_EQ(action_of(number), SIG_IGN) << number;
        std::signal(number, SIG_DFL);
    }
}

TEST_F(StopSignals, WhatWasThereBeforeComesBack)
{
    const auto handler = [](int) {};
    for (const int number : asking_signals) std::signal(number, handler);
    std::signal(SIGPIPE, handler);
    {
        const cli::StopSignal signal, within;
        EXPECT_EQ(action_of(SIGPIPE), SIG_IGN);
    }
    for (const int number : asking_signals) EXPECT_EQ(action_of(number), +handler) << number;
    EXPECT_EQ(action_of(SIGPIPE), +handler);
}

TEST_F(StopSignals, TheSameRequestTwiceInAMomentIsOne)
{
    const cli::StopSignal signal;
    for (int k = 0; k < 3; ++k) std::raise(SIGTERM);  // as from timeout(1): to the run, then to its group
    EXPECT_EQ(signal.name(), "SIGTERM");
}

TEST_F(StopSignals, TheLastSignalIsNamed)
{
    cli::StopSignal signal;
    std::raise(SIGHUP);
    EXPECT_EQ(signal.name(), "");
    EXPECT_TRUE(signal.take_dump());
    std::raise(SIGUSR1);
    EXPECT_EQ(signal.name(), "SIGUSR1");
    std::raise(SIGTERM);
    EXPECT_EQ(signal.name(), "SIGTERM");
}

TEST_F(StopSignals, AClosedPipeDoesNotEndTheProgram)
{
    const cli::StopSignal signal;
    EXPECT_EXIT(
        {
            std::raise(SIGPIPE);
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(StopSignals, AfterAnInterruptTheNextSignalEndsTheProgram)
{
    const cli::StopSignal signal;
    EXPECT_EXIT(
        {
            std::raise(SIGINT);
            std::this_thread::sleep_for(std::chrono::duration<double>(1.2 * cli::StopSignal::one_request));
            std::raise(SIGTERM);
        },
        testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace aureole::test
