// Signals as a run sees them: of any thread, each once.
#include "sim/run/stop_signal.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

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

TEST(StopSignal, NothingIsAskedForAtFirst)
{
    run::StopSignal signal;
    EXPECT_EQ(signal.name(), "");
    EXPECT_FALSE(signal.take_dump());
}

TEST(StopSignal, IsSeenWhicheverThreadItComesTo)
{
    for (const auto& [number, name] :
         {std::pair(SIGINT, "SIGINT"), {SIGTERM, "SIGTERM"}, {SIGUSR1, "SIGUSR1"}}) {
        const run::StopSignal signal;
        EXPECT_TRUE(seen_from_another_thread(number, [&] { return !signal.name().empty(); })) << name;
        EXPECT_EQ(signal.name(), name);
    }
}

TEST(StopSignal, ASnapshotIsAskedForOnceASignal)
{
    run::StopSignal signal;
    for (int k = 0; k < 2; ++k) {
        EXPECT_TRUE(seen_from_another_thread(SIGHUP, [&] { return signal.take_dump(); }));
        EXPECT_FALSE(signal.take_dump());
    }
    EXPECT_EQ(signal.name(), "");
}

TEST(StopSignal, TheNextOneBeginsAnew)
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

}  // namespace
}  // namespace aureole::test
