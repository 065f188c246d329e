// docs/extending.md, followed: its plug-ins are registered here at run time and used through a configuration.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <type_traits>

#include "gravity/external/external_field.hpp"
#include "gravity/solver.hpp"
#include "sim/config/config.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/run/run.hpp"
#include "sim/run/simulation.hpp"
#include "sim/run/starting_state.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"
#include "tests/unit/extending/plugins.hpp"

namespace aureole::test {
namespace {

// Each of these lacks one function of its interface, and must not be usable. They show that no interface has
// a default that a decorator could forget to override.
class SolverWithoutState : public gravity::Solver {
    void prepare(Exec, const ConstParticlesView&, const gravity::SourceRequest&,
                 const gravity::TargetRequest&) override
    {
    }
    void evaluate(Exec, const ConstParticlesView&, const gravity::TargetRequest&,
                  const gravity::ForceOutputs&) override
    {
    }
    std::size_t scratch_bytes(Backend, std::size_t) const override { return 0; }
    gravity::EnergyTerms energy_terms() const override { return {}; }
    void restore_state(Exec, const ConstParticlesView&, std::span<const double>) override {}
};
class FieldWithoutEnergy : public gravity::ExternalField {
    void add_acceleration(Exec, const ConstParticlesView&, const gravity::Selection&, double,
                          const Vec3View&) override
    {
    }
    void add_potential(Exec, const ConstParticlesView&, const gravity::Selection&, double, double*) override
    {
    }
    double power(Exec, const ConstParticlesView&, double) override { return 0; }
    bool works() const override { return true; }
    std::size_t scratch_bytes(std::size_t) const override { return 0; }
    std::optional<PhaseSpacePoint> body(double) const override { return {}; }
};
class IntegratorThatMayStandStill : public integrators::Integrator {
    void step(Exec, const ParticlesView&, gravity::Solver&, double&, double, bool) override {}
    std::vector<double> kept_state() const override { return {}; }
    void restore_state(std::span<const double>) override {}
};
class WriterWithoutLosses : public io::SingleFileWriter {
    void write(const std::filesystem::path&, ConstParticlesView, const io::SnapshotContent&) const override {}
};
class WriterWithoutFiles : public io::SnapshotWriter {
    void write(const std::filesystem::path&, ConstParticlesView, const io::SnapshotContent&) const override {}
    std::vector<std::string> losses(ConstParticlesView, const io::SnapshotContent&) const override
    {
        return {};
    }
};
class CentreWithoutNeeds : public halo::HostCentreMethod {
    void expect_possible(const halo::CentreConfig&, const Box&) const override {}
    bool by_potential() const override { return false; }
    halo::Centres find(const halo::ListsOnHost&) const override { return {}; }
};

TEST(Interfaces, AClassThatForgetsAFunctionIsAbstract)
{
    EXPECT_TRUE(std::is_abstract_v<SolverWithoutState>);
    EXPECT_TRUE(std::is_abstract_v<FieldWithoutEnergy>);
    EXPECT_TRUE(std::is_abstract_v<IntegratorThatMayStandStill>);
    EXPECT_TRUE(std::is_abstract_v<WriterWithoutLosses>);
    EXPECT_TRUE(std::is_abstract_v<WriterWithoutFiles>);
    EXPECT_TRUE(std::is_abstract_v<CentreWithoutNeeds>);
}

class Extending : public testing::Test {
protected:
    ScopedPlugin<gravity::SolverPlugin> spring_{gravity::solvers(), spring_plugin()};
    ScopedPlugin<integrators::IntegratorPlugin> euler_{integrators::integrators(), euler_plugin()};
    ScopedPlugin<ics::ModelPlugin> ring_{ics::models(), ring_plugin()};
    ScopedPlugin<halo::FinderPlugin> sides_{halo::finders(), sides_plugin()};
    ScopedPlugin<halo::CentrePlugin> heaviest_{halo::centre_methods(), heaviest_plugin()};
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

TEST_F(Extending, CentresOfGroupsAreThoseOfTheMethodThatIsChosen)
{
    const std::string halos = "halos: {absolute_linking_length: 1, centre: heaviest, heaviest: {rank: 2}}\n";
    const run::HalosConfig chosen = run::parse_config(text_ + halos, "run.yaml", {}).halos;
    Particles p(Backend::cpu, 4);
    for (Index i = 0; i < 4; ++i) {
        p.view().position.store(i, {1.0 * i, 0, 0});
        p.mass.host()[i] = std::array{2.0, 3.0, 2.0, 1.0}[i];
        p.id.host()[i] = 9 - i;
    }
    const halo::Members lists{{0, 1, 2, 3}, {0, 3, 4}};
    const halo::CentreConfig config{.method = chosen.centre, .own = chosen.centres};
    const halo::Centres found = halo::find_centres(p.reading_view(), lists, {}, config);
    EXPECT_EQ(found.particle, (std::vector<Index>{2, 3})) << "of equal masses the smaller id, 7";
    EXPECT_EQ(found.position[0].x, 2);
    EXPECT_EQ(found.value, (std::vector<double>{2, 1}));
    const auto refused = [&] { run::parse_config(text_ + "halos: {centre: lightest}\n", "run.yaml", {}); };
    EXPECT_TRUE(contains(message_of<ConfigError>(refused), "shrinking_sphere, heaviest"));
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
    EXPECT_EQ(complaint("gravity: {solver: sprung}"),
              "run.yaml:1: key 'gravity.solver': found 'sprung', expected one of direct, tree, treepm, scf, "
              "components, spring, auto");
    EXPECT_TRUE(
        contains(complaint("integrator: {method: euler}"), "expected one of leapfrog, symplectic_euler"));
    EXPECT_TRUE(contains(complaint("initial_conditions: {model: rung}"), "cosmological, file, ring"));
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
    const std::string code_file = text_of("tests/unit/extending/plugins.hpp"),
                      page = text_of("docs/extending.md");
    for (const std::string name :
         {"solver", "integrator", "model", "finder", "centre", "format", "analysis"}) {
        const std::string open = "\n// [" + name + "]\n", close = "// [/" + name + "]\n";
        const auto begin = code_file.find(open), end = code_file.find(close);
        ASSERT_NE(end, std::string::npos) << name;
        const std::string code = code_file.substr(begin + open.size(), end - begin - open.size());
        EXPECT_NE(page.find("```cpp\n" + code + "```\n"), std::string::npos)
            << "docs/extending.md differs from this code:\n"
            << code;
    }
}

}  // namespace
}  // namespace aureole::test
