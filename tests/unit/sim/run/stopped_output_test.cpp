// A run that is asked to stop in the middle of an output: at each place where it asks, it ends with a
// checkpoint from which all is done that is missing, once, and nothing twice.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "sim/io/compare/exact_difference.hpp"
#include "sim/io/provenance.hpp"
#include "sim/run/checkpoints/checkpoint_files.hpp"
#include "sim/run/control/progress_file.hpp"
#include "sim/run/control/run_directory.hpp"
#include "sim/run/run.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

namespace fs = std::filesystem;

/// Two steps. All outputs at the beginning and at the end, some between them.
const char* const start_of_all = R"(
seed: 3
integrator: {timestep: 0.0625}
run: {end_time: 0.125}
initial_conditions:
  - {model: plummer, particles: 53}
  - {model: plummer, particles: 40, position: [3, 0, 0], type: 2}
)";

const char* const of_a_tree = R"(
gravity: {softening: 0.1, solver: tree}
output: {snapshots: {every: 0.0625}, halos: {every: 0.125, csv: true}, diagnostics: {every: 0.0625}, pictures: {every: 0.125}}
pictures: {pixels: 100, colour_by: halo}
halos: {absolute_linking_length: 0.4, min_members: 5, substructure: true}
)";

const char* const of_an_expansion = R"(
gravity: {solver: scf, scf: {n_max: 2, l_max: 1, recenter_every: 0.0625}}
output: {snapshots: {every: 0.125}, halos: {every: 0.125}, diagnostics: {every: 0.0625}, pictures: {every: 0.0625}, coefficients: {every: 0.0625}}
pictures: {pixels: 100, colour_by: velocity}
halos: {absolute_linking_length: 0.4, min_members: 5, substructure: true}
)";

/// Lists of times, and catalogues that have no snapshot but the one that is due at their time anyway.
const char* const of_lists = R"(
gravity: {solver: scf, scf: {n_max: 2, l_max: 1}}
output:
  snapshots: {times: [0.0625]}
  halos: {times: [0, 0.0625, 0.125], snapshots: false, csv: true}
  diagnostics: {times: [0.125]}
  pictures: {times: [0.125]}
  coefficients: {times: [0.0625, 0.125]}
pictures: {pixels: 100, colour_by: halo}
halos: {absolute_linking_length: 0.4, min_members: 5, centre: poisson, poisson: {grid: 7, least_members: 5, checked_groups: 3}}
)";

/// The files of a directory that are to be the same: not those that depend on where and when it was made.
std::set<std::string> outputs_in(const fs::path& directory)
{
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory)) {
        const std::string name = entry.path().filename().string();
        if (!run::is_checkpoint_of_a_run(name) && name != run::resolved_configuration_name &&
            name != io::directory_metadata_name && name != run::progress_name)
            names.insert(name);
    }
    return names;
}

class StoppedOutput : public testing::TestWithParam<const char*> {
protected:
    run::Config config() const
    {
        return run::parse_config(std::string(start_of_all) + GetParam(), "test.yaml", {});
    }

    /// The options of a run that is to stop when it asks for the n-th time, and from then on; 0: never.
    run::RunOptions stopping_at(std::size_t n)
    {
        asked = 0;
        lines.clear();
        run::RunOptions options;
        options.directory = folder / "out";
        options.callbacks.log = [this](run::LogLevel, const std::string& line) { lines += line + "\n"; };
        options.callbacks.stop_reason = [this, n] {
            ++asked;
            return n > 0 && asked >= n ? "the test" : "";
        };
        return options;
    }

    void begin(std::size_t stop) { run::run_simulation(config(), device, stopping_at(stop)); }
    void resume(std::size_t stop) { run::resume_simulation(folder / "out", {}, device, stopping_at(stop)); }

    run::RunState checkpoint() const
    {
        return run::read_checkpoint(folder / "out" / run::checkpoint_name).state;
    }

    /// Makes the undisturbed run; the number of times that it asked is in `asked`.
    void make_whole()
    {
        begin(0);
        fs::rename(folder / "out", folder / "whole");
    }

    void expect_same()
    {
        const std::set<std::string> expected = outputs_in(folder / "whole");
        EXPECT_EQ(outputs_in(folder / "out"), expected);
        for (const std::string& name : expected)
            for (const std::string& line :
                 io::exact_differences(folder / "whole" / name, folder / "out" / name))
                ADD_FAILURE() << name << ": " << line;
    }

    const run::DeviceChoice device = run::choose_device("cpu");
    const TemporaryFolder folder;
    std::size_t asked = 0;
    std::string lines;
};

TEST_P(StoppedOutput, IsMadeOnceByTheResumedRunWhereverItWasStopped)
{
    make_whole();
    const std::size_t times = asked;
    ASSERT_GT(times, 30u) << "the run asks too rarely";
    std::size_t n_due = 0;
    // each stop costs two runs: all of them only where long tests are asked for
    const std::size_t every = std::getenv("AUREOLE_LONG_TESTS") ? 1 : 4;
    for (std::size_t n = 1; n <= times; n += every) {
        SCOPED_TRACE("stopped at request " + std::to_string(n));
        begin(n);
        EXPECT_EQ(asked, n) << "the run went on after the request";
        EXPECT_NE(lines.find("stopped by the test at t = "), std::string::npos) << lines;
        const run::RunState stopped = checkpoint();
        n_due += stopped.due.any();
        for (const std::string& name : outputs_in(folder / "out"))
            EXPECT_EQ(name.find(fmt::format("_{:03}.", stopped.outputs.next)), std::string::npos) << name;
        resume(0);
        expect_same();
        if (HasFailure()) return;
        fs::remove_all(folder / "out");
    }
    EXPECT_GT(n_due, 20u / every) << "of all stops, those in the middle of an output";
}

TEST_P(StoppedOutput, MayBeStoppedAgainAndAgain)
{
    make_whole();
    begin(1);
    std::size_t stops = 1;  // each time it comes farther before it is stopped
    for (std::size_t n = 9; lines.find("finished at") == std::string::npos; n += 9, ++stops) resume(n);
    EXPECT_GT(stops, 3u);
    expect_same();
}

TEST_P(StoppedOutput, OfTheEndIsMadeBeforeTheRunCountsAsFinished)
{
    make_whole();
    begin(asked);  // the last request lies in the last output
    EXPECT_EQ(checkpoint().simulation.time, 0.125);
    EXPECT_TRUE(checkpoint().due.any());
    resume(0);
    EXPECT_NE(lines.find("finished at t = 0.125"), std::string::npos) << lines;
    EXPECT_FALSE(checkpoint().due.any());
    expect_same();
    resume(0);
    EXPECT_NE(lines.find("the run is at its end"), std::string::npos) << lines;
    expect_same();
}

class StoppedOutputAtIntervals : public StoppedOutput {};

TEST_P(StoppedOutputAtIntervals, LeavesOutWhatTheConfigurationNoLongerAsksFor)
{
    make_whole();
    const std::size_t times = asked;
    begin(times);
    run::resume_simulation(folder / "out", {"output.halos.every=0", "output.pictures.every=0"}, device,
                           stopping_at(0));
    const std::set<std::string> found = outputs_in(folder / "out");
    EXPECT_TRUE(found.contains(fmt::format("snapshot_{:03}.hdf5", checkpoint().outputs.next - 1)));
    EXPECT_FALSE(found.contains(fmt::format("halos_{:03}.hdf5", checkpoint().outputs.next - 1)));
    EXPECT_FALSE(found.contains(fmt::format("projection_{:03}.png", checkpoint().outputs.next - 1)));
}

std::string name_of_case(const testing::TestParamInfo<const char*>& info)
{
    return info.param == of_a_tree ? "ATree" : info.param == of_an_expansion ? "AnExpansion" : "Lists";
}

INSTANTIATE_TEST_SUITE_P(Of, StoppedOutput, testing::Values(of_a_tree, of_an_expansion, of_lists),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Of, StoppedOutputAtIntervals, testing::Values(of_a_tree, of_an_expansion),
                         name_of_case);

}  // namespace
}  // namespace aureole::test
