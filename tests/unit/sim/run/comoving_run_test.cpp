// Runs in an expanding universe, from the configuration to files and back: what is written, that the energy
// is kept, that runs resume bit for bit, and every refusal.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "sim/io/fields/grid_file.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "sim/run/checkpoints/checkpoint_files.hpp"
#include "sim/run/comoving.hpp"
#include "sim/run/diagnostics/state_hash.hpp"
#include "sim/run/run.hpp"
#include "sim/run/starting_state.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

/// 64 particles whose waves fold late: the mass is omega_m times 2.77536627e11 h^2 Msun/Mpc^3 in a box of 10
/// Mpc/h, a little off as in files of others.
const char* const comoving_settings = R"(
units: {length: Mpc/h, mass: 1e10 Msun/h, velocity: km/s}
cosmology: {omega_m: 0.3, omega_b: 0.05, h: 0.7}
gravity: {softening: 0.4, softening_kernel: spline}
integrator: {timestep: 0.05}
run: {start_time: z=24, end_time: z=0}
initial_conditions:
  model: lattice
  particles: 64
  mass: 8326
  lattice: {box_side: 10, growth_factor: 0.02, wave_vectors: [[1, 0, 0], [0, 1, 1], [1, -1, 1]], random_phases: true, wave_velocity: 20}
output: {snapshots: {redshifts: [24, 3, 1, 0]}, halos: {redshifts: [0]}, diagnostics: {every: 0.04}}
halos: {linking_length: 0.5, min_members: 2, leaf_size: 4}
)";

class ComovingRun : public testing::Test {
protected:
    run::Config config(const std::vector<std::string>& overrides = {}) const
    {
        return run::parse_config(comoving_settings, folder / "run.yaml", overrides);
    }
    run::RunOptions options(const std::string& directory)
    {
        run::RunOptions options;
        options.directory = folder / directory;
        options.callbacks.log = [this](run::LogLevel, const std::string& line) { log += line + "\n"; };
        return options;
    }
    void make(const std::string& directory, const std::vector<std::string>& overrides = {})
    {
        run::run_simulation(config(overrides), device, options(directory));
    }
    std::string refusal(const std::vector<std::string>& overrides)
    {
        const std::string message = message_of<ConfigError>([&] { make("refused", overrides); });
        EXPECT_FALSE(std::filesystem::exists(folder / "refused")) << message;
        return message;
    }
    io::Snapshot snapshot(const std::string& name) const { return io::read_snapshot(folder / name); }

    /// A column of energy.csv.
    std::vector<double> column(const std::string& directory, const std::string& name) const
    {
        std::ifstream file(folder / directory / "energy.csv");
        std::string line, cell;
        std::getline(file, line);
        std::istringstream names(line);
        int wanted = 0;
        while (std::getline(names, cell, ',') && cell != name) ++wanted;
        std::vector<double> values;
        while (std::getline(file, line)) {
            std::istringstream row(line);
            for (int k = 0; k <= wanted; ++k) std::getline(row, cell, ',');
            values.push_back(std::stod(cell));
        }
        return values;
    }

    std::vector<double> density(const std::string& name) const
    {
        const io::Hdf5File file = io::Hdf5File::open(folder / name);
        return io::read_grid_field(file, io::grid_layout(file), "Density");
    }

    const run::DeviceChoice device = run::choose_device("cpu");
    const TemporaryFolder folder;
    std::string log;
};

TEST_F(ComovingRun, WritesGadgetsComovingNumbers)
{
    make("out");
    EXPECT_NE(log.find("masses are multiplied by 1 - "), std::string::npos) << log;
    EXPECT_NE(log.find("t = 0.25 (z = 3): snapshot_001.hdf5"), std::string::npos) << log;
    for (const auto& [number, a] : {std::pair{0, 0.04}, {1, 0.25}, {2, 0.5}, {3, 1.0}}) {
        const io::SnapshotHeader header = snapshot(fmt::format("out/snapshot_{:03}.hdf5", number)).header;
        EXPECT_EQ(header.time, a);
        EXPECT_NEAR(header.redshift, 1 / a - 1, 1e-13);
        EXPECT_TRUE(header.comoving);
        EXPECT_NEAR(header.box_size, 10000, 1e-9);
        EXPECT_EQ(header.omega0, 0.3);
        EXPECT_NEAR(header.omega_lambda, 0.7, 1e-15);
        EXPECT_EQ(header.omega_baryon, 0.05);
        EXPECT_EQ(header.hubble, 0.7);
        EXPECT_EQ(header.units, galactic_units);
        EXPECT_EQ(header.h_exponent, -1);
        EXPECT_EQ(header.velocity_a_exponent, 0.5);
    }
}

TEST_F(ComovingRun, StoresVelocitiesAsTheyWereAskedFor)
{
    // wave_velocity is peculiar: u = v / sqrt(a); masses and lengths in 1e10 Msun/h and kpc/h
    const std::vector<std::string> one_wave{"initial_conditions.lattice.wave_vectors=[[1, 0, 0]]",
                                            "initial_conditions.lattice.random_phases=false",
                                            "run.end_time=0.041", "output.halos.redshifts=[]",
                                            "output.snapshots.redshifts=[24]"};
    make("out", one_wave);
    const io::Snapshot first = snapshot("out/snapshot_000.hdf5");
    double fastest = 0;
    for (const double v : first.particles.velocity.x.host()) fastest = std::max(fastest, std::abs(v));
    EXPECT_NEAR(fastest, 20 / std::sqrt(0.04), 1e-9);
    double mass = 0;
    for (const double m : first.particles.mass.host()) mass += m;
    EXPECT_NEAR(mass / (0.3 * 27.75 * 1000), 1, 1e-3);
    EXPECT_EQ(first.particles.position.x.host()[32], 5000) << "the third site of a wave of four";
}

TEST_F(ComovingRun, KeepsTheEnergyOfLayzerAndIrvine)
{
    make("out", {"integrator.timestep=0.02"});
    const std::vector<double> errors = column("out", "relative_error"), w = column("out", "potential"),
                              a = column("out", "time"), work = column("out", "external_work");
    double largest = 0;
    for (const double error : errors) largest = std::max(largest, std::abs(error));
    EXPECT_LT(largest, 0.002);
    EXPECT_GT(largest, 0);
    EXPECT_EQ(a.front(), 0.04);
    EXPECT_EQ(a.back(), 1);
    EXPECT_LT(w.back(), 5 * w.front()) << "it clusters";
    EXPECT_LT(w.back(), 0);
    EXPECT_LT(work.back(), 0) << "minus the integral of T da";
}

TEST_F(ComovingRun, EndsStepsAtOutputsAndDividesEvenlyBetween)
{
    make("out", {"output.halos.redshifts=[]"});
    // ln (0.25 / 0.04) / 0.05 = 36.7, ln 2 / 0.05 = 13.9 twice
    EXPECT_EQ(run::read_checkpoint(folder / "out" / run::checkpoint_name).state.step, 37u + 14 + 14);
}

TEST_F(ComovingRun, ProgressIsEvenInTheLogarithmOfTheScaleFactor)
{
    run::RunOptions watched = options("out");
    std::vector<double> fractions;
    watched.callbacks.progress.report = [&](double fraction, std::string_view) {
        fractions.push_back(fraction);
    };
    run::run_simulation(
        config({"output.snapshots.redshifts=[]", "output.halos.redshifts=[]", "output.diagnostics.every=1"}),
        device, watched);
    ASSERT_GT(fractions.size(), 60u);
    for (std::size_t step = 1; step < fractions.size(); ++step)
        EXPECT_NEAR(fractions[step] - fractions[step - 1], fractions[0], 1e-12) << step;
    EXPECT_NEAR(fractions.back(), 1, 1e-15);
}

TEST_F(ComovingRun, AdaptiveStepsFollowTheAccelerations)
{
    make("out", {"output.halos.redshifts=[]", "integrator={adaptive: {eta: 0.2}}"});
    const auto steps = run::read_checkpoint(folder / "out" / run::checkpoint_name).state.step;
    EXPECT_GT(steps, 161u) << "ln 25 / 0.02";
    EXPECT_LT(steps, 2000u);
}

TEST_F(ComovingRun, ResumesBitForBitAndWithAnyNumberOfThreads)
{
    const int threads = omp_get_max_threads();
    make("whole");
    omp_set_num_threads(threads == 1 ? 2 : 1);
    run::RunOptions stopped = options("stopped");
    int asked = 0;
    stopped.callbacks.stop_reason = [&] { return ++asked < 40 ? "" : "the caller"; };
    run::run_simulation(config(), device, stopped);
    EXPECT_FALSE(std::filesystem::exists(folder / "stopped/snapshot_003.hdf5"));
    run::resume_simulation(folder / "stopped", {}, device, options("stopped"));
    omp_set_num_threads(threads);
    const auto hash = [&](const char* directory) {
        return run::state_hash(run::read_checkpoint(folder / directory / run::checkpoint_name).particles);
    };
    EXPECT_EQ(hash("stopped"), hash("whole"));
    EXPECT_EQ(column("stopped", "total"), column("whole", "total"));
    EXPECT_EQ(snapshot("stopped/snapshot_003.hdf5").particles.position.x.to_vector(),
              snapshot("whole/snapshot_003.hdf5").particles.position.x.to_vector());
}

class ComovingRunOnEachBackend : public ComovingRun, public testing::WithParamInterface<Backend> {};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ComovingRunOnEachBackend);

TEST_P(ComovingRunOnEachBackend, ResumesBitForBitUnderTheMeshAndTheTree)
{
    const run::DeviceChoice there = run::choose_device(name_of(GetParam()));
    const std::vector<std::string> by_mesh{"gravity.solver=treepm", "output.density.redshifts=[24, 1, 0]",
                                           "output.power.redshifts=[24, 1, 0]"};
    run::run_simulation(config(by_mesh), there, options("whole"));
    run::RunOptions stopped = options("stopped");
    int asked = 0;
    stopped.callbacks.stop_reason = [&] { return ++asked < 30 ? "" : "the caller"; };
    run::run_simulation(config(by_mesh), there, stopped);
    run::resume_simulation(folder / "stopped", {}, there, options("stopped"));
    EXPECT_EQ(density("stopped/density_003.hdf5"), density("whole/density_003.hdf5"));
    EXPECT_EQ(column("stopped", "total"), column("whole", "total"));
    EXPECT_EQ(snapshot("stopped/snapshot_003.hdf5").particles.velocity.x.to_vector(),
              snapshot("whole/snapshot_003.hdf5").particles.velocity.x.to_vector());
    make("exact");
    EXPECT_NEAR(column("whole", "total").back() / column("exact", "total").back(), 1, 0.01);
    double largest = 0;
    for (const double error : column("whole", "relative_error")) largest = std::max(largest, std::abs(error));
    EXPECT_LT(largest, 0.01);
}

TEST_F(ComovingRun, TakesItsOwnSnapshotsAsInitialConditions)
{
    make("out");
    const run::Config config = run::parse_config(R"(
cosmology: {omega_m: 0.3, h: 0.7}
gravity: {softening: 0.4, softening_kernel: spline}
integrator: {timestep: 0.05}
run: {end_time: 1}
initial_conditions: {model: file, file: out/snapshot_001.hdf5}
output: {snapshots: {redshifts: [0]}}
)",
                                                 folder / "on.yaml", {});
    const run::StartingState start = run::make_starting_state(config, false);
    EXPECT_EQ(start.time, 0.25);
    EXPECT_NEAR(*start.config.box, 10, 1e-12) << "Mpc/h, where no units are given";
    EXPECT_EQ(start.units.name(run::Quantity::length), "Mpc/h");
    EXPECT_EQ(start.units.name(run::Quantity::mass), "1e+10 Msun/h");
    run::run_simulation(config, device, options("on"));
    const io::Snapshot whole = snapshot("out/snapshot_003.hdf5"), on = snapshot("on/snapshot_000.hdf5");
    double largest = 0;
    for (std::size_t i = 0; i < 64; ++i) {  // both are sorted by group or by id
        for (std::size_t j = 0; j < 64; ++j) {
            if (whole.particles.id.host()[i] != on.particles.id.host()[j]) continue;
            const Vec3 d =
                Box{10000}.nearest(whole.particles.position.load(i) - on.particles.position.load(j));
            largest = std::max(largest, std::sqrt(dot(d, d)));
        }
    }
    EXPECT_LT(largest, 1e-3) << "kpc/h; rounding through the units of files";
}

TEST_F(ComovingRun, FindsHalosOfTheEpoch)
{
    make("out");
    const io::CatalogueFile catalogue = io::read_catalogue(folder / "out/fof_subhalo_tab_003.hdf5");
    EXPECT_EQ(catalogue.header.redshift, 0);
    EXPECT_NEAR(catalogue.header.box_size, 10000, 1e-9);
    ASSERT_GT(catalogue.groups.rows, 0u);
    EXPECT_NE(catalogue.groups.find("Group_M_Crit200"), nullptr) << "the critical density is known";
}

TEST_F(ComovingRun, ReadsTimesAsScaleFactorsRedshiftsAndAges)
{
    const auto times = [&](const char* value) {
        return config({fmt::format("output.snapshots={{times: {}}}", value)}).output.snapshots.times;
    };
    EXPECT_EQ(times("[0.1, z=4, z = 1]"), (std::vector{0.1, 0.2, 0.5}));
    const std::vector<double> ages = times("[1 Gyr, 13 Gyr]");
    for (const auto& [a, gyr] : {std::pair{ages[0], 1.0}, {ages[1], 13.0}}) {
        const double h0 = 70 * 1e5 / 3.085678e24 * 3.15576e16;  // 1/Gyr
        const double closed_form =
            std::cbrt(0.3 / 0.7 * std::pow(std::sinh(1.5 * std::sqrt(0.7) * h0 * gyr), 2));
        EXPECT_NEAR(a, closed_form, 1e-10);
    }
}

TEST_F(ComovingRun, RefusesWhatContradictsItself)
{
    const auto expect = [&](const std::vector<std::string>& overrides, const char* words) {
        const std::string message = refusal(overrides);
        EXPECT_NE(message.find(words), std::string::npos) << message;
    };
    expect({"gravity.solver=tree"}, "gravity.solver is tree");
    expect({"gravity.solver=scf"}, "gravity.solver is scf");
    expect({"box=11"}, "key 'box': found 11");
    expect({"initial_conditions.mass=8000"}, "expected at most 1 %");
    expect({"cosmology={omega_m: 0.3}"}, "cosmology.h");
    expect({"cosmology={h: 0.7}"}, "without cosmology.omega_m");
    expect({"cosmology.omega_m=-1"}, "cosmology.omega_m");
    expect({"units=nbody"}, "units: found nbody");
    expect({"output.snapshots.redshifts=[0, 1]"}, "output.snapshots.redshifts: found 1 after 0");
    expect({"output.snapshots.redshifts=[1, 1]"}, "found 1 after 1");
    expect({"output.snapshots.redshifts=[-1]"}, "above -1");
    expect({"output.snapshots={redshifts: [1], every: 0.1}"}, "expected one of them");
    expect({"output.snapshots.redshifts=[99]"},
           "'output.snapshots.times' (or redshifts): found 0.01 (z = 99), expected times of the run");
    expect({"run.start_time=0"}, "run.start_time");
    expect({"run.start_time=z=-2"}, "above -1");
    expect({"run.end_time=0.01"}, "starts at");
    expect({"integrator.timestep=1 Myr"}, "integrator.timestep");
    expect({"output.diagnostics.every=1 Myr"}, "output.diagnostics.every");
    expect({"gravity.external.perturber={mass: 1, semi_major_axis: 1}"}, "perturber");
    expect({"cosmology=null", "units={length: Mpc/h, mass: Msun, velocity: km/s}"}, "cosmology.h");
}

TEST_F(ComovingRun, RefusesFilesOfOtherUniversesAndParticlesOutsideTheBox)
{
    make("out");
    const auto refusal_of = [&](const std::string& cosmology, const std::string& more) {
        const run::Config config = run::parse_config(
            fmt::format("cosmology: {}\nintegrator: {{timestep: 0.05}}\nrun: {{end_time: 1}}\n"
                        "initial_conditions: {{model: file, file: {}}}\n{}",
                        cosmology, (folder / "ic.hdf5").string(), more),
            folder / "on.yaml", {});
        return message_of<ConfigError>([&] { run::run_simulation(config, device, options("refused")); });
    };
    const auto expect = [&](const std::string& message, const char* words) {
        EXPECT_NE(message.find(words), std::string::npos) << message;
        EXPECT_FALSE(std::filesystem::exists(folder / "refused"));
    };
    std::filesystem::copy(folder / "out/snapshot_001.hdf5", folder / "ic.hdf5");
    expect(refusal_of("{omega_m: 0.31, h: 0.7}", ""), "Omega0 is 0.3, but cosmology.omega_m is 0.31");
    expect(refusal_of("{omega_m: 0.3, h: 0.71}", ""), "HubbleParam is 0.7");
    expect(refusal_of("{omega_m: 0.3, h: 0.7}", "box: 12"), "key 'box'");
    expect(refusal_of("null", ""), "cosmology.omega_m");
    run::RunOptions isolated = options("refused");
    isolated.as_isolated = true;

    io::Snapshot outside = snapshot("ic.hdf5");
    outside.particles.position.y.host()[7] = -6000;
    io::SnapshotContent content;
    content.header = outside.header;
    io::write_snapshot(folder / "ic.hdf5", outside.particles, content);
    expect(refusal_of("{omega_m: 0.3, h: 0.7}", ""), "particle 7 (id");
}

TEST(WrapInto, TakesBoxesFromZeroAndAroundIt)
{
    Particles p(Backend::cpu, 3);
    const double around[] = {-0.5, 0.25, 0.5}, from_zero[] = {-1e-7, 0.75, 1};
    const double wrapped_around[] = {0.5, 0.25, 0.5}, wrapped[] = {1 - 1e-7, 0.75, 0};
    for (std::size_t i = 0; i < 3; ++i) p.position.x.host()[i] = around[i];
    run::wrap_into({1}, p, "a.tipsy");
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(p.position.x.host()[i], wrapped_around[i]);
    for (std::size_t i = 0; i < 3; ++i) p.position.x.host()[i] = from_zero[i];
    run::wrap_into({1}, p, "a.hdf5");
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(p.position.x.host()[i], wrapped[i]);
    p.position.z.host()[2] = -0.3;  // with 0.75 beside it
    EXPECT_NE(message_of<ConfigError>([&] { run::wrap_into({1}, p, "a.hdf5"); }).find("particle 2"),
              std::string::npos);
}

}  // namespace
}  // namespace aureole::test
