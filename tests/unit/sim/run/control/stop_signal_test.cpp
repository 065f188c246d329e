// Signals as a run sees them: of any thread, each once, and none of those that the parent has ignored.
#include "sim/run/control/stop_signal.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
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
    const SignalActions actions{SIG_DFL};  // whoever started the tests may ignore some
};

TEST_F(StopSignals, NothingIsAskedForAtFirst)
{
    run::StopSignal signal;
    EXPECT_EQ(signal.name(), "");
    EXPECT_FALSE(signal.take_dump());
}

TEST_F(StopSignals, IsSeenWhicheverThreadItComesTo)
{
    for (const auto& [number, name] :
         {std::pair(SIGINT, "SIGINT"), {SIGTERM, "SIGTERM"}, {SIGUSR1, "SIGUSR1"}}) {
        const run::StopSignal signal;
        EXPECT_TRUE(seen_from_another_thread(number, [&] { return !signal.name().empty(); })) << name;
        EXPECT_EQ(signal.name(), name);
    }
}

TEST_F(StopSignals, ASnapshotIsAskedForOnceASignal)
{
    run::StopSignal signal;
    for (int k = 0; k < 2; ++k) {
        EXPECT_TRUE(seen_from_another_thread(SIGHUP, [&] { return signal.take_dump(); }));
        EXPECT_FALSE(signal.take_dump());
    }
    EXPECT_EQ(signal.name(), "");
}

TEST_F(StopSignals, TheNextOneBeginsAnew)
{
    {
        const run::StopSignal signal;
        std::raise(SIGUSR1);
        std::raise(SIGHUP);
    }
    run::StopSignal signal;
    EXPECT_EQ(signal.name(), "");
    EXPECT_FALSE(signal.take_dump());
}

TEST_F(StopSignals, WhatWasIgnoredStaysIgnored)
{
    for (const int number : asking_signals) {
        std::signal(number, SIG_IGN);
        {
            run::StopSignal signal;
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
        const run::StopSignal signal, within;
        EXPECT_EQ(action_of(SIGPIPE), SIG_IGN);
    }
    for (const int number : asking_signals) EXPECT_EQ(action_of(number), +handler) << number;
    EXPECT_EQ(action_of(SIGPIPE), +handler);
}

TEST_F(StopSignals, TheSameRequestTwiceInAMomentIsOne)
{
    const run::StopSignal signal;
    for (int k = 0; k < 3; ++k) std::raise(SIGTERM);  // as from timeout(1): to the run, then to its group
    EXPECT_EQ(signal.name(), "SIGTERM");
}

}  // namespace
}  // namespace aureole::test
