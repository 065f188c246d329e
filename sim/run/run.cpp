#include "sim/run/run.hpp"

#include <algorithm>

#include "sim/run/checkpoints/resume.hpp"
#include "sim/run/coefficient_input.hpp"
#include "sim/run/control/run_directory.hpp"
#include "sim/run/diagnostics/state_hash.hpp"
#include "sim/run/run_estimate.hpp"
#include "sim/run/starting_state.hpp"

namespace aureole::run {
namespace {

namespace fs = std::filesystem;

void expect_runnable(const Config& config)
{
    const auto refuse = [&](const char* what) {
        throw ConfigError(fmt::format("{}: {}", config.file.string(), what));
    };
    if (!config.integrator.timestep && !config.integrator.eta)
        refuse("a run needs integrator.timestep or integrator.adaptive.eta");
    if (!(config.end_time > 0)) refuse("a run needs run.end_time, a time above 0");
    if (config.integrator.timestep && *config.integrator.timestep < 1e-15 * config.end_time)
        refuse("integrator.timestep is so short that run.end_time cannot grow by it");
}

/// What would otherwise be found only when the first halos or steps are due.
void expect_settings_that_work(const Config& internal)
{
    static_cast<void>(make_forces(internal));
    if (internal.integrator.eta)
        integrators::AdaptiveTimestep(*internal.integrator.eta, step_lengths(internal));
    if (internal.output.halos_every > 0) {
        static_cast<void>(plan_halo_search(internal.halos, 1, {}));
        const std::optional<double>& density = internal.halos.reference_density;
        static_cast<void>(overdensity_thresholds(internal.halos, density
                                                                     ? halo::reference_densities(*density)
                                                                     : halo::unknown_reference_densities()));
    }
}

double megabytes(std::size_t bytes) { return 1e-6 * static_cast<double>(bytes); }

void print_estimate(const RunEstimate& plan, const Config& config, const DeviceChoice& device,
                    const RunUnits& units)
{
    fmt::print("device        {}\nparticles     {}\n", device.description, plan.particles);
    const auto print_memory = [&](Backend where, std::size_t bytes) {
        const double each =
            static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(plan.particles, 1));
        fmt::print("memory {:6} {:.1f} MB, {:.0f} bytes a particle; {}\n", name_of(where), megabytes(bytes),
                   each, memory::available(where).text());
    };
    print_memory(Backend::cpu, plan.cpu_bytes);
    if (device.exec.backend == Backend::cuda) print_memory(Backend::cuda, plan.cuda_bytes);
    fmt::print("end           t = {}\n", time_text(config.end_time, units));
    if (plan.steps > 0)
        fmt::print("steps         {}\n", plan.steps);
    else
        fmt::print("steps         adaptive, eta {}\n", config.integrator.eta.value_or(0));
    fmt::print("outputs       {} snapshots, {} halo catalogues, {} pictures, {} rows of diagnostics\n",
               plan.snapshots, plan.halos, plan.pictures, plan.diagnostics);
    if (plan.coefficients > 0)
        fmt::print("coefficients  {} moments in a file per component\n", plan.coefficients);
}

/// Writes what says what is run, and runs it.
void run_in(const DirectoryLock& lock, RunStart& start, const DeviceChoice& device, const RunOptions& options)
{
    const fs::path& directory = lock.directory();
    std::optional<double> wall_left = options.wall_seconds;
    if (wall_left) *wall_left -= steady_seconds() - options.began;
    RunControl control(lock, wall_left);
    start.config.output.directory = fs::absolute(directory);
    write_text(directory / "config.resolved.yaml", to_yaml(start.config));
    Runner(start, device, directory, options).run(control);
}

void say_all(Progress& progress, const std::vector<std::string>& notes)
{
    for (const std::string& note : notes)
        progress.say(note.starts_with("warning: ") ? note : "note: " + note);
}

}  // namespace

void run_simulation(const Config& config, const DeviceChoice& device, const RunOptions& options)
{
    expect_runnable(config);
    StartingState state = make_starting_state(config, options.as_isolated, options.dry_run);
    if (state.box_side > 0)
        throw ConfigError(
            fmt::format("{}: a lattice fills a periodic box, and runs integrate isolated systems; `aureole "
                        "ics` makes its snapshot",
                        config.file.string()));
    RunStart start{state.config, {}, state.units, state.time, std::move(state.particles), {}};
    make_inputs_absolute(start.config);
    start.internal = to_internal(start.config, start.units);
    load_coefficients(start.internal, start.units);
    if (start.time >= start.internal.end_time)
        throw ConfigError(fmt::format("{}: run.end_time is {}, but the run starts at {}",
                                      config.file.string(), start.config.end_time,
                                      start.time * start.units.from_internal(Quantity::time)));
    expect_countable(start.internal, start.time);
    expect_settings_that_work(start.internal);
    const fs::path directory = options.directory.empty() ? config.output.directory : options.directory;
    expect_usable(directory, config, options.overwrite);
    const std::size_t n_components = config.initial_conditions.components.size();
    const RunEstimate plan =
        estimate_run(start.internal, device.exec, state.n_particles, n_components, start.time);

    Progress progress(options.quiet && !options.dry_run);
    say_all(progress, state.notes);
    if (options.dry_run) return print_estimate(plan, start.config, device, start.units);
    expect_memory(plan, device.exec.backend);
    const DirectoryLock lock(directory);
    forget_requests(lock);
    clear_outputs(directory);
    progress.say(fmt::format("{} particles on {}, writing to {}", plan.particles, device.description,
                             directory.string()));
    run_in(lock, start, device, options);
}

void resume_simulation(const fs::path& given, const std::vector<std::string>& overrides,
                       const DeviceChoice& device, const RunOptions& options)
{
    const fs::path directory = directory_to_resume(given, overrides, options);
    if (!fs::is_directory(directory))
        throw IoError(
            fmt::format("{}: is no directory, so there is no run to go on with", directory.string()));
    std::optional<DirectoryLock> lock;
    if (!options.dry_run) forget_requests(lock.emplace(directory));
    std::vector<std::string> notes;
    Checkpoint checkpoint = newest_checkpoint(directory, !options.dry_run, notes);
    RunStart start = resumed_start(given, overrides, directory, std::move(checkpoint));
    expect_runnable(start.config);
    expect_countable(start.internal, start.time);
    expect_settings_that_work(start.internal);
    const RunState& from = *start.checkpoint;
    if (from.backend != device.exec.backend)
        notes.push_back(fmt::format(
            "the checkpoint was written on {}: the last bits will differ from there on", from.device));
    Progress progress(options.quiet && !options.dry_run);
    say_all(progress, notes);
    const std::string where = fmt::format(
        "t = {}, step {}",
        time_text(from.simulation.time * start.units.from_internal(Quantity::time), start.units), from.step);
    if (from.simulation.time >= start.internal.end_time)
        return progress.say(fmt::format("{}: the run is at its end, {}; --set run.end_time=... moves it\n{}",
                                        directory.string(), where, state_hash_text(start.particles)));
    progress.say(fmt::format("{} particles on {}, going on from {} in {}", from.n_particles,
                             device.description, where, directory.string()));
    if (options.dry_run) return;
    expect_memory(estimate_run(start.internal, device.exec, from.n_particles,
                               start.config.initial_conditions.components.size(), start.time),
                  device.exec.backend);
    remove_outputs_from(directory, from.outputs.next);
    run_in(*lock, start, device, options);
}

}  // namespace aureole::run
