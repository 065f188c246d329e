// What a run moves between host and device memory: nothing in steps without output, and only rows with one.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "sim/core/memory/transfers.hpp"
#include "sim/run/run.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

/// Sixteen steps, a record at every fourth, and a catalogue at every eighth.
const char* const transfer_settings = R"(
seed: 3
integrator: {timestep: 0.015625}
run: {end_time: 0.25}
initial_conditions: {model: plummer}
halos: {absolute_linking_length: 0.047, min_members: 20, substructure: false}
output:
  diagnostics: {every: 0.0625}
  halos: {every: 0.125, snapshots: false}
  snapshots: {every: 0}
  checkpoints: {minutes: 0}
)";

class RunTransfers : public OnEachBackend {
protected:
    /// What each step moved, its outputs included: element k is of step k + 1.
    std::vector<device::Transfers> moved_by_steps(const std::string& solver, int n,
                                                  std::vector<std::string> settings = {})
    {
        settings.insert(settings.end(), {"gravity.solver=" + solver, "gravity.softening=0.05",
                                         "initial_conditions.particles=" + std::to_string(n)});
        const run::Config config = run::parse_config(transfer_settings, "test.yaml", settings);
        run::RunOptions options;
        options.directory = folder_ / solver;
        options.callbacks.log = [this](run::LogLevel, const std::string& line) { log_ += line + "\n"; };
        std::vector<device::Transfers> moved;
        device::Transfers before = device::transfers();
        options.callbacks.step = [&](const run::RunProgress&) {
            const device::Transfers now = device::transfers();
            moved.push_back(now - before);
            before = now;
        };
        run::run_simulation(config, run::choose_device(name_of(GetParam())), options);
        return moved;
    }

    const TemporaryFolder folder_;
    std::string log_;
};

TEST_P(RunTransfers, OfStepsWithoutOutputAreNoneAndThoseOfRecordsAndCataloguesAreRows)
{
    const bool on_device = GetParam() == Backend::cuda;
    const int n = on_device ? 20000 : 400;
    const auto array_bytes = static_cast<std::uint64_t>(n) * sizeof(double);
    for (const std::string solver : {"direct", "scf", "tree"}) {
        const std::vector<device::Transfers> moved = moved_by_steps(solver, n);
        ASSERT_EQ(moved.size(), 16u) << solver;
        // a tree's launches depend on how many leaves it has: its survey comes to the host
        const std::uint64_t of_forces = solver == "tree" ? 80 : 0;
        // the first has what came before it, the last a snapshot
        for (std::size_t step = 2; step <= 15; ++step) {
            const device::Transfers& one = moved[step - 1];
            const std::string name = solver + ", step " + std::to_string(step) + ": " + text_of(one) + " = " +
                                     std::to_string(one.bytes()) + " bytes";
            if (on_device && (step < 5 || step == 8)) std::printf("%s\n", name.c_str());
            if (!on_device)
                EXPECT_EQ(one.bytes(), 0u) << name;
            else if (step % 4 != 0)
                EXPECT_LE(one.bytes(), of_forces) << name;
            else if (step % 8 != 0)
                EXPECT_LE(one.bytes(), 16384u) << name;
            else
                EXPECT_LE(one.bytes(), array_bytes) << name;
            EXPECT_TRUE(!on_device || step % 4 != 0 || one.to_host.bytes > 0) << name;
        }
    }
    EXPECT_EQ(log_.find("moved between memories: to the device ") != std::string::npos, on_device) << log_;
}

TEST_P(RunTransfers, OfACatalogueWithSubhalosAreRows)
{
    if (GetParam() == Backend::cpu) GTEST_SKIP() << "on the CPU nothing is moved; a GPU is needed";
    // most particles are members; densities are known, so that reaches, spheres and tidal radii are
    // found
    constexpr int n = 200000;
    const std::vector<device::Transfers> moved = moved_by_steps(
        "tree", n,
        {"halos.substructure=true", "halos.reference_density=0.001", "halos.absolute_linking_length=0.15"});
    ASSERT_EQ(moved.size(), 16u);
    const device::Transfers& one = moved[7];
    const std::string name = text_of(one) + " = " + std::to_string(one.bytes()) + " bytes";
    std::printf("catalogue with subhalos of %d particles: %s\n", n, name.c_str());
    EXPECT_GT(one.to_host.bytes, 0u);
    // rows of groups, subhalos, and of all that was tried on the way; a number of each member would be 4 n
    EXPECT_LE(one.bytes(), std::uint64_t{3} * n) << name;
}

TEST_P(RunTransfers, OfACatalogueWithoutGroupsAreNone)
{
    if (GetParam() == Backend::cpu) GTEST_SKIP() << "on the CPU nothing is moved; a GPU is needed";
    constexpr int n = 20000;
    const std::vector<device::Transfers> moved =
        moved_by_steps("tree", n, {"halos.absolute_linking_length=1e-9"});
    ASSERT_EQ(moved.size(), 16u);
    std::printf("catalogue without groups of %d particles: %s\n", n, text_of(moved[7]).c_str());
    // the particles, which were once moved to the host to find no centre, are 100 bytes each
    EXPECT_LE(moved[7].bytes(), n * sizeof(double)) << text_of(moved[7]);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(RunTransfers);

}  // namespace
}  // namespace aureole::test
