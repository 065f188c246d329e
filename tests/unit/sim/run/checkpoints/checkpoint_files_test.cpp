// When checkpoints are due, on a clock that a test lets stand, run and jump.
#include "sim/run/checkpoints/checkpoint_files.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

constexpr double minute = 60;

run::Config config(const std::string& checkpoints)
{
    return run::parse_config("run: {end_time: 10}\noutput: {checkpoints: " + checkpoints + "}", "test", {});
}

run::RunState state_at(double time)
{
    run::RunState state;
    state.simulation.time = time;
    return state;
}

class CheckpointClock : public testing::Test {
protected:
    run::CheckpointFiles checkpoints(const std::string& settings)
    {
        return {folder.path(), config(settings), 0, [this] { return seconds; }};
    }
    const TemporaryFolder folder;
    double seconds = 1000;
};

TEST_F(CheckpointClock, MinutesCountFromTheLastCheckpoint)
{
    run::CheckpointFiles checkpoints = this->checkpoints("{minutes: 30}");
    seconds += 29 * minute;
    EXPECT_FALSE(checkpoints.due(1, 0.1));
    seconds += 2 * minute;
    EXPECT_TRUE(checkpoints.due(2, 0.2));
    checkpoints.write(state_at(0.2), Particles(Backend::cpu, 0));
    EXPECT_FALSE(checkpoints.due(3, 0.3));
    seconds += 30 * minute;
    EXPECT_TRUE(checkpoints.due(4, 0.4));
}

TEST_F(CheckpointClock, AJumpForwardCostsOneCheckpointAndNoMore)
{
    run::CheckpointFiles checkpoints = this->checkpoints("{minutes: 30}");
    seconds += 1e9;
    EXPECT_TRUE(checkpoints.due(1, 0.1));
    checkpoints.write(state_at(0.1), Particles(Backend::cpu, 0));
    EXPECT_FALSE(checkpoints.due(2, 0.2));
}

TEST_F(CheckpointClock, AClockThatStandsOrGoesBackHoldsUpNeitherStepsNorTimes)
{
    run::CheckpointFiles checkpoints = this->checkpoints("{minutes: 30, steps: 4, every: 0.5}");
    seconds -= 1e9;
    EXPECT_FALSE(checkpoints.due(1, 0.1));
    EXPECT_TRUE(checkpoints.due(4, 0.4));
    EXPECT_TRUE(checkpoints.due(5, 0.5));
    checkpoints.write(state_at(0.5), Particles(Backend::cpu, 0));
    EXPECT_FALSE(checkpoints.due(6, 0.6));
    seconds += 31 * minute;  // it runs again
    EXPECT_TRUE(checkpoints.due(7, 0.7));
}

TEST_F(CheckpointClock, WithoutMinutesTheClockIsNotAsked)
{
    run::CheckpointFiles checkpoints = this->checkpoints("{minutes: 0}");
    seconds += 1e9;
    EXPECT_FALSE(checkpoints.due(1, 0.1));
    EXPECT_FALSE(checkpoints.any());
}

TEST_F(CheckpointClock, WhereOnlyThePreviousOneIsLeftThereIsOneToGoOnFrom)
{
    run::CheckpointFiles checkpoints = this->checkpoints("{steps: 1}");
    EXPECT_FALSE(checkpoints.any());
    checkpoints.write(state_at(0.1), Particles(Backend::cpu, 0));
    checkpoints.write(state_at(0.2), Particles(Backend::cpu, 0));
    std::filesystem::remove(folder / run::checkpoint_name);  // as one that was set aside
    EXPECT_TRUE(checkpoints.any());
}

TEST(WallClock, NeverGoesBack)
{
    double before = run::steady_seconds();
    for (int k = 0; k < 1000; ++k) {
        const double now = run::steady_seconds();
        EXPECT_GE(now, before);
        before = now;
    }
}

}  // namespace
}  // namespace aureole::test
