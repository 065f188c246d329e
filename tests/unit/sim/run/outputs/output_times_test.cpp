#include "sim/run/outputs/output_schedule.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace aureole::test {
namespace {

using run::OutputInterval;

/// The times, among those of steps `dt` from 0 to `end`, at which the schedule writes.
std::vector<double> written(OutputInterval schedule, double dt, int steps)
{
    std::vector<double> times;
    for (int k = 0; k <= steps; ++k) {
        const double time = k * dt;
        if (schedule.due(time)) times.push_back(time);
        schedule.pass(time);
    }
    return times;
}

TEST(OutputInterval, WritesAtMultiplesDespiteRounding)
{
    const auto times = written({0, 0.3}, 0.1, 30);  // 3 * 0.1 > 0.3 in binary, 0.1 * 6 > 0.6 is not
    ASSERT_EQ(times.size(), 11u);
    for (int k = 0; k <= 10; ++k) EXPECT_NEAR(times[static_cast<std::size_t>(k)], 0.3 * k, 1e-12);
}

TEST(OutputInterval, WritesOnTheFirstStepAtOrAfter)
{
    const auto times = written({0, 1.0}, 0.4, 6);
    EXPECT_EQ(times.size(), 3u);
    EXPECT_DOUBLE_EQ(times[1], 1.2);
    EXPECT_DOUBLE_EQ(times[2], 2.0);
}

TEST(OutputInterval, LongStepsWriteOnceEach) { EXPECT_EQ(written({0, 0.1}, 1.0, 5).size(), 6u); }

TEST(OutputInterval, NeverMeansNever)
{
    EXPECT_TRUE(written({0, 0}, 1.0, 5).empty());
    EXPECT_TRUE(written({}, 1.0, 5).empty());
}

TEST(OutputInterval, StartsWhereTheRunStarts)
{
    OutputInterval schedule(10, 2);
    EXPECT_TRUE(schedule.due(10));
    schedule.pass(10);
    EXPECT_DOUBLE_EQ(schedule.next(), 12);
    EXPECT_FALSE(schedule.due(11.9));
}

}  // namespace
}  // namespace aureole::test
