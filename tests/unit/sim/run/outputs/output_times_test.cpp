#include "sim/run/outputs/output_schedule.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace aureole::test {
namespace {

using run::OutputTimes;

/// The times, among those of steps `dt` from 0 to `end`, at which the schedule writes.
std::vector<double> written(OutputTimes schedule, double dt, int steps)
{
    std::vector<double> times;
    for (int k = 0; k <= steps; ++k) {
        const double time = k * dt;
        if (schedule.due(time)) times.push_back(time);
        schedule.pass(time);
    }
    return times;
}

TEST(OutputTimes, WritesAtMultiplesDespiteRounding)
{
    const auto times = written({0, 0.3}, 0.1, 30);  // 3 * 0.1 > 0.3 in binary, 0.1 * 6 > 0.6 is not
    ASSERT_EQ(times.size(), 11u);
    for (int k = 0; k <= 10; ++k) EXPECT_NEAR(times[static_cast<std::size_t>(k)], 0.3 * k, 1e-12);
}

TEST(OutputTimes, WritesOnTheFirstStepAtOrAfter)
{
    const auto times = written({0, 1.0}, 0.4, 6);
    EXPECT_EQ(times.size(), 3u);
    EXPECT_DOUBLE_EQ(times[1], 1.2);
    EXPECT_DOUBLE_EQ(times[2], 2.0);
}

TEST(OutputTimes, LongStepsWriteOnceEach) { EXPECT_EQ(written({0, 0.1}, 1.0, 5).size(), 6u); }

TEST(OutputTimes, NeverMeansNever)
{
    EXPECT_TRUE(written({0, 0}, 1.0, 5).empty());
    EXPECT_TRUE(written({}, 1.0, 5).empty());
}

TEST(OutputTimes, StartsWhereTheRunStarts)
{
    OutputTimes schedule(10, 2);
    EXPECT_TRUE(schedule.due(10));
    schedule.pass(10);
    EXPECT_DOUBLE_EQ(schedule.next(), 12);
    EXPECT_FALSE(schedule.due(11.9));
}

run::OutputTimes list(std::vector<double> times, double start = 0) { return {start, {0, std::move(times)}}; }

TEST(OutputTimes, OfAListAreWrittenOnTheFirstStepAtOrAfterEachDespiteRounding)
{
    // 0.1 * 3 is above 0.3 and 0.1 * 6 above 0.6, 0.1 * 9 is 0.9, and 100 * 0.01 from -0.7 on is below 0.3
    EXPECT_EQ(written(list({0, 0.3, 0.6, 0.9}), 0.1, 12), (std::vector{0.0, 0.1 * 3, 0.1 * 6, 0.1 * 9}));
    EXPECT_EQ(written(list({0.35, 0.75}), 0.1, 12), (std::vector{0.1 * 4, 0.1 * 8}));
    run::OutputTimes negative = list({0.3}, -0.7);
    EXPECT_FALSE(negative.due(-0.7 + 99 * 0.01));
    EXPECT_TRUE(negative.due(-0.7 + 100 * 0.01));
}

TEST(OutputTimes, OfAListThatAreNotThereAreNeverWritten)
{
    EXPECT_EQ(written(list({2}), 1.0, 5), std::vector{2.0}) << "neither at the start nor at the end";
    EXPECT_EQ(written(list({1.1, 1.2, 1.3}), 1.0, 5), std::vector{2.0}) << "three in one step";
    EXPECT_TRUE(written(list({}), 1.0, 5).empty());
}

TEST(OutputTimes, OfAListNeedNoStateToGoOn)
{
    run::OutputTimes whole = list({0.3, 0.6, 0.9});
    for (int step = 0; step <= 10; ++step) {
        const double time = step * 0.1;
        whole.pass(time);
        run::OutputTimes resumed = list({0.3, 0.6, 0.9});
        resumed.restore({}, time);
        EXPECT_EQ(resumed.next(), whole.next()) << "after " << time;
    }
}

}  // namespace
}  // namespace aureole::test
