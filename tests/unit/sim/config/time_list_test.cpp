#include "sim/config/config_key.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "sim/config/config.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test::time_list_test {
namespace {

run::Config config(const std::string& times, const std::filesystem::path& file = "run.yaml")
{
    return run::parse_config("units: galactic\noutput: {snapshots: {times: " + times + "}}", file, {});
}

std::string complaint(const std::string& times)
{
    return message_of<ConfigError>([&] { config(times); });
}

class TimeList : public testing::Test {
protected:
    std::filesystem::path write(const std::string& text) const
    {
        std::ofstream(folder_ / "times.txt", std::ios::binary) << text;
        return folder_ / "run.yaml";
    }
    std::string complaint_about(const std::string& text) const
    {
        return message_of<ConfigError>([&] { config("times.txt", write(text)); });
    }
    TemporaryFolder folder_;
};

TEST_F(TimeList, MayCarryUnitsAndComesBackFromItsYaml)
{
    const run::Config given = config("[0, 0.5, 1000 Myr]");
    ASSERT_EQ(given.output.snapshots.times.size(), 3u);
    EXPECT_EQ(given.output.snapshots.times[1], 0.5);
    EXPECT_EQ(given.output.snapshots.times[2], run::parse_time("1000 Myr", *given.units));
    EXPECT_GT(given.output.snapshots.times[2], 0.9) << "the unit is 0.978 Gyr";
    const run::Config again = run::parse_config(to_yaml(given), "again.yaml", {});
    EXPECT_EQ(again.output.snapshots.times, given.output.snapshots.times);
    EXPECT_EQ(config("2.5").output.snapshots.times, std::vector{2.5});
    EXPECT_TRUE(config("[]").output.snapshots.times.empty());
}

TEST_F(TimeList, MayBeAFileWhoseTimesTheConfigurationThenHolds)
{
    const auto file = write("# of the first pericentre\n0\r\n\n  0.5  # the last one before\n\t1000 Myr\n");
    const run::Config given = config("times.txt", file);
    EXPECT_EQ(given.output.snapshots.times, config("[0, 0.5, 1000 Myr]").output.snapshots.times);
    std::filesystem::remove(folder_ / "times.txt");
    EXPECT_EQ(run::parse_config(to_yaml(given), file, {}).output.snapshots.times,
              given.output.snapshots.times);
}

TEST_F(TimeList, IsRefusedWhereItsTimesDoNotRiseOrAreNoTimes)
{
    EXPECT_EQ(complaint("[0, 2, 1]"),
              "run.yaml:2: key 'output.snapshots.times': found 1 after 2, expected each time once, in rising "
              "order");
    EXPECT_TRUE(contains(complaint("[0, 2, 2.0]"), "found 2.0 again after 2, expected each time once"));
    EXPECT_TRUE(contains(complaint("[0, nan]"), "found 'nan', expected a finite number"));
    EXPECT_TRUE(contains(complaint("[0, 1e999]"), "found '1e999'"));
    EXPECT_TRUE(
        contains(complaint("[0, 3 kpc]"), "found '3 kpc', expected a number and one of the units Myr"));
    EXPECT_TRUE(contains(complaint("[0, [1, 2]]"), "found a list of lists"));
    EXPECT_TRUE(contains(complaint("nowhere.txt"), "found nowhere.txt, expected a list of times, or a file"));
    EXPECT_TRUE(contains(complaint("/dev/zero"), "/dev/zero: found more than 16777216 bytes"));
}

TEST_F(TimeList, NamesTheLineOfAFileThatIsWrong)
{
    EXPECT_TRUE(
        contains(complaint_about("0\n# then\n2\n1\n"), "times.txt:4: found 1 after 2, expected each"));
    EXPECT_TRUE(contains(complaint_about("0\n1 2\n"), "times.txt:2: found '1 2', expected a number and one"));
    EXPECT_TRUE(
        contains(complaint_about("# nothing\n\n"), "times.txt: found no time, expected one in each line"));
    EXPECT_TRUE(contains(complaint_about(std::string("0\n\0\n", 4)), "times.txt:2: found"));
}

TEST_F(TimeList, AndAnIntervalExcludeEachOther)
{
    const auto both = [](const std::string& keys) {
        return message_of<ConfigError>([&] { run::parse_config("output: {" + keys + "}", "run.yaml", {}); });
    };
    for (const char* output :
         {"snapshots", "halos", "pictures", "coefficients", "diagnostics", "checkpoints"})
        EXPECT_EQ(both(fmt::format("{}: {{every: 1, times: [1]}}", output)),
                  fmt::format(
                      "run.yaml: output.{0}.every and output.{0}.times are both given, expected one of them",
                      output));
    EXPECT_NO_THROW(run::parse_config("output: {pictures: {every: 0, times: [1]}}", "run.yaml", {}));
}

}  // namespace
}  // namespace aureole::test::time_list_test
