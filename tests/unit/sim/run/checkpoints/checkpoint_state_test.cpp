#include "sim/run/checkpoints/checkpoint_state.hpp"
#include "gravity/scf/scf_config.hpp"

#include <cstring>

#include "sim/io/checkpoint_file.hpp"
#include "sim/run/checkpoints/checkpoint_files.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using run::Checkpoint, run::RunState, run::Simulation;

template <class T>
void expect_same_bits(const Buffer<T>& a, const Buffer<T>& b, const std::string& what)
{
    const std::vector<T> u = a.to_vector(), v = b.to_vector();
    ASSERT_EQ(u.size(), v.size()) << what;
    EXPECT_EQ(std::memcmp(u.data(), v.data(), u.size() * sizeof(T)), 0) << what;
}

void expect_same_bits(const Particles& a, const Particles& b, const std::string& what)
{
    expect_same_bits(a.mass, b.mass, what + ": mass");
    for (const auto member : {&Particles::position, &Particles::velocity, &Particles::acceleration})
        for (const auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z})
            expect_same_bits(a.*member.*axis, b.*member.*axis, what + ": a vector");
    expect_same_bits(a.potential, b.potential, what + ": potential");
    expect_same_bits(a.id, b.id, what + ": id");
    expect_same_bits(a.type, b.type, what + ": type");
    expect_same_bits(a.component, b.component, what + ": component");
}

Particles two_components()
{
    Particles particles = to_particles(plummer_bodies(500, 7), Backend::cpu);
    for (std::size_t i = 200; i < particles.size(); ++i) {
        particles.component.host()[i] = 1;
        particles.position.x.host()[i] += 3;
    }
    return particles;
}

RunState state_of(Simulation& simulation, std::uint64_t step)
{
    RunState state;
    state.n_particles = simulation.size();
    state.step = step;
    state.simulation = simulation.state();
    return state;
}

class ContinuedSimulations : public OnEachBackend {
protected:
    static void steps(Simulation& simulation, bool adaptive, int n)
    {
        for (int k = 0; k < n; ++k) {
            const double dt = adaptive ? simulation.adaptive_timestep() : 0.02;
            simulation.step(dt, simulation.time() + dt, k % 3 == 0);
        }
    }
    static std::vector<gravity::FieldConfig> fields_in_motion()
    {
        return run::parse_config(
                   "gravity: {external: {fields: [{dehnen_bar: {strength: 0.1, radius: 1}, pattern_speed: 3, "
                   "growth: {start: 0, end: 0.2}}, {nfw: {mass: 1, scale_radius: 2}, friction: {types: [1], "
                   "logarithm: constant, value: 3}, path: {times: [0, 0.1, "
                   "0.4], positions: [[0, 0, 0], [0.1, 0, 0], [0.1, 0.3, 0]]}}]}}",
                   "fields", {})
            .gravity.fields;
    }
    void expect_continued(const std::string& gravity, bool adaptive)
    {
        const std::string step = adaptive ? "{adaptive: {eta: 0.2}}" : "{timestep: 0.02}";
        run::Config internal =
            run::parse_config("gravity: {softening: 0.05, " + gravity + "}\nintegrator: " + step, "test", {});
        internal.gravity.perturber.mass = internal.gravity.perturber.galaxy_mass = 1;
        internal.gravity.perturber.semi_major_axis = 5;
        internal.gravity.fields = fields_in_motion();
        run::Timers timers;
        Simulation whole(exec(), two_components(), 0, internal, timers);
        steps(whole, adaptive, 7);
        const TemporaryFolder folder;
        run::write_checkpoint(folder / "a", folder / "b", state_of(whole, 7), whole.host());
        const auto then = whole.coefficients();
        static_cast<void>(whole.own_potential({300, 500}));  // a history that the other one has not
        steps(whole, adaptive, 8);

        Checkpoint checkpoint = run::read_checkpoint(folder / "a");
        EXPECT_EQ(checkpoint.state.step, 7u);
        Simulation continued(exec(), std::move(checkpoint.particles), checkpoint.state.simulation, internal,
                             timers);
        expect_same(continued.coefficients(), then);
        steps(continued, adaptive, 8);
        expect_same_bits(continued.host(), whole.host(), gravity);
        EXPECT_EQ(continued.time(), whole.time());
        EXPECT_EQ(continued.energy_balance().external_work, whole.energy_balance().external_work);
        EXPECT_EQ(continued.energy_balance().terms.fixed_field, whole.energy_balance().terms.fixed_field);
        EXPECT_EQ(continued.energy_balance().terms.recentring_jumps,
                  whole.energy_balance().terms.recentring_jumps);
        EXPECT_EQ(continued.energy_balance().terms.not_conserved, whole.energy_balance().terms.not_conserved);
        EXPECT_EQ(continued.own_potential({0, 200}), whole.own_potential({0, 200})) << gravity;
        expect_same(continued.coefficients(), whole.coefficients());
    }
    using Coefficients = std::vector<gravity::scf::ComponentCoefficients>;
    static void expect_same(const Coefficients& a, const Coefficients& b)
    {
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t k = 0; k < a.size(); ++k) {
            EXPECT_EQ(a[k].moment.time, b[k].moment.time);
            EXPECT_EQ(a[k].moment.values, b[k].moment.values);
            EXPECT_EQ(a[k].moment.variances, b[k].moment.variances);
        }
    }
};

TEST_P(ContinuedSimulations, OfTheDirectSumHaveTheSameBits) { expect_continued("solver: direct", false); }
TEST_P(ContinuedSimulations, OfTheTreeHaveTheSameBits) { expect_continued("solver: tree", true); }
TEST_P(ContinuedSimulations, OfRecentredSmoothedExpansionsHaveTheSameBits)
{
    for (const char* on : {"shrinking_sphere", "most_bound"})
        expect_continued(std::string("solver: scf, scf: {n_max: 2, l_max: 2, recenter_every: 0.1, smoothing: "
                                     "{samples: 5}, recenter_on: ") +
                             on + "}",
                         false);
}
TEST_P(ContinuedSimulations, OfFrozenExpansionsHaveTheSameBits)
{
    expect_continued("solver: scf, scf: {n_max: 2, l_max: 2, mode: frozen}", false);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ContinuedSimulations);

RunState full_state()
{
    RunState state;
    state.configuration = "seed: 3\n";
    state.units = {false, {1, 2, 3}};
    state.version = "version";
    state.device = "device";
    state.n_particles = 3;
    state.start_time = 0.1;
    state.doubt = "ic.txt names no units";
    state.step = 12;
    state.coefficients[1] = {{.n_max = 1, .l_max = 0}, {{0.5, {1, 2, 3}, {4, 5}, {6, 7}}}};
    state.simulation.time = 0.7;
    state.simulation.balance.terms.fixed_field = 1;
    state.simulation.balance.terms.recentring_jumps = 2;
    state.simulation.balance.terms.not_conserved = "why";
    state.simulation.balance.external_work = 3;
    state.simulation.external_power = 4;
    state.simulation.solver = {5, 6};
    state.simulation.integrator = {7, 8, 9};
    state.schedule[4] = {1, 2, 3};
    state.diagnostics.conservation.first = 1.5;
    state.diagnostics.conservation.first_size = 3.5;
    state.diagnostics.conservation.now = 1.25;
    state.diagnostics.conservation.largest_error = 0.2;
    state.diagnostics.conservation.not_conserved = "not";
    state.diagnostics.bytes["energy.csv"] = 123;
    state.diagnostics.bar = {1.5, 0.25, 0.75, 0, 0, 1, 1, 0, 0, 7.5};
    state.outputs.next = 9;
    state.outputs.frame = {{'x', 7, 4, Vec3{1, 2, 3}, DensityRange{5, 6}, VelocityRange{-8, 9}}};
    state.outputs.frame->configured_centre = Vec3{1, 2, 3};
    state.outputs.zoom = run::PictureFrame{'x', 2, 2, Vec3{4, 5, 6}, DensityRange{7, 8}, {}, Vec3{4, 5, 6}};
    state.outputs.coefficients[2] = {{.n_max = 0, .l_max = 0}, {{1, {}, {2}}}};
    state.seconds[3] = 8;
    return state;
}

TEST(CheckpointStates, OfAnIntegratorThatKeepsNothingHaveNoSectionForIt)
{
    const TemporaryFolder folder;
    const Particles particles(Backend::cpu, 3);
    RunState state = full_state();
    run::write_checkpoint(folder / "with", folder / "b", state, particles);
    state.simulation.integrator.clear();
    run::write_checkpoint(folder / "without", folder / "c", state, particles);
    EXPECT_TRUE(io::CheckpointFile(folder / "with").contains("integrator"));
    EXPECT_FALSE(io::CheckpointFile(folder / "without").contains("integrator"));
    EXPECT_TRUE(run::read_checkpoint(folder / "without").state.simulation.integrator.empty());
}

TEST(CheckpointStates, ComeBackWithEveryField)
{
    const TemporaryFolder folder;
    Particles particles(Backend::cpu, 3);
    particles.acceleration.y.host()[1] = -0.0;
    particles.potential.host()[2] = std::numeric_limits<double>::quiet_NaN();
    run::write_checkpoint(folder / "a", folder / "b", full_state(), particles);
    const Checkpoint back = run::read_checkpoint(folder / "a");
    expect_same_bits(back.particles, particles, "particles");
    const RunState& s = back.state;
    const RunState expected = full_state();
    EXPECT_EQ(s.configuration, expected.configuration);
    EXPECT_FALSE(s.units.nbody);
    EXPECT_EQ(s.units.system, expected.units.system);
    EXPECT_EQ(s.version + s.device, "versiondevice");
    EXPECT_EQ(s.start_time, 0.1);
    EXPECT_EQ(s.doubt, "ic.txt names no units");
    EXPECT_EQ(s.coefficients.at(1).moments.at(0).values, (std::vector<double>{4, 5}));
    EXPECT_EQ(s.coefficients.at(1).moments.at(0).centre.z, 3);
    EXPECT_EQ(s.simulation.time, 0.7);
    EXPECT_EQ(s.simulation.balance.terms.not_conserved, "why");
    EXPECT_EQ(s.simulation.balance.external_work, 3);
    EXPECT_EQ(s.simulation.external_power, 4);
    EXPECT_EQ(s.simulation.solver, (std::vector<double>{5, 6}));
    EXPECT_EQ(s.simulation.integrator, (std::vector<double>{7, 8, 9}));
    EXPECT_EQ(s.schedule[4].passed, 3);
    EXPECT_EQ(s.diagnostics.conservation.first, 1.5);
    EXPECT_EQ(s.diagnostics.conservation.largest_error, 0.2);
    EXPECT_EQ(s.diagnostics.conservation.not_conserved, "not");
    EXPECT_EQ(s.diagnostics.bytes, expected.diagnostics.bytes);
    EXPECT_EQ(s.diagnostics.bar, expected.diagnostics.bar);
    EXPECT_EQ(s.outputs.next, 9u);
    EXPECT_EQ(s.outputs.frame.value().axis, 'x');
    EXPECT_EQ(s.outputs.frame.value().range.value().high, 6);
    EXPECT_EQ(s.outputs.frame.value().velocities.value().middle, -8);
    EXPECT_EQ(s.outputs.frame.value().velocities.value().spread, 9);
    EXPECT_EQ(s.outputs.frame->configured_centre.value().y, 2);
    EXPECT_EQ(s.outputs.zoom.value().configured_width, 2);
    EXPECT_EQ(s.outputs.zoom->range.value().low, 7);
    EXPECT_FALSE(s.outputs.zoom->velocities.has_value());
    EXPECT_EQ(s.outputs.zoom->configured_centre.value().z, 6);
    EXPECT_EQ(s.outputs.coefficients.at(2).moments.size(), 1u);
    EXPECT_EQ(s.seconds, expected.seconds);
}

TEST(CheckpointStates, WithoutZoomAndCentreHaveTheSectionsOfEarlierVersions)
{
    const TemporaryFolder folder;
    const Particles particles(Backend::cpu, 3);
    RunState state = full_state();
    run::write_checkpoint(folder / "with", folder / "b", state, particles);
    state.outputs.zoom.reset();
    state.outputs.frame->configured_centre.reset();
    run::write_checkpoint(folder / "without", folder / "c", state, particles);
    EXPECT_TRUE(io::CheckpointFile(folder / "with").contains("frames"));
    EXPECT_FALSE(io::CheckpointFile(folder / "without").contains("frames"));
    EXPECT_FALSE(run::read_checkpoint(folder / "without").state.outputs.zoom.has_value());
}

/// The sections of `file` with another one for the flags of outputs that are due.
void with_flags(const std::filesystem::path& file, const std::filesystem::path& changed,
                const std::vector<std::uint8_t>& flags)
{
    io::CheckpointFile in(file);
    std::vector<std::vector<std::byte>> bytes;
    std::vector<io::CheckpointSection> sections;
    std::vector<std::string> names{"state", "provenance", "mass", "potential", "id", "type", "component"};
    for (const char* vector : {"position", "velocity", "acceleration"})
        for (const char* axis : {"_x", "_y", "_z"}) names.push_back(std::string(vector) + axis);
    for (const std::string& name : names) {
        bytes.emplace_back(in.size(name));
        in.read(name, bytes.back());
        sections.push_back({name, {}});
    }
    for (std::size_t k = 0; k < sections.size(); ++k) sections[k].bytes = bytes[k];
    sections.push_back({"due", std::as_bytes(std::span(flags))});
    io::write_checkpoint_file(changed, changed.string() + ".before", sections, {});
}

TEST(CheckpointStates, OfVersionsWithFewerKindsOfOutputsAreRead)
{
    const TemporaryFolder folder;
    RunState state = full_state();
    state.due.snapshot = state.due.density = true;
    run::write_checkpoint(folder / "a", folder / "b", state, Particles(Backend::cpu, 3));
    EXPECT_TRUE(run::read_checkpoint(folder / "a").state.due.density);
    for (const std::size_t n : {5, 6, 7}) {
        with_flags(folder / "a", folder / "old", std::vector<std::uint8_t>(n, 1));
        const run::DueOutputs due = run::read_checkpoint(folder / "old").state.due;
        EXPECT_TRUE(due.record);
        EXPECT_EQ(due.power, n > 5);
        EXPECT_EQ(due.density, n > 6);
        EXPECT_FALSE(due.disks);
    }
    for (const std::size_t n : {4, 9}) {
        with_flags(folder / "a", folder / "wrong", std::vector<std::uint8_t>(n, 1));
        EXPECT_TRUE(contains(message_of<IoError>([&] { run::read_checkpoint(folder / "wrong"); }),
                             "flags of outputs that are due"));
    }
}

TEST(CheckpointStates, OfNoParticlesAreWhole)
{
    const TemporaryFolder folder;
    run::write_checkpoint(folder / "a", folder / "b", {}, Particles(Backend::cpu, 0));
    EXPECT_EQ(run::read_checkpoint(folder / "a").particles.size(), 0u);
}

TEST(CheckpointStates, SayWhereTheyComeFrom)
{
    const TemporaryFolder folder;
    const Particles particles(Backend::cpu, 3);
    run::write_checkpoint(folder / "a", folder / "b", full_state(), particles, {{"Host", "here"}});
    EXPECT_EQ(run::checkpoint_provenance(folder / "a"), "{\n        \"Host\": \"here\"\n    }");
    const Checkpoint back = run::read_checkpoint(folder / "a");
    EXPECT_EQ(back.state.diagnostics.conservation.first_size, 3.5);
    EXPECT_EQ(back.state.diagnostics.conservation.now, 1.25);
}

TEST(NewestCheckpoint, IsTheLastOneThatIsWhole)
{
    const TemporaryFolder folder;
    run::CheckpointFiles checkpoints(folder.path(), run::Config{}, 0);
    std::vector<std::string> notes;
    EXPECT_TRUE(contains(message_of<IoError>([&] { run::newest_checkpoint(folder.path(), true, notes); }),
                         "checkpoint_previous.bin: no such file"));
    RunState state = full_state();
    const Particles particles(Backend::cpu, 3);
    for (const std::uint64_t step : {1, 2}) {
        state.step = step;
        checkpoints.write(state, particles);
    }
    EXPECT_EQ(run::newest_checkpoint(folder.path(), true, notes).state.step, 2u);
    EXPECT_TRUE(notes.empty());
    std::filesystem::resize_file(folder / "checkpoint.bin", 100);
    EXPECT_EQ(run::newest_checkpoint(folder.path(), true, notes).state.step, 1u);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_TRUE(contains(notes[0], "step 1"));
    // the damaged one does not take the place of the good one
    state.step = 3;
    checkpoints.write(state, particles);
    EXPECT_EQ(run::read_checkpoint(folder / "checkpoint_previous.bin").state.step, 1u);
}

TEST(CheckpointFiles, AreDueByStepsAndTime)
{
    const TemporaryFolder folder;
    run::Config config;
    config.output.checkpoint_minutes = 0;
    EXPECT_FALSE(run::CheckpointFiles(folder.path(), config, 0).due(10, 5));
    config.output.checkpoint_steps = 5;
    EXPECT_TRUE(run::CheckpointFiles(folder.path(), config, 0).due(10, 0));
    EXPECT_FALSE(run::CheckpointFiles(folder.path(), config, 0).due(11, 0));
    config.output.checkpoints.every = 2;
    EXPECT_TRUE(run::CheckpointFiles(folder.path(), config, 1).due(11, 3));
    EXPECT_FALSE(run::CheckpointFiles(folder.path(), config, 1).due(11, 2.9));
    config.output.checkpoint_minutes = 1e-12;
    EXPECT_TRUE(run::CheckpointFiles(folder.path(), config, 1).due(11, 2.9));
}

}  // namespace
}  // namespace aureole::test
