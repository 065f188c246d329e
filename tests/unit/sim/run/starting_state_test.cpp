#include "sim/run/starting_state.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "../../../support/temporary_folder.hpp"
#include "sim/core/error.hpp"
#include "sim/io/write_snapshot.hpp"

namespace aureole::test {
namespace {

/// One particle of mass 2 at x = 3 with vy = 5, in galactic units, at time 0.25.
void write_one(const std::filesystem::path& file, double box_size = 0)
{
    Particles p(Backend::cpu, 1);
    p.mass.host()[0] = 2;
    p.position.x.host()[0] = 3;
    p.velocity.y.host()[0] = 5;
    p.type.host()[0] = 4;
    io::SnapshotContent content;
    content.header.units = galactic_units;
    content.header.time = 0.25;
    content.header.box_size = box_size;
    io::write_snapshot(file, p, content);
}

run::StartingState start(const std::string& text, const std::filesystem::path& folder,
                         bool as_isolated = false)
{
    return run::make_starting_state(run::parse_config(text, folder / "run.yaml", {}), as_isolated);
}

TEST(StartingState, AFileWithUnitsGivesThemToTheRun)
{
    const TemporaryFolder folder;
    write_one(folder.path() / "one.hdf5");
    const auto state = start("initial_conditions: {model: file, file: one.hdf5}", folder.path());
    EXPECT_FALSE(state.units.nbody);
    const double root_g = std::sqrt(galactic_units.gravitational_constant());
    EXPECT_EQ(state.particles.position.x.host()[0], 3);
    EXPECT_EQ(state.particles.mass.host()[0], 2);
    EXPECT_NEAR(state.particles.velocity.y.host()[0], 5 / root_g, 1e-15);
    EXPECT_NEAR(state.time, 0.25 * root_g, 1e-12);
    EXPECT_EQ(state.particles.type.host()[0], 4);
}

TEST(StartingState, TimesWithAUnitAreReadInTheUnitsThatTheFileBrings)
{
    const TemporaryFolder folder;
    write_one(folder.path() / "one.hdf5");
    const auto state =
        start("initial_conditions: {model: file, file: one.hdf5}\nrun: {end_time: 978 Myr}", folder.path());
    EXPECT_NEAR(state.config.end_time * galactic_units.time_s() / seconds_per_myr, 978, 1e-9);
    ASSERT_TRUE(state.config.units.has_value());
    EXPECT_EQ(state.config.units->system, galactic_units);
}

TEST(StartingState, AFileOfAnotherUnitSystemIsConverted)
{
    const TemporaryFolder folder;
    write_one(folder.path() / "one.hdf5");
    const auto state = start(
        "units: {length: pc, mass: Msun, velocity: km/s}\ninitial_conditions: {model: file, file: one.hdf5}",
        folder.path());
    EXPECT_NEAR(state.particles.position.x.host()[0], 3000, 1e-9);
    EXPECT_NEAR(state.particles.mass.host()[0] / 2e10, 1, 1e-12);
    // 5 km/s is 5 in the run's units again
    EXPECT_NEAR(state.particles.velocity.y.host()[0] * state.units.from_internal(run::Quantity::velocity), 5,
                1e-12);
}

TEST(StartingState, TextTablesAreNbodyUnlessUnitsAreGiven)
{
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "t.txt") << "1 2 3 0 0 0 5 0\n";
    const auto nbody = start("initial_conditions: {model: file, file: t.txt}", folder.path());
    EXPECT_TRUE(nbody.units.nbody);
    EXPECT_EQ(nbody.particles.velocity.y.host()[0], 5);
    EXPECT_FALSE(nbody.notes.empty()) << "the assumption is told";
    const auto galactic =
        start("units: galactic\ninitial_conditions: {model: file, file: t.txt}", folder.path());
    EXPECT_NEAR(galactic.particles.velocity.y.host()[0] * std::sqrt(galactic_units.gravitational_constant()),
                5, 1e-12);
}

TEST(StartingState, PeriodicFilesAreRefusedUnlessTakenAsIsolated)
{
    const TemporaryFolder folder;
    write_one(folder.path() / "box.hdf5", 10);
    const std::string text = "initial_conditions: {model: file, file: box.hdf5}";
    EXPECT_THROW(start(text, folder.path()), ConfigError);
    EXPECT_EQ(start(text, folder.path(), true).particles.size(), 1u);
}

TEST(StartingState, CountingMakesNoParticles)
{
    const auto state = run::make_starting_state(
        run::parse_config("initial_conditions: {model: plummer, particles: 4000000000}", "a", {}), false,
        true);
    EXPECT_EQ(state.n_particles, 4000000000u);
    EXPECT_EQ(state.particles.size(), 0u);
}

}  // namespace
}  // namespace aureole::test
