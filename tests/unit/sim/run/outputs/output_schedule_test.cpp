#include "sim/run/outputs/output_schedule.hpp"

#include <gtest/gtest.h>

#include "gravity/ranks/domains/domain_memory.hpp"
#include "gravity/ranks/ranked_solver.hpp"
#include "sim/run/run_estimate.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::output_schedule_test {
namespace {

run::Config config(const std::string& text) { return run::parse_config(text, "test", {}); }

TEST(OutputSchedule, FixedStepsEndExactlyAtTheEndWhateverTheRounding)
{
    for (const auto& [dt, end] : {std::pair{0.3, 0.9}, {1.0 / 49, 1.0}, {0.1, 0.7}, {0.4, 1.0}}) {
        const run::OutputSchedule schedule(config(fmt::format("run: {{end_time: {}}}", end)), 0);
        std::uint64_t step = 0;
        double time = 0;
        while (time < end) {
            const double next = schedule.end_of_step(++step, dt);
            EXPECT_GT(next - time, 0.1 * dt) << "a sliver of a step at " << time;
            time = next;
        }
        EXPECT_EQ(time, end);
    }
}

TEST(OutputSchedule, AfterAnEndThatWasMovedNoStepIsLongerThanAsked)
{
    const run::OutputSchedule schedule(config("run: {end_time: 9}"), 2);
    EXPECT_EQ(schedule.end_of_step_from(2.25, 0.1), 2 + 3 * 0.1) << "an earlier end, within the third step";
    EXPECT_EQ(schedule.end_of_step_from(8.99, 0.1), 9);
    for (const double dt : {0.1, 1.0 / 49, 0.3, 1e-5}) {
        double time = 2;
        for (std::uint64_t step = 1; step < 5000 && time < 9; ++step) {
            const double next = schedule.end_of_step_from(time, dt);
            EXPECT_EQ(next, schedule.end_of_step(step, dt)) << "equal bit for bit to counting";
            time = next;
        }
    }
    const run::OutputSchedule late(config("run: {end_time: 1e9}"), 1e8);
    EXPECT_GT(late.end_of_step_from(1e8, 3e-8), 1e8) << "rounding of a step's size must not make it none";
}

TEST(OutputSchedule, LandingsNextToTheEndAreTheEnd)
{
    run::OutputSchedule schedule(
        config("run: {end_time: 0.9}\noutput: {snapshots: {every: 0.3}, diagnostics: {every: 0.3}}"), 0);
    int landings = 0;
    for (double time = 0; time < 0.9; ++landings) {  // 3 * 0.3 is one rounding below 0.9
        schedule.pass(time);
        time = schedule.next_time(time);
    }
    EXPECT_EQ(landings, 3);
}

TEST(RunEstimate, CountsWhatTheRunWrites)
{
    const run::Config internal = config(
        "gravity: {softening: 0.1}\nintegrator: {timestep: 0.05}\nrun: {end_time: 0.55}\n"
        "output: {snapshots: {every: 0.3}, halos: {every: 0.2}}\nhalos: {absolute_linking_length: 1}");
    const run::RunEstimate estimate = run::estimate_run(internal, Exec{}, 100, 1, 0);
    EXPECT_EQ(estimate.steps, 11u);
    EXPECT_EQ(estimate.halos, 4u) << "0, 0.2, 0.4 and the last state";
    EXPECT_EQ(estimate.snapshots, 5u) << "those and 0.3";
    EXPECT_EQ(estimate.pictures, 0u);
    EXPECT_EQ(estimate.diagnostics, 12u) << "one a step, and the first";
}

TEST(OutputSchedule, CoefficientsHaveTimesOfTheirOwnAndNoNumber)
{
    const run::Config internal = config(
        "gravity: {solver: scf}\nintegrator: {timestep: 0.05}\nrun: {end_time: 0.55}\n"
        "output: {snapshots: {every: 0.3}, coefficients: {every: 0.2}, diagnostics: {every: 9}}");
    const run::RunEstimate estimate = run::estimate_run(internal, Exec{}, 100, 1, 0);
    EXPECT_EQ(estimate.coefficients, 4u) << "0, 0.2, 0.4 and the last state";
    EXPECT_EQ(estimate.snapshots, 3u);
    run::OutputSchedule schedule(internal, 0);
    schedule.pass(0);
    EXPECT_TRUE(schedule.due(0.2, false).coefficients);
    EXPECT_FALSE(schedule.due(0.2, false).numbered());
    EXPECT_EQ(schedule.next_time(0.15), 0.2);
}

TEST(OutputSchedule, ListsAreWrittenAtTheirTimesAloneAndIntervalsAtBothEndsToo)
{
    run::OutputSchedule schedule(
        config("run: {end_time: 3}\noutput: {snapshots: {times: [1.5, 2]}, pictures: {times: [0, 3]}, "
               "coefficients: {times: [0.1, 0.7]}, halos: {every: 2}, diagnostics: {times: [0.4]}}\n"
               "gravity: {solver: scf}\nhalos: {absolute_linking_length: 1}"),
        0);
    const run::DueOutputs first = schedule.due(0, true);
    EXPECT_TRUE(first.picture && first.halos && first.snapshot) << "the snapshot beside the catalogue";
    EXPECT_FALSE(first.coefficients);
    std::vector<double> landings;
    for (double time = 0; time < 3; landings.push_back(time)) {
        schedule.pass(time);
        time = schedule.next_time(time);
    }
    EXPECT_EQ(landings, (std::vector{0.1, 0.4, 0.7, 1.5, 2.0, 3.0}));
    const run::DueOutputs last = schedule.due(3, true);
    EXPECT_TRUE(last.picture && last.halos);
    EXPECT_FALSE(last.coefficients);
}

TEST(OutputSchedule, TheLastStateHasASnapshotWhereNoCheckpointHoldsIt)
{
    for (const char* checkpoints : {"", ", checkpoints: {minutes: 0}"}) {
        run::OutputSchedule schedule(
            config(fmt::format("run: {{end_time: 3}}\noutput: {{snapshots: {{times: [2]}}{}}}", checkpoints)),
            0);
        EXPECT_FALSE(schedule.due(0, true).snapshot);
        schedule.pass(2);
        EXPECT_EQ(schedule.due(3, true).snapshot, *checkpoints != 0);
    }
}

TEST(OutputSchedule, AnEmptyListIsAsNoneGiven)
{
    for (const char* list : {"times", "redshifts"}) {
        const run::OutputSchedule schedule(
            config(fmt::format("run: {{end_time: 3}}\noutput: {{snapshots: {{{}: []}}}}", list)), 0);
        EXPECT_TRUE(schedule.due(0, true).snapshot && schedule.due(3, true).snapshot) << list;
        EXPECT_FALSE(schedule.due(1, false).snapshot) << list;
    }
}

TEST(OutputSchedule, WhatAStopLeftUndoneStaysDueWhereTheConfigurationStillHasIt)
{
    const auto schedule = [](const std::string& output) {
        return run::OutputSchedule(
            config("run: {end_time: 3}\ngravity: {solver: scf}\nhalos: {absolute_linking_length: 1}\n"
                   "output: {" +
                   output + "}"),
            0);
    };
    const run::DueOutputs all{true, true, true, true, true, true, true};
    EXPECT_EQ(names_of(schedule("snapshots: {every: 1}").still_due(all)), "snapshot, record");
    EXPECT_EQ(
        names_of(schedule("halos: {times: [2]}, pictures: {every: 1}, coefficients: {times: [1]}, snapshots: "
                          "{times: [3]}")
                     .still_due(all)),
        "snapshot, halos, picture, coefficients, record");
    const run::DueOutputs catalogue{.halos = true, .record = true};
    EXPECT_EQ(names_of(schedule("halos: {times: [2], snapshots: false}").still_due(catalogue)),
              "halos, record");
    EXPECT_EQ(names_of(schedule("halos: {every: 1}").still_due(catalogue)), "snapshot, halos, record");
    EXPECT_EQ(names_of(schedule("halos: {every: 1}").still_due({})), "");
    EXPECT_EQ(names_of(schedule("density: {every: 1}").still_due(all)), "snapshot, density, record");
}

TEST(OutputSchedule, ARowOfTheLogsIsDueAtTheTimesOfItsListAndAtBothEnds)
{
    run::OutputSchedule schedule(config("run: {end_time: 3}\noutput: {diagnostics: {times: [0.4, 2]}}"), 0);
    EXPECT_TRUE(schedule.due(0, true).record);
    schedule.pass(0);
    EXPECT_EQ(names_of(schedule.due(0.4, false)), "record");
    EXPECT_TRUE(schedule.any_due(0.4));
    EXPECT_FALSE(schedule.any_due(0.3));
    schedule.pass(0.4);
    EXPECT_FALSE(schedule.due(1.9, false).any());
    EXPECT_TRUE(schedule.due(3, true).record);
}

TEST(RunEstimate, CountsCataloguesWithoutSnapshots)
{
    const run::Config internal = config(
        "gravity: {softening: 0.1}\nintegrator: {timestep: 0.05}\nrun: {end_time: 0.55}\n"
        "output: {snapshots: {every: 0.3}, halos: {times: [0.2, 0.3, 0.4], snapshots: false}}\n"
        "halos: {absolute_linking_length: 1}");
    const run::RunEstimate estimate = run::estimate_run(internal, Exec{}, 100, 1, 0);
    EXPECT_EQ(estimate.halos, 3u);
    EXPECT_EQ(estimate.snapshots, 3u) << "0, 0.3 and the last state";
}

TEST(OutputSchedule, DensitiesAreWrittenAtTheTimesOfTheirList)
{
    run::OutputSchedule schedule(config("run: {end_time: 3}\noutput: {density: {times: [1, 3]}}"), 0);
    EXPECT_FALSE(schedule.due(0, true).density);
    schedule.pass(0.99);
    EXPECT_EQ(schedule.next_time(0.99), 1);
    EXPECT_TRUE(schedule.due(1, false).density);
    EXPECT_TRUE(schedule.due(1, false).numbered());
    schedule.pass(1);
    EXPECT_FALSE(schedule.due(2, false).density);
    run::OutputSchedule resumed(config("run: {end_time: 3}\noutput: {density: {times: [1, 3]}}"), 0);
    resumed.restore(schedule.state(), 1);
    EXPECT_FALSE(resumed.due(1, false).density) << "it was made before the checkpoint";
    EXPECT_TRUE(resumed.due(3, false).density);
}

TEST(RunEstimate, CountsDensitiesAndTheirMemory)
{
    const auto estimate = [](const std::string& density) {
        return run::estimate_run(config("box: 1\ngravity: {softening: 0.1}\nintegrator: {timestep: 0.05}\n"
                                        "run: {end_time: 0.5}\n" +
                                        density),
                                 Exec{}, 4096, 1, 0);
    };
    const run::RunEstimate without = estimate(""),
                           with = estimate("output: {density: {times: [0.2, 0.4]}}\ndensity: {grid: 128}");
    EXPECT_EQ(without.density, 0u);
    EXPECT_EQ(with.density, 2u);
    EXPECT_GT(with.cpu_bytes, without.cpu_bytes + 128 * 128 * 128 * sizeof(FixedSum) - 1);
}

TEST(RunEstimate, OfATreeOverDomainsHoldsOneOfThem)
{
    constexpr std::size_t n = 10'000'000;
    const auto of_forces = [](Backend where, bool domains, int n_ranks, std::size_t n_components) {
        const run::Config internal =
            config(fmt::format("gravity: {{solver: tree, softening: 0.1, tree: {{domains: "
                               "{}}}}}\nintegrator: {{timestep: 0.1}}\n"
                               "run: {{end_time: 1}}",
                               domains));
        const run::RunEstimate estimate =
            run::estimate_run(internal, Exec{where}, n, n_components, 0, n_ranks);
        const auto part =
            std::ranges::find(estimate.parts, "gravity.solver: tree", &run::RunEstimate::Part::what);
        return part == estimate.parts.end() ? 0 : part->bytes;
    };
    gravity::Config tree = run::solver_config(config("gravity: {solver: tree, softening: 0.1}"));
    for (const Backend where : available_backends()) {
        const std::size_t whole = of_forces(where, false, 1, 1);
        EXPECT_EQ(of_forces(where, false, 16, 1), whole + gravity::ranked_memory(n).first);
        EXPECT_EQ(of_forces(where, true, 1, 1), whole) << "one rank has no domains";
        EXPECT_EQ(of_forces(where, true, 16, 1), gravity::domains::domain_memory(tree, where, n, 16).kept);
        EXPECT_GT(of_forces(where, true, 16, 2), whole) << "potentials of components are of a whole tree";
        if (where == Backend::cuda) {
            EXPECT_LT(of_forces(where, true, 16, 1), whole / 2);
        }
    }
    // on a GPU the domain alone, by the memory that was measured: 213 bytes a particle of one part
    const auto on_gpu = [&](int n_ranks) {
        return gravity::domains::domain_memory(tree, Backend::cuda, n, n_ranks);
    };
    EXPECT_GT(on_gpu(1).kept, 213 * n);
    EXPECT_LT(on_gpu(1).kept, 300 * n);
    EXPECT_LT(on_gpu(64).kept, on_gpu(1).kept / 30);
    EXPECT_GT(on_gpu(64).host, 200 * n) << "rank 0 sends the particles of all";
}

TEST(RunEstimate, RefusesTimesOutsideOfTheRun)
{
    const auto complaint = [](const std::string& times, double start) {
        const run::Config given = config("run: {end_time: 3}\noutput: {pictures: {times: " + times + "}}");
        return message_of<ConfigError>([&] { run::expect_times_within(given, start); });
    };
    EXPECT_NO_THROW(
        run::expect_times_within(config("run: {end_time: 3}\noutput: {pictures: {times: [1, 2, 3]}}"), 1));
    EXPECT_TRUE(contains(complaint("[0, 2]", 1),
                         "key 'output.pictures.times': found 0, expected times of the run, from 1 to 3"));
    EXPECT_TRUE(contains(complaint("[2, 3.5]", 1), "found 3.5, expected times of the run"));
}

}  // namespace
}  // namespace aureole::test::output_schedule_test
