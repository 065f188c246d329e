#include "sim/run/run.hpp"
#include "sim/config/expansion_settings.hpp"

#include "gravity/external/with_external.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"

#include <algorithm>

#include "sim/run/checkpoints/resume.hpp"
#include "sim/run/comoving.hpp"
#include "sim/run/control/run_directory.hpp"
#include "sim/run/diagnostics/state_hash.hpp"
#include "sim/run/friction_hosts.hpp"
#include "sim/run/outputs/outputs.hpp"
#include "sim/run/ranks/shared_reading.hpp"
#include "sim/run/run_estimate.hpp"
#include "sim/run/starting_state.hpp"

namespace aureole::run {
namespace {

namespace fs = std::filesystem;

/// Times that passed through the units of a file differ by rounding.
constexpr double same_time = 1e-12;

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

/// Throws for settings whose fault would otherwise be found only with the first halos or the first step.
void expect_settings_that_work(const Config& internal)
{
    static_cast<void>(make_forces(internal));
    if (internal.integrator.eta)
        integrators::AdaptiveTimestep(*internal.integrator.eta, step_lengths(internal));
    if (internal.output.halos.any()) {
        static_cast<void>(plan_halo_search(internal.halos, 1, box_of(internal)));
        const HaloContext context = halo_context(internal, internal.units.value(), internal.end_time);
        static_cast<void>(overdensity_thresholds(internal.halos, context.densities));
    }
    const auto refuse = [&](const char* what) {
        throw ConfigError(fmt::format("{}: {}", internal.file.string(), what));
    };
    if (internal.output.power.any() && !box_of(internal).periodic())
        refuse("output.power is given, but there is no periodic box (key box): found open space");
    if (!internal.output.bar.components.empty() && box_of(internal).periodic())
        refuse("output.bar.components is given with a periodic box (key box): expected open space");
    if (internal.output.disks.any() && box_of(internal).periodic())
        refuse("output.disks is given with a periodic box (key box): expected open space");
    if (internal.output.mass_functions && !internal.cosmology.given())
        refuse("output.halos.mass_functions is given without cosmology.omega_m");
    if (internal.output.mass_functions && !internal.output.halos.any())
        refuse(
            "output.halos.mass_functions is given, but no halos are: expected output.halos.redshifts, "
            "times or every");
    if (internal.output.merger_trees && !internal.output.halos.any())
        refuse(
            "output.halos.trees is given, but no halos are: expected output.halos.every, times or redshifts");
    if (internal.output.power.any() || internal.output.mass_functions)
        static_cast<void>(LinearTheory::of(internal.cosmology, internal.end_time));
}

/// Otherwise a run would end with its first snapshot, which may be its last output.
void expect_format_that_holds(const Config& config, std::uint64_t particles)
{
    const io::SnapshotFormat& format = io::written_formats().at(config.output.format);
    // files share each type of particles for itself, so that one of several may have one more of each
    const std::uint64_t uneven = config.output.files > 1 ? n_particle_types - 1 : 0;
    const std::uint64_t in_file = (particles + config.output.files - 1) / config.output.files + uneven;
    if (in_file > format.writing.most_particles)
        throw ConfigError(fmt::format(
            "{}: output.format is {}, whose snapshots of a run hold at most {} particles in a file; found {} "
            "of them, expected fewer, more files (output.files) or hdf5",
            config.file.string(), format.name, format.writing.most_particles, in_file));
}

/// Writes the resolved configuration and runs it.
void run_in(const DirectoryLock& lock, RunStart& start, const DeviceChoice& device, const RunOptions& options)
{
    const fs::path& directory = lock.directory();
    std::optional<double> wall_left = options.wall_seconds;
    if (wall_left) *wall_left -= steady_seconds() - options.began;
    if (options.callbacks.started) options.callbacks.started(directory);
    RunControl control(lock, wall_left, options.callbacks);
    start.config.output.directory = fs::absolute(directory);
    write_resolved_configuration(directory, start);
    Runner(start, device, directory, options).run(control);
}

void log_all(const RunCallbacks& callbacks, LogLevel level, const std::vector<std::string>& lines)
{
    for (const std::string& line : lines) log_line(callbacks, level, line);
}

int ranks_in(const RunOptions& options) { return options.ranks ? options.ranks->all.size() : 1; }

void warn_of_memory(const RunEstimate& plan, const DeviceChoice& device, const RunCallbacks& callbacks)
{
    const std::string missing = missing_memory(plan, device.exec.backend);
    if (!missing.empty()) log_line(callbacks, LogLevel::warning, "too little memory: " + missing);
}

/// What each of several ranks takes.
void show_ranks(const RunEstimate& plan, const RunStart& start, Backend where, const RunOptions& options)
{
    if (!options.ranks) return;
    const std::size_t n_components = start.config.initial_conditions.components.size();
    const memory::Part lent =
        lent_forces_memory(start.internal, where, plan.particles, n_components, ranks_in(options));
    const RankNeeds first{plan.cpu_bytes + plan.pinned_bytes, plan.cuda_bytes};
    const RankNeeds others =
        where == Backend::cuda ? RankNeeds{lent.host, lent.kept} : RankNeeds{lent.kept, 0};
    log_all(options.callbacks, LogLevel::info, rank_memory_lines(options.ranks->memory, first, others));
}

void show_plan(const RunEstimate& plan, const RunStart& start, const DeviceChoice& device,
               const RunOptions& options)
{
    log_all(options.callbacks, LogLevel::info, estimate_lines(plan, start.config, device, start.units));
    show_ranks(plan, start, device.exec.backend, options);
    warn_of_memory(plan, device, options.callbacks);
}

/// Begins the run of `config` in its directory, on which the caller may hold the lock already. `doubt` is
/// that of a run which begins once more.
void begin_run(const Config& config, const DeviceChoice& device, const RunOptions& options,
               const DirectoryLock* held = nullptr, const std::string& doubt = {})
{
    expect_runnable(config);
    SnapshotReader read;
    if (options.ranks)
        read = [&ranks = options.ranks->all, limit = config.stall_limit](const fs::path& file) {
            return read_by_ranks(ranks, file, limit);
        };
    StartingState state = plan_starting_state(config, options.as_isolated, read);
    if (!doubt.empty()) state.doubt = doubt;
    if (state.box_side > 0 && !state.config.box)
        throw ConfigError(
            fmt::format("{}: a lattice fills a periodic box, and without the key box runs integrate isolated "
                        "systems; expected box: {:.6g}, or `aureole ics`, which makes its snapshot",
                        config.file.string(), state.box_side));
    RunStart start{state.config, {}, state.units, state.time, {}, {}, state.doubt};
    make_inputs_absolute(start.config);
    if (const std::string note = settle_solver(start.config, device.exec.backend, state.n_particles);
        !note.empty())
        state.notes.push_back(note);
    start.internal = to_internal(start.config, start.units);
    load_coefficients(start.internal, start.units);
    if (start.time >= start.internal.end_time)
        throw ConfigError(fmt::format("{}: run.end_time is {}, but the run starts at {}",
                                      config.file.string(), start.config.end_time,
                                      start.time * start.units.from_internal(Quantity::time)));
    expect_countable(start.internal, start.time);
    expect_times_within(start.config, start.time * start.units.from_internal(Quantity::time));
    expect_settings_that_work(start.internal);
    expect_shareable(options.ranks, start.internal);
    expect_box_possible(start.internal, device.exec);
    const fs::path directory = options.directory.empty() ? config.output.directory : options.directory;
    expect_usable(directory, config, options.overwrite);
    const std::size_t n_components = config.initial_conditions.components.size();
    const RunEstimate plan = estimate_run(start.internal, device.exec, state.n_particles, n_components,
                                          start.time, ranks_in(options));
    expect_density_possible(start.internal, state.n_particles);
    expect_format_that_holds(start.config, state.n_particles);

    const RunCallbacks& callbacks = options.callbacks;
    if (start.config.cosmology.given() && !start.config.cosmology.names_spectrum() &&
        (start.config.output.power.any() || start.config.output.mass_functions))
        state.notes.push_back(
            "no linear theory stands beside spectra and mass functions: cosmology.sigma_8 and "
            "spectral_index, "
            "or spectrum_file, are not given");
    log_all(callbacks, LogLevel::note, state.notes);
    log_all(callbacks, LogLevel::warning, doubtful_expansions(start.internal));
    if (options.dry_run) return show_plan(plan, start, device, options);
    expect_memory(plan, device.exec.backend);
    make_particles(state);
    expect_sheet(start.internal, state.particles.view());
    expect_disk(start.internal, state.particles.view());
    log_all(callbacks, LogLevel::warning, doubtful_frictions(start.internal, state.particles, start.time));
    log_all(callbacks, LogLevel::warning, negative_densities(start.internal));
    start.particles = std::move(state.particles);
    std::optional<DirectoryLock> own;
    if (!held) forget_requests(own.emplace(directory));
    clear_outputs(directory);
    log_line(callbacks, LogLevel::info,
             fmt::format("{} particles on {}, writing to {}", plan.particles, device.description,
                         directory.string()));
    run_in(held ? *held : *own, start, device, options);
}

/// Begins the run of a directory without a checkpoint once more; one that had come to its end is left as it
/// is.
void begin_again(const fs::path& given, const std::vector<std::string>& overrides, const fs::path& directory,
                 const DeviceChoice& device, const RunOptions& options, const DirectoryLock* lock)
{
    const Config config = configuration_to_begin(given, overrides, directory);
    const RunUnits units = config.units.value_or(RunUnits{});
    if (last_snapshot_time(directory, config) >= to_internal(config, units).end_time * (1 - same_time))
        return log_line(options.callbacks, LogLevel::info,
                        fmt::format("{}: the run is at its end, t = {}; it has left no checkpoint "
                                    "(output.checkpoints), so that a later run.end_time begins it at step 0",
                                    directory.string(), time_text(config.end_time, units)));
    log_line(
        options.callbacks, LogLevel::note,
        fmt::format("{}: holds no checkpoint: the run begins at step 0, and what it wrote is written anew",
                    directory.string()));
    RunOptions anew = options;
    anew.directory = directory;
    anew.overwrite = true;
    begin_run(config, device, anew, lock, doubt_of(directory));
}

}  // namespace

void run_simulation(const Config& config, const DeviceChoice& device, const RunOptions& options)
{
    begin_run(config, device, options);
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
    if (!holds_checkpoint(directory))
        return begin_again(given, overrides, directory, device, options, lock ? &*lock : nullptr);
    std::vector<std::string> warnings;
    Checkpoint checkpoint = newest_checkpoint(directory, !options.dry_run, warnings);
    RunStart start = resumed_start(given, overrides, directory, std::move(checkpoint));
    expect_runnable(start.config);
    expect_countable(start.internal, start.time);
    expect_times_within(start.config, start.time * start.units.from_internal(Quantity::time));
    expect_settings_that_work(start.internal);
    expect_shareable(options.ranks, start.internal);
    expect_box_possible(start.internal, device.exec);
    const RunState& from = *start.checkpoint;
    expect_density_possible(start.internal, from.n_particles);
    expect_sheet(start.internal, start.particles.view());
    expect_disk(start.internal, start.particles.view());
    const RunCallbacks& callbacks = options.callbacks;
    log_all(callbacks, LogLevel::warning, warnings);
    if (from.backend != device.exec.backend)
        log_line(callbacks, LogLevel::note,
                 fmt::format("the checkpoint was written on {}: the last bits will differ from there on",
                             from.device));
    const std::string where = fmt::format(
        "t = {}, step {}",
        time_text(from.simulation.time * start.units.from_internal(Quantity::time), start.units), from.step);
    if (from.simulation.time >= start.internal.end_time && !from.due.any()) {
        log_line(callbacks, LogLevel::info,
                 fmt::format("{}: the run is at its end, {}; --set run.end_time=... moves it",
                             directory.string(), where));
        return log_line(callbacks, LogLevel::info, state_hash_text(start.particles));
    }
    log_line(callbacks, LogLevel::info,
             fmt::format("{} particles on {}, going on from {} in {}", from.n_particles, device.description,
                         where, directory.string()));
    const RunEstimate plan =
        estimate_run(start.internal, device.exec, from.n_particles,
                     start.config.initial_conditions.components.size(), start.time, ranks_in(options));
    if (options.dry_run) {
        show_ranks(plan, start, device.exec.backend, options);
        return warn_of_memory(plan, device, callbacks);
    }
    expect_memory(plan, device.exec.backend);
    remove_outputs_from(directory, from.outputs.next);
    run_in(*lock, start, device, options);
}

}  // namespace aureole::run
