// The log of a bar: phases that are unwrapped from record to record, and what a checkpoint keeps of them.
#include "sim/run/diagnostics/bar_log.hpp"

#include <cmath>
#include <numbers>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test {
namespace {

using run::BarPhases;
using std::numbers::pi;

constexpr Vec3 z_axis{0, 0, 1}, x_axis{1, 0, 0};

double wrapped(double phase) { return std::remainder(phase, pi); }

TEST(BarLog, PhasesAreUnwrappedAndTheirDifferencesAreTheSpeed)
{
    BarPhases phases;
    const double speed = 0.9;
    for (int k = 0; k < 40; ++k) {
        const double t = 0.5 * k;
        const auto step = phases.add({t, wrapped(0.2 + speed * t), run::not_measured, z_axis, x_axis});
        EXPECT_NEAR(step.unwrapped, 0.2 + speed * t, 1e-12);
        EXPECT_EQ(std::isnan(step.speed), k == 0);
        if (k > 0) {
            EXPECT_NEAR(step.speed, speed, 1e-12);
        }
    }
}

TEST(BarLog, MeasuredSpeedsTellHowManyHalfTurnsLieBetweenRareRecords)
{
    BarPhases phases;
    const double speed = -1.7;  // 4.3 half turns from record to record
    for (int k = 0; k < 5; ++k) {
        const double t = 8.0 * k;
        const auto step = phases.add({t, wrapped(speed * t), speed * (1 + 0.01 * (k % 2)), z_axis, x_axis});
        EXPECT_NEAR(step.unwrapped, speed * t, 1e-12);
    }
}

TEST(BarLog, WithoutABarAndAfterAJumpOfTheFrameThePhaseStartsAgain)
{
    BarPhases phases;
    phases.add({0, 0.3, run::not_measured, z_axis, x_axis});
    EXPECT_TRUE(std::isnan(phases.add({1, run::not_measured, run::not_measured, z_axis, x_axis}).unwrapped));
    auto step = phases.add({2, 0.5, run::not_measured, z_axis, x_axis});
    EXPECT_EQ(step.unwrapped, 0.5);
    EXPECT_TRUE(std::isnan(step.speed));
    step = phases.add({3, 0.6, run::not_measured, z_axis, {0, 1, 0}});
    EXPECT_EQ(step.unwrapped, 0.6);
    EXPECT_TRUE(std::isnan(step.speed));
    step = phases.add({4, 0.7, run::not_measured, {0, 0, -1}, {0, 1, 0}});
    EXPECT_TRUE(std::isnan(step.speed));
    EXPECT_NEAR(phases.add({5, 0.75, run::not_measured, {0, 0, -1}, {0, 1, 0}}).speed, 0.05, 1e-12);
}

TEST(BarLog, WhatACheckpointKeepsContinuesBitForBit)
{
    BarPhases whole;
    for (int k = 0; k < 7; ++k) {
        BarPhases resumed;
        resumed.restore(whole.kept_state());
        const BarPhases::Record record{0.7 * k, wrapped(1.3 * k), 1.8, z_axis, x_axis};
        const auto a = whole.add(record), b = resumed.add(record);
        EXPECT_EQ(a.unwrapped, b.unwrapped);
        EXPECT_TRUE(a.speed == b.speed || (k == 0 && std::isnan(a.speed) && std::isnan(b.speed)));
    }
    EXPECT_TRUE(BarPhases().kept_state().empty());
    BarPhases wrong;
    const std::vector<double> three(3, 1.0);
    EXPECT_NE(message_of<IoError>([&] { wrong.restore(three); }).find("3 numbers, expected 10 finite"),
              std::string::npos);
}

}  // namespace
}  // namespace aureole::test
