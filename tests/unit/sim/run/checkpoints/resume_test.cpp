#include "sim/run/checkpoints/resume.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

const char* const resumed_settings = R"(
seed: 3
gravity: {softening: 0.1}
integrator: {timestep: 0.1}
run: {end_time: 1}
initial_conditions: {model: plummer, particles: 10}
)";

run::Config with(const std::vector<std::string>& overrides)
{
    return run::parse_config(resumed_settings, "test.yaml", overrides);
}

TEST(SameRun, MayChangeItsEndAndWhatItWrites)
{
    EXPECT_NO_THROW(run::expect_same_run(
        with({}), with({"run.end_time=2", "output.snapshots.every=0.1", "output.checkpoints.steps=5",
                        "pictures.pixels=200", "halos.min_members=30"})));
}

TEST(SameRun, IsRefusedWithEveryKeyThatDiffers)
{
    const std::string message = message_of<ConfigError>([] {
        run::expect_same_run(with({}), with({"seed=4", "gravity.solver=tree", "precision=double",
                                             "units=galactic", "initial_conditions.particles=11"}));
    });
    for (const char* words :
         {"key 'seed': found 4, expected 3", "key 'gravity.solver': found tree, expected direct",
          "key 'precision': found double, expected mixed", "key 'units': found ", "expected nbody",
          "key 'initial_conditions.components.0.particles': found 11, expected 10"})
        EXPECT_TRUE(contains(message, words));
    EXPECT_THROW(
        run::expect_same_run(with({}), with({"initial_conditions=[{model: plummer}, {model: plummer}]"})),
        ConfigError);
}

TEST(WallTime, IsHoursMinutesAndSeconds)
{
    EXPECT_EQ(run::parse_wall_time("00:50:00"), 3000);
    EXPECT_EQ(run::parse_wall_time("100:00:01"), 360001);
    for (const char* wrong : {"", "50", "00:50", "00:60:00", "00:00:60", "00:00:00", "-1:00:00", "00:50:00s"})
        EXPECT_THROW(run::parse_wall_time(wrong), ConfigError) << wrong;
}

class Logs : public ::testing::Test {
protected:
    std::string content() const
    {
        std::ifstream in(file_);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    TemporaryFolder folder_;
    std::filesystem::path file_ = folder_ / "log.csv";
};

TEST_F(Logs, GoOnBehindTheRowsThatAreKept)
{
    std::uint64_t kept = 0;
    {
        run::CsvFile log(file_, {"a", "b"});
        log.add(std::array{1.0, 2.0});
        kept = log.bytes();
        log.add(std::array{3.0, 4.0});
    }
    run::CsvFile log(file_, {"a", "b"}, kept);
    log.add(std::array{5.0, 6.0});
    EXPECT_EQ(content(), "a,b\n1,2\n5,6\n");
    EXPECT_EQ(log.bytes(), content().size());
}

TEST_F(Logs, ThatAreNotThoseOfTheCheckpointAreRefused)
{
    const auto go_on = [&](std::uint64_t keep) { run::CsvFile(file_, {"a", "b"}, keep); };
    EXPECT_THROW(go_on(4), IoError) << "there is none";
    std::ofstream(file_) << "a,b\n1,2\n";
    EXPECT_THROW(go_on(9), IoError) << "shorter than it was";
    EXPECT_THROW(go_on(7), IoError) << "not at the end of a row";
    std::ofstream(file_) << "a,c\n1,2\n";
    EXPECT_THROW(go_on(8), IoError) << "other columns";
}

}  // namespace
}  // namespace aureole::test
