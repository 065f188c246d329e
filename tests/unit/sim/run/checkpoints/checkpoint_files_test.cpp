// When checkpoints are due, on a clock that a test lets stand, run and jump.
#include "sim/run/checkpoints/checkpoint_files.hpp"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
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

/// The step of the newest and of the previous checkpoint; -1 where there is none.
class CheckpointBesideTheSteps : public CheckpointClock {
protected:
    static run::RunState at_step(std::uint64_t step)
    {
        run::RunState state;
        state.step = step;
        return state;
    }
    std::int64_t step_of(const char* name) const
    {
        if (!std::filesystem::exists(folder / name)) return -1;
        return static_cast<std::int64_t>(run::read_checkpoint(folder / name).state.step);
    }
    std::int64_t newest() const { return step_of(run::checkpoint_name); }
    std::int64_t previous() const { return step_of(run::previous_checkpoint_name); }

    run::CheckpointFiles files = checkpoints("{steps: 1}");
    const Particles none{Backend::cpu, 0};
};

TEST_F(CheckpointBesideTheSteps, HasItsNameWhenWhatItCountsIsDoneAndNotBefore)
{
    files.write(at_step(1), none);
    std::promise<void> reached, done;
    files.begin(at_step(2), none, {}, [&, counted = done.get_future().share()] {
        reached.set_value();
        counted.get();
    });
    reached.get_future().get();  // all its bytes are on the disk
    EXPECT_FALSE(files.ended());
    EXPECT_EQ(newest(), 1);
    EXPECT_EQ(previous(), -1);
    done.set_value();
    files.finish();
    EXPECT_EQ(newest(), 2);
    EXPECT_EQ(previous(), 1);
    EXPECT_FALSE(files.ended());
}

TEST_F(CheckpointBesideTheSteps, IsAbsentWhereWhatItCountsFailed)
{
    files.write(at_step(1), none);
    files.write(at_step(2), none);
    files.begin(at_step(3), none, {}, [] { throw IoError("snapshot_003.hdf5: the disk is full"); });
    while (!files.ended()) std::this_thread::yield();
    EXPECT_EQ(message_of<IoError>([&] { files.finish(); }), "snapshot_003.hdf5: the disk is full");
    EXPECT_NO_THROW(files.finish()) << "an error is told once";
    EXPECT_EQ(newest(), 2);
    EXPECT_EQ(previous(), 1);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST_F(CheckpointBesideTheSteps, TheNextOneWaitsForItAndTellsItsError)
{
    for (std::uint64_t step = 1; step <= 3; ++step)
        files.begin(at_step(step), none, {},
                    [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
    EXPECT_EQ(newest(), 2);
    files.finish();
    EXPECT_EQ(newest(), 3);
    EXPECT_EQ(previous(), 2);
    files.begin(at_step(4), none, {}, [] { throw IoError("lost"); });
    EXPECT_EQ(message_of<IoError>([&] { files.begin(at_step(5), none, {}); }), "lost");
    files.finish();
    EXPECT_EQ(newest(), 3) << "after an error nothing more is written";
}

TEST(Checkpoints, OfLargeSetsAreWrittenBesideTheStepsOnAGpuOnly)
{
    EXPECT_TRUE(run::written_beside_steps(Backend::cpu, 1'000'000));
    EXPECT_FALSE(run::written_beside_steps(Backend::cpu, 100'000'000));
    EXPECT_TRUE(run::written_beside_steps(Backend::cuda, 100'000'000));
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
