// A run as a library: it prints nothing, handles no signal, and its caller takes the log and may stop it.
#include "sim/run/run.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "sim/run/checkpoints/checkpoint_files.hpp"
#include "sim/run/diagnostics/state_hash.hpp"
#include "tests/support/captured_output.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/signal_actions.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

/// Sixteen steps of a sixteenth, with an output at every fourth.
const char* const run_settings = R"(
seed: 3
gravity: {softening: 0.1}
integrator: {timestep: 0.0625}
run: {end_time: 1}
initial_conditions: {model: plummer, particles: 40}
output: {snapshots: {every: 0.25}, diagnostics: {every: 0.25}}
)";

run::Config config() { return run::parse_config(run_settings, "test.yaml", {}); }

class Library : public testing::Test {
protected:
    run::RunOptions options(const std::string& directory)
    {
        run::RunOptions options;
        options.directory = folder / directory;
        options.callbacks.log = [this](run::LogLevel level, const std::string& line) {
            if (level == run::LogLevel::info) lines.push_back(line);
            EXPECT_EQ(line.find('\n'), std::string::npos) << line;
        };
        return options;
    }

    bool logged(const std::string& part) const
    {
        for (const std::string& line : lines)
            if (line.find(part) != std::string::npos) return true;
        return false;
    }

    std::uint64_t last_hash(const std::string& directory) const
    {
        return run::state_hash(run::read_checkpoint(folder / directory / run::checkpoint_name).particles);
    }

    const run::DeviceChoice device = run::choose_device("cpu");
    const TemporaryFolder folder;
    std::vector<std::string> lines;
};

TEST_F(Library, WritesItsLogToTheCallerAndNothingToStandardOutput)
{
    const std::filesystem::path printed = folder / "printed";
    {
        const OutputTo file(printed);
        run::run_simulation(config(), device, options("out"));
        run::RunOptions dry = options("dry");
        dry.dry_run = true;
        run::run_simulation(config(), device, dry);
        run::RunOptions silent;  // without any callback
        silent.directory = folder / "silent";
        run::run_simulation(config(), device, silent);
    }
    EXPECT_EQ(std::filesystem::file_size(printed), 0u);
    EXPECT_TRUE(logged("40 particles on cpu"));
    EXPECT_TRUE(logged("snapshot_001.hdf5"));
    EXPECT_TRUE(logged("finished at t = 1 after "));
    EXPECT_TRUE(logged("after 16 steps"));
    EXPECT_TRUE(logged("steps         16")) << "the estimate of the dry run";
    EXPECT_FALSE(std::filesystem::exists(folder / "dry"));
    EXPECT_EQ(last_hash("silent"), last_hash("out"));
}

TEST_F(Library, AStopCallbackEndsTheRunWithACheckpointThatContinuesBitForBit)
{
    run::run_simulation(config(), device, options("whole"));
    run::RunOptions stopped = options("stopped");
    std::uint64_t step = 0;
    stopped.callbacks.step = [&](const run::RunProgress& progress) { step = progress.step; };
    stopped.callbacks.stop_reason = [&] { return step == 5 ? "the caller" : ""; };
    run::run_simulation(config(), device, stopped);
    EXPECT_EQ(step, 5u);
    EXPECT_TRUE(logged("stopped by the caller at t = 0.3125"));
    EXPECT_EQ(run::read_checkpoint(folder / "stopped" / run::checkpoint_name).state.step, 5u);
    EXPECT_NE(last_hash("stopped"), last_hash("whole"));

    run::RunOptions resumed = options("stopped");
    run::resume_simulation(folder / "stopped", {}, device, resumed);
    EXPECT_EQ(run::read_checkpoint(folder / "stopped" / run::checkpoint_name).state.step, 16u);
    EXPECT_EQ(last_hash("stopped"), last_hash("whole"));
}

TEST_F(Library, AStopBeforeTheFirstStepLeavesOneCheckpointFromWhichTheRunGoesOn)
{
    run::run_simulation(config(), device, options("whole"));
    run::RunOptions stopped = options("stopped");
    stopped.callbacks.stop_reason = [] { return "the caller"; };
    run::run_simulation(config(), device, stopped);
    EXPECT_EQ(run::read_checkpoint(folder / "stopped" / run::checkpoint_name).state.step, 0u);
    EXPECT_FALSE(std::filesystem::exists(folder / "stopped" / run::previous_checkpoint_name));
    run::resume_simulation(folder / "stopped", {}, device, options("stopped"));
    EXPECT_EQ(last_hash("stopped"), last_hash("whole"));
}

/// A table of two particles, which names no units, and an energy check that one step fails.
class RunsOfAFileWithoutUnits : public Library {
protected:
    RunsOfAFileWithoutUnits() { std::ofstream(folder / "ic.txt") << "1 1 0 0 0 0 0 0\n2 1 0.01 0 0 0 0 0\n"; }

    run::Config read(const std::string& output) const
    {
        return run::parse_config(fmt::format("gravity: {{softening: 1e-6}}\nintegrator: {{timestep: 0.25}}\n"
                                             "run: {{end_time: 1}}\n"
                                             "initial_conditions: {{model: file, file: {}}}\noutput: {}",
                                             (folder / "ic.txt").string(), output),
                                 "test.yaml", {});
    }
    std::string failure_of_resumed_run()
    {
        return message_of<Error>([&] { run::resume_simulation(folder / "out", {}, device, options("out")); });
    }
    static constexpr const char* doubt = "ic.txt names no units, and ";
};

TEST_F(RunsOfAFileWithoutUnits, TellSoWhenTheEnergyCheckFailsAfterTheyWereResumed)
{
    run::RunOptions stopped = options("out");
    stopped.callbacks.stop_reason = [] { return "the caller"; };
    run::run_simulation(read("{}"), device, stopped);
    EXPECT_TRUE(contains(failure_of_resumed_run(), doubt));
}

TEST_F(RunsOfAFileWithoutUnits, TellSoWhenTheyBeginOnceMore)
{
    const run::Config config = read("{checkpoints: {minutes: 0}}");
    for (int attempt = 0; attempt < 3; ++attempt) {
        const std::string failure =
            attempt > 0 ? failure_of_resumed_run()
                        : message_of<Error>([&] { run::run_simulation(config, device, options("out")); });
        EXPECT_TRUE(contains(failure, doubt)) << attempt;
    }
    EXPECT_FALSE(run::holds_checkpoint(folder / "out"));
}

TEST_F(Library, ADumpCallbackWritesASnapshotAndChangesNothing)
{
    run::run_simulation(config(), device, options("whole"));
    run::RunOptions dumping = options("dumping");
    int asked = 0;
    dumping.callbacks.dump_requested = [&] { return ++asked == 3; };
    run::run_simulation(config(), device, dumping);
    EXPECT_EQ(asked, 16);
    EXPECT_TRUE(std::filesystem::exists(folder / "dumping" / "extra_00000003.hdf5"));
    EXPECT_EQ(last_hash("dumping"), last_hash("whole"));
}

TEST_F(Library, TheProgressCallbacksOfAllLongWorkServeARunToo)
{
    run::RunOptions watched = options("out");
    std::vector<double> fractions;
    watched.callbacks.progress = {[&](double fraction, std::string_view) { fractions.push_back(fraction); },
                                  [&] { return fractions.size() == 4; }};
    run::run_simulation(config(), device, watched);
    EXPECT_EQ(fractions, (std::vector{0.0625, 0.125, 0.1875, 0.25}));
    EXPECT_TRUE(logged("stopped by its caller at t = 0.25"));
    EXPECT_EQ(run::read_checkpoint(folder / "out" / run::checkpoint_name).state.step, 4u);
}

TEST_F(Library, InstallsNoSignalHandler)
{
    const SignalActions actions(SIG_DFL);
    run::RunOptions watched = options("out");
    std::uint64_t looked = 0;
    const auto look = [&] {
        ++looked;
        for (const int number : asking_signals) EXPECT_EQ(action_of(number), SIG_DFL) << number;
        EXPECT_EQ(action_of(SIGPIPE), SIG_DFL);
    };
    watched.callbacks.started = [&](const std::filesystem::path&) { look(); };
    watched.callbacks.step = [&](const run::RunProgress&) { look(); };
    run::run_simulation(config(), device, watched);
    EXPECT_EQ(looked, 17u);
}

TEST_F(Library, WhatACallbackThrowsIsPassedOn)
{
    run::RunOptions failing = options("out");
    failing.callbacks.step = [](const run::RunProgress&) { throw std::logic_error("the caller's"); };
    EXPECT_EQ(message_of<std::logic_error>([&] { run::run_simulation(config(), device, failing); }),
              "the caller's");
}

}  // namespace
}  // namespace aureole::test
