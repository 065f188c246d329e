#include "sim/run/starting_state.hpp"
#include "gravity/external/kepler_perturber.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "sim/core/error.hpp"
#include "sim/io/snapshots/mean_density.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

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

TEST(StartingState, TheTimeOfAFileMayBeToldAgainToItsDigits)
{
    const TemporaryFolder folder;
    write_one(folder.path() / "one.hdf5");
    const auto with_time = [&](const std::string& time) {
        return start(
            "initial_conditions: {model: file, file: one.hdf5}\nrun: {end_time: 1, start_time: " + time + "}",
            folder.path());
    };
    const double exact = start("initial_conditions: {model: file, file: one.hdf5}", folder.path()).time;
    // the time is that of the file, whatever rounding of it is told
    for (const char* const time : {"0.25", "0.25000001", "0.2499999"})
        EXPECT_EQ(with_time(time).time, exact) << time;
    for (const char* const time : {"0.250001", "0.2499", "0"}) {
        const std::string message = message_of<ConfigError>([&] { with_time(time); });
        EXPECT_TRUE(contains(message, "run.start_time") && contains(message, "0.25")) << message;
        EXPECT_TRUE(contains(message, time)) << message;
    }
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
    EXPECT_TRUE(contains(nbody.doubt, "t.txt names no units, and ")) << "for a check of energies that fails";
    const auto galactic =
        start("units: galactic\ninitial_conditions: {model: file, file: t.txt}", folder.path());
    EXPECT_NEAR(galactic.particles.velocity.y.host()[0] * std::sqrt(galactic_units.gravitational_constant()),
                5, 1e-12);
    EXPECT_EQ(galactic.doubt, "");
}

TEST(StartingState, ARunFromOneFileHasTheSofteningThatTheFileStates)
{
    const TemporaryFolder folder;
    Particles p(Backend::cpu, 1);
    p.mass.host()[0] = 2;
    io::SnapshotContent content;
    content.header.units = galactic_units;
    content.softening.fill(0.25);
    io::write_snapshot(folder.path() / "one.hdf5", p, content);
    const std::string text =
        "units: {length: pc, mass: Msun, velocity: km/s}\n"
        "initial_conditions: {model: file, file: one.hdf5}";
    EXPECT_NEAR(run::largest_softening(start(text, folder.path()).config), 250, 1e-9) << "in pc";
    const auto given = start(text + "\ngravity: {softening: 3}", folder.path());
    EXPECT_EQ(run::largest_softening(given.config), 3);
}

/// One particle that holds the matter of a box of 1 Mpc/h, in a file that names no units.
io::Snapshot box_without_units()
{
    io::Snapshot file;
    file.file = "box.hdf5";
    file.format = "Gadget HDF5";
    file.header.comoving = true;
    file.header.box_size = 1;
    file.header.omega0 = 0.3;
    file.header.hubble = 0.7;
    file.particles = Particles(Backend::cpu, 1);
    file.particles.mass.host()[0] = 0.3 * 27.75;
    io::decide_units(file);
    return file;
}

TEST(StartingState, UnitsThatContradictTheMeanDensityAreRefusedWithThoseThatFit)
{
    const io::Snapshot file = box_without_units();
    std::vector<std::string> notes;
    EXPECT_EQ(run::file_units(file, {}, notes).name(run::Quantity::length), "Mpc");
    const auto given = [](const char* text) { return run::parse_config(text, "--units", {}).units; };
    const auto fitting = given("units: {length: Mpc, mass: 1e10 Msun, velocity: km/s}");
    EXPECT_EQ(run::file_units(file, fitting, notes).system, fitting->system);
    for (const char* text :
         {"units: galactic", "units: nbody", "units: {length: Mpc, mass: Msun, velocity: km/s}"}) {
        const std::string message =
            message_of<ConfigError>([&] { run::file_units(file, given(text), notes); });
        EXPECT_TRUE(contains(message, "units: {length: Mpc, mass: 1e10 Msun, velocity: km/s}")) << text;
        EXPECT_TRUE(contains(message, "box.hdf5")) << text;
    }
}

TEST(StartingState, UnitsOfAnotherMassThatFitTheMeanDensityAreTaken)
{
    io::Snapshot file = box_without_units();
    const auto solar =
        run::parse_config("units: {length: kpc, mass: Msun, velocity: km/s}", "--units", {}).units;
    std::vector<std::string> notes;
    file.particles.mass.host()[0] *= 10;  // 277.5 Msun/h in a kpc/h: all of the matter
    file.header.units.reset();
    file.header.units_decided = false;
    EXPECT_EQ(run::file_units(file, solar, notes).system, solar->system);
}

TEST(StartingState, ABoxWhoseMeanDensityFitsNoUsualUnitsNeedsUnits)
{
    io::Snapshot file = box_without_units();
    file.header.units.reset();
    file.header.units_decided = false;
    for (const double part : {1e-5, 10.0}) {  // a hundred-thousandth of the matter, if in Mpc/h; too much
        file.particles.mass.host()[0] = part * 0.3 * 27.75;
        std::vector<std::string> notes;
        EXPECT_TRUE(
            contains(message_of<ConfigError>([&] { run::file_units(file, {}, notes); }), "fits neither"));
        const auto given =
            run::parse_config("units: {length: Mpc, mass: 1e10 Msun, velocity: km/s}", "", {}).units;
        EXPECT_EQ(run::file_units(file, given, notes).system, given->system);
    }
}

TEST(StartingState, PeriodicFilesAreRefusedUnlessTakenAsIsolated)
{
    const TemporaryFolder folder;
    write_one(folder.path() / "box.hdf5", 10);
    const std::string text = "initial_conditions: {model: file, file: box.hdf5}";
    EXPECT_THROW(start(text, folder.path()), ConfigError);
    EXPECT_EQ(start(text, folder.path(), true).particles.size(), 1u);
}

/// Mean position and velocity of equal particles.
PhaseSpacePoint mean(const Particles& p)
{
    PhaseSpacePoint sum;
    for (std::size_t i = 0; i < p.size(); ++i)
        sum = {sum.position + p.position.load(i), sum.velocity + p.velocity.load(i)};
    const double share = 1 / static_cast<double>(p.size());
    return {share * sum.position, share * sum.velocity};
}

void expect_equal(const PhaseSpacePoint& found, const PhaseSpacePoint& expected)
{
    for (Vec3 d : {found.position - expected.position, found.velocity - expected.velocity})
        EXPECT_LT(dot(d, d), 1e-24);
}

const std::string perturber =
    "gravity: {external: {perturber: {mass: 0.5, semi_major_axis: 3, eccentricity: 0.5, frame: "
    "barycentric}}}\n";

TEST(StartingState, AModelAcrossTheEdgeOfABoxIsWrapped)
{
    const TemporaryFolder folder;
    const std::string model = "initial_conditions: {model: plummer, particles: 200, position: [0.1, 1, 1.9]}";
    const auto open = start(model, folder.path()), inside = start("box: 2\n" + model, folder.path());
    int moved = 0;
    for (std::size_t i = 0; i < 200; ++i)
        for (const auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z}) {
            const double x = (inside.particles.position.*axis).host()[i],
                         sides = ((open.particles.position.*axis).host()[i] - x) / 2;
            EXPECT_TRUE(x >= 0 && x < 2) << x;
            EXPECT_NEAR(sides, std::round(sides), 1e-14 * (1 + std::abs(sides)));
            moved += std::round(sides) != 0;
        }
    EXPECT_GT(moved, 50);
}

TEST(StartingState, ABarycentricPerturberMovesTheGalaxyToTheOtherSide)
{
    const std::string text = perturber + "initial_conditions: {model: plummer, particles: 50, mass: 2}";
    const auto state = start(text, "");
    const double mass = state.config.gravity.perturber.galaxy_mass.value();
    EXPECT_GT(mass, 1.9) << "what the particles carry, not the untruncated model";
    EXPECT_LT(mass, 2);
    double sum = 0;
    for (double m : state.particles.mass.host()) sum += m;
    EXPECT_NEAR(mass, sum, 1e-12);
    // apocentre: at (-4.5, 0, 0), v^2 = M (2 / 4.5 - 1 / 3) downwards
    const double total = mass + 0.5, share = -0.5 / total;
    expect_equal(mean(state.particles), {{share * -4.5, 0, 0}, {0, share * -std::sqrt(total / 9), 0}});

    auto config = run::parse_config(text, "run.yaml", {"gravity.external.perturber.frame=galaxy"});
    expect_equal(mean(run::make_starting_state(config, false).particles), {});
    config = run::parse_config(text, "run.yaml", {});
    EXPECT_EQ(run::plan_starting_state(config, false).config.gravity.perturber.galaxy_mass, mass);
}

TEST(StartingState, AFileIsInThePerturbersFrameUnlessRecentred)
{
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "t.txt") << "1 2 3 0 0 0 5 0\n";
    const auto kept = start(perturber + "initial_conditions: {model: file, file: t.txt}", folder.path());
    expect_equal(mean(kept.particles), {{3, 0, 0}, {0, 5, 0}});
    EXPECT_NE(kept.notes.back().find("barycentric"), std::string::npos) << "and that is told";
    const auto moved =
        start(perturber + "initial_conditions: {model: file, file: t.txt, recenter: true}", folder.path());
    expect_equal(mean(moved.particles), {{0.2 * 4.5, 0, 0}, {0, 0.2 * std::sqrt(2.5 / 9), 0}});
}

TEST(StartingState, ThePerturberIsWhereTheTimeOfTheFileSays)
{
    const TemporaryFolder folder;
    write_one(folder.path() / "one.hdf5");
    const auto state =
        start(perturber + "initial_conditions: {model: file, file: one.hdf5, recenter: true}", folder.path());
    ASSERT_GT(state.time, 0);
    const auto config = run::perturber_config(run::to_internal(state.config, state.units));
    EXPECT_EQ(config->galaxy_mass, 2);
    expect_equal(mean(state.particles), gravity::KeplerPerturber(*config).galaxy(state.time));
}

TEST(StartingState, CountingMakesNoParticles)
{
    const auto state = run::plan_starting_state(
        run::parse_config("initial_conditions: {model: plummer, particles: 4000000000}", "a", {}), false);
    EXPECT_EQ(state.n_particles, 4000000000u);
    EXPECT_EQ(state.particles.size(), 0u);
}

}  // namespace
}  // namespace aureole::test
