#include <fmt/format.h>

#include "gravity/external/with_external.hpp"
#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "sim/analysis/force_comparison.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/ranked_command.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/io/fields/point_table.hpp"
#include "sim/io/list_text.hpp"
#include "sim/run/comoving.hpp"
#include "sim/run/device_choice.hpp"
#include "sim/run/diagnostics/state_check.hpp"
#include "sim/run/simulation.hpp"
#include "sim/run/starting_state.hpp"

namespace aureole::cli {
namespace {

std::string precision_name(const gravity::Config& gravity)
{
    return gravity.precision == Precision::mixed ? "mixed" : "double";
}

std::string kernel_name(const gravity::Config& gravity)
{
    return gravity.softening.kernel == gravity::SofteningKernel::plummer ? "plummer" : "spline";
}

io::Attributes settings_of(const gravity::Config& gravity)
{
    io::Attributes settings{{"Solver", gravity.solver},
                            {"Precision", precision_name(gravity)},
                            {"SofteningKernel", kernel_name(gravity)}};
    for (std::size_t t = 0; t < n_particle_types; ++t)
        settings.emplace_back(fmt::format("SofteningOfType{}", t), gravity.softening.length[t]);
    return settings;
}

void expect_comparable(const ForcesCommand& command)
{
    if (command.compare.empty()) return;
    if (command.compare != "direct")
        throw ConfigError(fmt::format("--compare: found '{}', expected direct, the one solver that is exact",
                                      command.compare));
    if (command.sample < 1)
        throw ConfigError(
            fmt::format("--sample: found {}, expected at least 1 target to compare", command.sample));
}

struct Evaluation {
    Particles host;
    std::vector<double> wall_seconds;  ///< of each evaluation; `host` holds what the last one found
};

/// Above these seconds the direct sum, which repeats its own bits, is not evaluated again for a warmer time.
constexpr double cheap_seconds = 1;

/// Evaluates the solver once, or twice with `steady_state`, and frees it.
Evaluation evaluated(Exec exec, std::unique_ptr<gravity::Solver> solver, const Particles& start, double time,
                     const Box& box, bool steady_state, bool is_direct)
{
    Particles particles = start.copy_to(exec.backend);
    std::vector<double> wall_seconds{run::timed_evaluation(exec, *solver, particles.view(), {}, time, box)};
    if (steady_state && !(is_direct && wall_seconds[0] > cheap_seconds))
        wall_seconds.push_back(run::timed_evaluation(exec, *solver, particles.view(), {}, time, box));
    return {particles.copy_to(Backend::cpu), wall_seconds};
}

/// The solver with the fields of the configuration, potentials of both.
std::unique_ptr<gravity::WithExternal> solver_with_fields(const run::Config& config,
                                                          const run::RunUnits& units, run::RunRanks* ranks)
{
    const run::Config internal = run::to_internal(config, units);
    auto solver = run::make_forces(
        internal, ranks ? run::shared_forces(*ranks, config, units, internal) : run::SharedForces{});
    solver->add_to_potentials();
    return solver;
}

std::string softening_text(const gravity::Config& gravity)
{
    const auto& lengths = gravity.softening.length;
    return fmt::format(
        "{} ({}){}",
        gravity.softening.uniform() ? fmt::format("{}", lengths[0]) : io::list_text(lengths, ", "),
        kernel_name(gravity), gravity.solver == "scf" ? " of the direct sum; scf has none" : "");
}

/// Throws Error after the table when the solver or the direct sum found what is not finite.
void print_comparison(const ForcesCommand& command, const run::Config& config, const gravity::Config& gravity,
                      const run::DeviceChoice& device, const Box& box, const Evaluation& evaluation)
{
    const Particles& host = evaluation.host;
    const run::ForceSample reference = run::direct_sample(
        device.exec, host, gravity.softening, static_cast<std::size_t>(command.sample), config.seed, box);
    const run::ForceComparison comparison = run::compare_forces(host, reference);
    const std::vector<double>& seconds = evaluation.wall_seconds;
    fmt::print("comparison    {} ({} precision) with the direct sum in double, on {}\n", gravity.solver,
               precision_name(gravity), device.description);
    if (box.periodic()) fmt::print("box           {}, periodic\n", box.side);
    fmt::print("particles     N = {}, sampled K = {}, seed {}\n", host.size(), reference.particle.size(),
               config.seed);
    fmt::print("softening     {}\n", softening_text(gravity));
    fmt::print("seconds       {} {:.4g} for all{}, direct sum {:.4g} for the sampled\n", gravity.solver,
               seconds.back(), seconds.size() > 1 ? fmt::format(" (at first {:.4g})", seconds.front()) : "",
               reference.wall_seconds);
    fmt::print("{}", run::comparison_table(comparison));
    if (!comparison.not_finite.empty()) {
        const Index first = comparison.not_finite.front();
        throw Error(fmt::format(
            "forces: {} of {} particles have forces of {} that are not finite, first "
            "particle {} (id {}); look at masses, positions and softening there",
            comparison.not_finite.size(), host.size(), gravity.solver, first, host.id.host()[first]));
    }
    if (comparison.acceleration.n_infinite + comparison.potential.n_infinite > 0)
        throw Error(
            "forces: the direct sum is not finite at some sampled targets; look at masses, positions and "
            "softening");
}

/// Of the file, whose particles are wrapped into it.
Box box_of(const ForcesCommand& command, io::Snapshot& snapshot)
{
    if (command.as_isolated) return {};
    const Box box{snapshot.header.box_size};
    if (box.periodic())
        run::wrap_into(box, snapshot.particles, command.snapshot);
    else
        run::expect_isolated(command.snapshot, snapshot.header,
                             "without a box forces are those of an isolated system");
    return box;
}

void begin_on_ranks(const run::RunRanks& ranks, run::Config settled)
{
    settled.file = "forces";
    run::expect_shareable(&ranks, settled);
    fmt::print("{}\n", ranks.description);
    for (const std::string& note : ranks.notes) fmt::print("{}\n", note);
    for (const std::string& warning : ranks.warnings) fmt::print("warning: {}\n", warning);
}

/// `ranks` is null for one process.
void forces_here(const ForcesCommand& command, run::RunRanks* ranks)
{
    expect_safe_outputs({{"-o", command.output}}, {command.snapshot});
    expect_comparable(command);
    const bool compare = !command.compare.empty();
    run::Config config = config_from_overrides(command.compute.overrides);
    if (!command.solver.empty()) config.gravity.solver = command.solver;
    if (command.softening) config.gravity.softening = *command.softening;
    if (config.gravity.perturber.mass)
        throw ConfigError(
            "forces: gravity.external.perturber is given, which only a run has; expected "
            "gravity.external.fields for fields that stay");
    if (!config.gravity.fields.empty() && !command.compare.empty())
        throw ConfigError(
            "forces: --compare and gravity.external.fields are both given: the direct sum is that of the "
            "particles alone");
    const run::DeviceChoice device = ranks ? ranks->device : run::choose_device(command.compute.device);
    run::Config settled = config;
    run::settle_solver(settled, device.exec.backend, 0);
    static_cast<void>(
        gravity::make_solver(run::solver_config(settled)));  // refused before a large file is read
    if (ranks) begin_on_ranks(*ranks, settled);

    LoadedSnapshot loaded = load_snapshot(command.snapshot, command.units, {});
    const Box box = box_of(command, loaded.snapshot);
    if (box.periodic()) config.box = box.side;
    take_stated_softening(config, loaded);
    run::settle_solver(config, device.exec.backend, loaded.snapshot.particles.size());
    const gravity::Config gravity = run::solver_config(config);
    const ParticleLimits limits = run::particle_limits(config);
    run::expect_in_range(loaded.snapshot.particles, limits);
    const double time =
        loaded.snapshot.header.time / loaded.units.from_internal(run::Quantity::time);  // of the fields
    const Evaluation evaluation =
        evaluated(device.exec, solver_with_fields(config, loaded.units, ranks), loaded.snapshot.particles,
                  time, box, compare, gravity.solver == "direct");
    if (compare) print_comparison(command, config, gravity, device, box, evaluation);
    run::expect_computable(evaluation.host, limits);  // nothing is written of numbers that cannot be right
    if (!command.output.empty()) {
        // lengths and masses are the file's, so that G in its units is the only factor
        const double g = loaded.units.nbody ? 1.0 : loaded.units.system.gravitational_constant();
        io::ForcesContent content{g, g, g, settings_of(gravity), {}};
        content.provenance = provenance_of(maker(command.compute.command_line), device);
        content.provenance.emplace_back("Configuration", run::to_yaml(config));
        content.provenance.emplace_back("Input", command.snapshot.string());
        if (ranks)
            content.provenance.insert(content.provenance.end(), ranks->provenance.begin(),
                                      ranks->provenance.end());
        io::write_forces(command.output, evaluation.host, content);
        fmt::print("accelerations and potentials of {} particles ({}, {}) written to {}; G = {}\n",
                   evaluation.host.size(), gravity.solver, device.description, command.output.string(), g);
    }
}

}  // namespace

int forces_command(const ForcesCommand& command)
{
    std::unique_ptr<comm::Communicator> ranks = comm::open_ranks();
    if (ranks->size() > 1)
        return work_on_ranks(
            std::move(ranks), command.compute.command_line, "forces", command.compute.device,
            {[&](run::RunRanks& all) { forces_here(command, &all); }, run::serve_run, run::end_serving});
    forces_here(command, nullptr);
    return 0;
}

}  // namespace aureole::cli
