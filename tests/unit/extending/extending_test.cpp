// docs/extending.md, followed: its plug-ins are registered here at run time and used through a configuration.
// The code between the lines "// [name]" and "// [/name]" stands on the page word by word.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <ostream>
#include <sstream>

// [solver]
#include "gravity/solver.hpp"
#include "gravity/solver_registry.hpp"

using namespace aureole;

/// What a user may set, with its defaults.
struct SpringConfig {
    double strength = 1;
};

/// A spring pulls every particle to the origin: a = -k x.
class Spring final : public gravity::Solver {
public:
    explicit Spring(const gravity::Config& config) : strength_(config.plugins.get<SpringConfig>().strength) {}

    /// The field needs no sources.
    void prepare(Exec, const ConstParticlesView&, const gravity::SourceRequest&,
                 const gravity::TargetRequest&) override
    {
    }
    void evaluate(Exec, const ConstParticlesView& particles, const gravity::TargetRequest& request,
                  const gravity::ForceOutputs& outputs) override
    {
        const gravity::Selection targets = request.targets.clipped(particles.n);
        for (Index k = 0; k < targets.size(); ++k) {
            const Index i = targets[k];
            const Vec3 x = particles.position.load(i);
            outputs.acceleration.store(i, -strength_ * x);
            if (outputs.potential) outputs.potential[i] = 0.5 * strength_ * dot(x, x);
        }
    }
    std::size_t scratch_bytes(Backend, std::size_t) const override { return 0; }
    gravity::EnergyTerms energy_terms() const override { return {}; }

    /// It keeps nothing from one evaluation to the next.
    std::vector<double> kept_state() const override { return {}; }
    void restore_state(Exec, const ConstParticlesView&, std::span<const double> state) override
    {
        gravity::expect_no_state(state);
    }

private:
    double strength_;
};

/// The one registration. Its key is gravity.spring.strength.
gravity::SolverPlugin spring_plugin()
{
    return {"spring", "a spring to the origin, a = -strength x",
            [](const gravity::Config& config) { return std::make_unique<Spring>(config); },
            plugin_settings<SpringConfig>({setting("strength", Quantity::number, &SpringConfig::strength,
                                                   "k of a = -k x", positive())})};
}
// [/solver]

// [integrator]
#include "gravity/solver.hpp"
#include "integrators/integrator.hpp"
#include "integrators/passes.hpp"

/// The symplectic Euler method: a kick, then a drift, both of the whole step.
class SymplecticEuler final : public integrators::Integrator {
public:
    void step(Exec exec, const ParticlesView& particles, gravity::Solver& solver, double& time, double dt,
              bool potential) override
    {
        integrators::kick_and_drift(exec, particles, dt, dt, watch());
        time += dt;
        accelerate(solver, exec, particles, {.time = time, .potential = potential});
    }

    /// A step starts from particles and time alone, so that a checkpoint needs no more.
    std::vector<double> kept_state() const override { return {}; }
    void restore_state(std::span<const double> state) override { integrators::expect_no_state(state); }
};

integrators::IntegratorPlugin euler_plugin()
{
    return {"symplectic_euler", "kick and drift of the whole step, first order",
            [](const PluginConfigs&) { return std::make_unique<SymplecticEuler>(); }};
}
// [/integrator]

// [model]
#include "ics/check_config.hpp"
#include "ics/model.hpp"

struct RingConfig {
    double radius = 1;
};

/// Particles at rest, evenly on a circle in the xy plane.
class Ring final : public ics::ComponentModel {
public:
    void check(const std::string& where, const ics::Component& c) const override
    {
        ics::expect_positive(where, "mass", c.mass);
        ics::expect_positive(where, "ring.radius", c.own.get<RingConfig>().radius);
    }
    double carried_mass(const ics::Component& c) const override { return c.mass; }
    void fill(const ParticlesView& p, const ics::Slot& slot, const ics::Config& config,
              std::size_t number) const override
    {
        const ics::Component& c = config.components[number];
        const double radius = c.own.get<RingConfig>().radius;
        for (Index k = 0; k < slot.n; ++k) {
            const double angle = 2 * std::acos(-1.0) * k / slot.n;
            const Index i = slot.first + k;
            p.mass[i] = c.mass / slot.n;
            p.position.store(i, slot.centre.position + radius * Vec3{std::cos(angle), std::sin(angle), 0});
            p.velocity.store(i, slot.centre.velocity);
        }
    }
};

/// Its key is initial_conditions.ring.radius.
ics::ModelPlugin ring_plugin()
{
    return {"ring", "particles evenly on a circle, at rest", [] { return std::make_unique<Ring>(); },
            ics::model_settings<RingConfig>("ring", {setting("radius", Quantity::length, &RingConfig::radius,
                                                             "of the circle", positive())})};
}
// [/model]

// [finder]
#include "halo/finder.hpp"

using namespace aureole;

struct SidesConfig {
    double plane = 0;
};

/// Two groups: the particles on either side of the plane at x.
class Sides final : public halo::Finder {
public:
    Sides(const halo::FofConfig& settings, const SidesConfig& own) : settings_(settings), plane_(own.plane) {}

    const halo::FofConfig& settings() const override { return settings_; }

    halo::GroupsView find_on_device(Exec exec, const ConstParticlesView& particles,
                                    const Progress& progress) override
    {
        AUREOLE_EXPECT(exec.backend == Backend::cpu,
                       "the finder 'sides' is for the CPU, expected --device cpu");
        progress.at(0, "sides");
        label_.resize(particles.n);
        Index n_right = 0;
        for (Index i = 0; i < particles.n; ++i) n_right += particles.position.x[i] > plane_ ? 1 : 0;
        const Index n_left = particles.n - n_right;
        // the larger group is the first, and groups with fewer than min_members are left out
        const int right = n_right > n_left ? 0 : 1;
        n_members_ = {std::max(n_left, n_right), std::min(n_left, n_right)};
        while (!n_members_.empty() && n_members_.back() < settings_.min_members) n_members_.pop_back();
        const auto n_groups = static_cast<std::int32_t>(n_members_.size());
        for (Index i = 0; i < particles.n; ++i) {
            const int group = particles.position.x[i] > plane_ ? right : 1 - right;
            label_[i] = group < n_groups ? group : -1;
        }
        return {particles.n, static_cast<Index>(n_members_.size()), label_.data(), n_members_.data()};
    }

    std::size_t scratch_bytes(Backend, std::size_t n) const override { return n * sizeof(std::int32_t); }

private:
    halo::FofConfig settings_;
    double plane_;
    std::vector<std::int32_t> label_;
    std::vector<Index> n_members_;
};

/// Its key is halos.sides.plane.
halo::FinderPlugin sides_plugin()
{
    return {"sides", "two groups on either side of a plane",
            [](const halo::FofConfig& settings, const PluginConfigs& own) {
                return std::make_unique<Sides>(settings, own.get<SidesConfig>());
            },
            plugin_settings<SidesConfig>(
                {setting("plane", Quantity::length, &SidesConfig::plane, "x of the plane")})};
}
// [/finder]

// [format]
#include "sim/io/atomic_file.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"

/// One line for each particle: mass and position, in the units of the file.
class LinesWriter final : public io::SnapshotWriter {
public:
    void write(const std::filesystem::path& file, ConstParticlesView host,
               const io::SnapshotContent& content) const override
    {
        io::AtomicFile target(file);
        target.write([&](std::ostream& out) {
            for (Index i = 0; i < host.n; ++i) {
                const Vec3 x = content.scales.length * host.position.load(i);
                out << content.scales.mass * host.mass[i] << ' ' << x.x << ' ' << x.y << ' ' << x.z << '\n';
            }
        });
        target.commit();
    }
    std::vector<std::string> losses(ConstParticlesView, const io::SnapshotContent&) const override
    {
        return {"These lines hold masses and positions alone."};
    }
};

io::SnapshotFormat lines_format()
{
    return {.name = "lines",
            .writing = {.documentation = "mass and position of each particle in a line",
                        .endings = {".lines"},
                        .make = [] { return std::make_unique<LinesWriter>(); }}};
}
// [/format]

// [analysis]
#include "sim/core/particles_view.hpp"
#include "sim/core/table.hpp"

/// The mass and the mean velocity along z on either side of the plane z = 0; NaN where there is no mass.
Table flow_through_the_plane(const ConstParticlesView& host)
{
    std::vector<double> mass(2), momentum(2), velocity(2);
    for (Index i = 0; i < host.n; ++i) {
        const std::size_t side = host.position.z[i] > 0 ? 1 : 0;
        mass[side] += host.mass[i];
        momentum[side] += host.mass[i] * host.velocity.z[i];
    }
    for (std::size_t side = 0; side < 2; ++side) velocity[side] = momentum[side] / mass[side];
    return {2,
            {{"Mass", "Mass below and above the plane.", {.mass = 1}, 1, mass},
             {"Velocity", "Mean velocity along z.", {.velocity = 1}, 1, velocity}}};
}
// [/analysis]

#include "sim/config/config.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/run/run.hpp"
#include "sim/run/simulation.hpp"
#include "sim/run/starting_state.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test {
namespace {

class Extending : public testing::Test {
protected:
    ScopedPlugin<gravity::SolverPlugin> spring_{gravity::solvers(), spring_plugin()};
    ScopedPlugin<integrators::IntegratorPlugin> euler_{integrators::integrators(), euler_plugin()};
    ScopedPlugin<ics::ModelPlugin> ring_{ics::models(), ring_plugin()};
    ScopedPlugin<halo::FinderPlugin> sides_{halo::finders(), sides_plugin()};
    ScopedPlugin<io::SnapshotFormat> lines_{io::snapshot_formats(), lines_format()};

    const std::string text_ =
        "gravity: {solver: spring, spring: {strength: 4}}\n"
        "integrator: {method: symplectic_euler, timestep: 0.01}\n"
        "run: {end_time: 0.05, checks: {energy_error: 0}}\n"
        "initial_conditions: {model: ring, particles: 4, mass: 2, ring: {radius: 3}}\n";
};

TEST_F(Extending, PlugInsAreChosenByTheConfigurationAndAdvanceParticles)
{
    run::StartingState start = run::make_starting_state(run::parse_config(text_, "run.yaml", {}), false);
    ASSERT_EQ(start.particles.size(), 4u);
    EXPECT_EQ(start.particles.mass.host()[3], 0.5);
    EXPECT_DOUBLE_EQ(start.particles.position.load(0).x, 3);
    run::Timers timers;
    run::Simulation simulation({Backend::cpu}, std::move(start.particles), 0,
                               run::to_internal(start.config, start.units), timers);
    simulation.step(0.01, 0.01, true);
    // a = -4 * 3; the kick gives v = -0.12, the drift of the same step x = 3 - 0.0012
    EXPECT_NEAR(simulation.host().velocity.load(0).x, -0.12, 1e-15);
    EXPECT_NEAR(simulation.host().position.load(0).x, 2.9988, 1e-14);
    EXPECT_NEAR(simulation.host().acceleration.load(0).x, -4 * 2.9988, 1e-13);
    EXPECT_NEAR(simulation.host().potential.host()[0], 2 * 2.9988 * 2.9988, 1e-12);
}

TEST_F(Extending, AWholeRunWorksAndItsResolvedConfigurationNamesThePlugIns)
{
    const TemporaryFolder folder;
    const run::Config config = run::parse_config(text_, folder / "run.yaml", {});
    run::RunOptions options;
    options.directory = folder / "out";
    run::run_simulation(config, run::choose_device("cpu"), options);
    EXPECT_TRUE(std::filesystem::exists(folder / "out/snapshot_001.hdf5"));
    const std::string resolved = run::to_yaml(config);
    EXPECT_EQ(run::to_yaml(run::parse_config(resolved, "run.yaml", {})), resolved);
    for (const char* line : {"solver: spring", "strength: 4", "method: symplectic_euler", "radius: 3"})
        EXPECT_TRUE(contains(resolved, line));
}

TEST_F(Extending, ASnapshotIsWrittenInTheFormatThatIsChosen)
{
    const TemporaryFolder folder;
    run::RunOptions options;
    options.directory = folder / "out";
    run::run_simulation(run::parse_config(text_, folder / "run.yaml", {"output.format=lines"}),
                        run::choose_device("cpu"), options);
    std::ifstream first(folder / "out/snapshot_000.lines");
    double mass = 0, x = 0;
    ASSERT_TRUE(first >> mass >> x);
    EXPECT_GT(mass, 0);
    EXPECT_NEAR(x, 3, 1e-5);
    EXPECT_FALSE(std::filesystem::exists(folder / "out/snapshot_000.hdf5"));
}

TEST_F(Extending, GroupsOfARunAreThoseOfTheFinderThatIsChosen)
{
    const TemporaryFolder folder;
    run::RunOptions options;
    options.directory = folder / "out";
    const std::string halos =
        "halos: {method: sides, sides: {plane: 2}, absolute_linking_length: 1, "
        "min_members: 1}\n";
    run::run_simulation(run::parse_config(text_ + halos, folder / "run.yaml", {"output.halos.every=1"}),
                        run::choose_device("cpu"), options);
    const io::CatalogueFile catalogue = io::read_catalogue(folder / "out/fof_subhalo_tab_000.hdf5");
    const Column* const length = catalogue.groups.find("GroupLen");
    ASSERT_NE(length, nullptr);
    // one particle of the ring is at x = 3, the others at 0 and -3
    EXPECT_EQ(std::get<std::vector<std::int64_t>>(length->values), (std::vector<std::int64_t>{3, 1}));
}

TEST_F(Extending, AnAnalysisSeesTheParticlesOfEachRecord)
{
    const TemporaryFolder folder;
    run::RunOptions options;
    options.directory = folder / "out";
    std::vector<double> times;
    Table last;
    options.callbacks.record = [&](const ConstParticlesView& host, double time) {
        times.push_back(time);
        last = flow_through_the_plane(host);
    };
    run::run_simulation(run::parse_config(text_, folder / "run.yaml", {"output.diagnostics.every=0.02"}),
                        run::choose_device("cpu"), options);
    ASSERT_EQ(times.size(), 4u);  // the start, 0.02, 0.04 and the end
    EXPECT_EQ(times.front(), 0);
    EXPECT_NEAR(times.back(), 0.05, 1e-12);
    const auto& mass = std::get<std::vector<double>>(last.find("Mass")->values);
    EXPECT_NEAR(mass[0] + mass[1], 2, 1e-15);
}

TEST_F(Extending, TheDocumentationOfTheConfigurationNamesThePlugInsAndTheirKeys)
{
    const std::string text = run::config_documentation();
    for (const char* part :
         {"spring (a spring to the origin, a = -strength x)", "gravity.spring.strength", "k of a = -k x",
          "symplectic_euler (kick and drift of the whole step, first order)",
          "ring (particles evenly on a circle, at rest)", "sides (two groups on either side of a plane)",
          "halos.sides.plane", "x of the plane [kpc]", "lines (mass and position of each particle in a line)",
          "initial_conditions.ring.radius", "of the circle [kpc]"})
        EXPECT_TRUE(contains(text, part));
}

TEST_F(Extending, AWrongNameListsThePlugInsAndAWrongValueSaysWhatIsExpected)
{
    const auto complaint = [](const std::string& text) {
        return message_of<ConfigError>([&] { run::parse_config(text, "run.yaml", {}); });
    };
    EXPECT_EQ(
        complaint("gravity: {solver: sprung}"),
        "run.yaml:1: key 'gravity.solver': found 'sprung', expected one of direct, tree, scf, spring, auto");
    EXPECT_TRUE(
        contains(complaint("integrator: {method: euler}"), "expected one of leapfrog, symplectic_euler"));
    EXPECT_TRUE(contains(complaint("initial_conditions: {model: rung}"), "lattice, file, ring"));
    EXPECT_TRUE(contains(complaint("output: {format: word}"), "tipsy-native, text, lines"));
    EXPECT_TRUE(contains(complaint("gravity: {spring: {strength: 0}}"),
                         "key 'gravity.spring.strength': found 0, expected a number above 0"));
    EXPECT_TRUE(contains(complaint("gravity: {spring: {strenth: 1}}"),
                         "the nearest known key is 'gravity.spring.strength'"));
}

TEST_F(Extending, LengthsOfAPlugInBecomeInternalNumbers)
{
    const run::Config config = run::parse_config(text_, "run.yaml", {});
    const run::RunUnits units{false, galactic_units};
    EXPECT_EQ(run::to_internal(config, units)
                  .initial_conditions.components[0]
                  .component.own.get<RingConfig>()
                  .radius,
              3);
}

TEST(ExtendingPage, QuotesTheCodeThatIsTestedHere)
{
    const auto text_of = [](const char* file) {
        std::stringstream text;
        text << std::ifstream(source_folder() / file).rdbuf();
        return text.str();
    };
    const std::string test = text_of("tests/unit/extending/extending_test.cpp"),
                      page = text_of("docs/extending.md");
    for (const std::string name : {"solver", "integrator", "model", "finder", "format", "analysis"}) {
        const std::string open = "\n// [" + name + "]\n", close = "// [/" + name + "]\n";
        const auto begin = test.find(open), end = test.find(close);
        ASSERT_NE(end, std::string::npos) << name;
        const std::string code = test.substr(begin + open.size(), end - begin - open.size());
        EXPECT_NE(page.find("```cpp\n" + code + "```\n"), std::string::npos)
            << "docs/extending.md differs from this code:\n"
            << code;
    }
}

}  // namespace
}  // namespace aureole::test
