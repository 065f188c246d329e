#include "sim/run/run.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>

#include "sim/io/atomic_file.hpp"
#include "sim/run/cadence.hpp"
#include "sim/run/coefficient_input.hpp"
#include "sim/run/outputs.hpp"
#include "sim/run/progress.hpp"
#include "sim/run/starting_state.hpp"
#include "sim/run/stop_signal.hpp"

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
}

bool is_output_of_a_run(const std::string& name)
{
    static const std::regex pattern(
        R"((snapshot_\d{3,}\.(hdf5|tipsy|tipsy\.iord|param)|fof_subhalo_tab_\d{3,}\.hdf5|projection_\d{3,}\.png|)"
        R"(halos_\d{3,}\.(0\.h5|csv)|)"
        R"((energy|timings|orbit|halos|perturber)\.csv|coefficients_\d+\.hdf5|config\.resolved\.yaml))");
    return std::regex_match(name, pattern);
}

/// Snapshots and coefficients that the run starts from.
std::vector<fs::path> inputs_of(const Config& config)
{
    std::vector<fs::path> files{config.gravity.scf.coefficients};
    for (const ComponentConfig& component : config.initial_conditions.components) {
        files.push_back(component.file);
        files.push_back(component.scf.coefficients);
    }
    std::erase_if(files, [](const fs::path& file) { return file.empty(); });
    return files;
}

/// Refuses a directory that cannot take the outputs: no directory, not empty without `overwrite`, or one
/// whose outputs, about to be replaced, are the run's own input.
void expect_usable(const fs::path& directory, const Config& config, bool overwrite)
{
    if (!fs::exists(directory)) return;
    if (!fs::is_directory(directory))
        throw IoError(fmt::format("{}: is not a directory", directory.string()));
    if (fs::is_empty(directory)) return;
    if (!overwrite)
        throw IoError(fmt::format(
            "{}: is not empty; --overwrite replaces the outputs in it, -o names another directory",
            directory.string()));
    for (const fs::path& file : inputs_of(config))
        if (fs::exists(file) && fs::equivalent(fs::absolute(file).parent_path(), directory) &&
            is_output_of_a_run(file.filename().string()))
            throw IoError(fmt::format(
                "{}: is the run's input, and --overwrite would remove it; -o names another directory",
                file.string()));
}

/// An empty directory, or one cleared of an earlier run's outputs (of nothing else).
void prepare_directory(const fs::path& directory)
{
    std::error_code error;
    fs::create_directories(directory, error);
    if (error) throw IoError(fmt::format("{}: cannot be made: {}", directory.string(), error.message()));
    for (const auto& entry : fs::directory_iterator(directory))
        if (is_output_of_a_run(entry.path().filename().string())) fs::remove(entry.path());
}

void make_inputs_absolute(Config& config)
{
    const auto make_absolute = [](fs::path& file) {
        if (!file.empty()) file = fs::absolute(file);
    };
    make_absolute(config.gravity.scf.coefficients);
    for (ComponentConfig& component : config.initial_conditions.components) {
        make_absolute(component.file);
        make_absolute(component.scf.coefficients);
    }
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
        static_cast<void>(thresholds_of(internal.halos, density ? halo::reference_densities(*density)
                                                                : halo::unknown_reference_densities()));
    }
}

void write_text(const fs::path& path, const std::string& text)
{
    io::AtomicFile file(path);
    std::ofstream out(file.temporary());
    out << text;
    out.close();
    if (!out) throw IoError(fmt::format("{}: cannot be written", path.string()));
    file.commit();
}

double megabytes(std::size_t bytes) { return 1e-6 * static_cast<double>(bytes); }

void print_forecast(const Forecast& plan, const Config& config, const DeviceChoice& device,
                    const RunUnits& units)
{
    fmt::print("device        {}\nparticles     {}\n", device.description, plan.particles);
    const auto print_memory = [&](Backend where, std::size_t bytes) {
        const double each =
            static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(plan.particles, 1));
        fmt::print("memory {:6} {:.1f} MB, {:.0f} bytes a particle\n", name_of(where), megabytes(bytes),
                   each);
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

/// The loop of one run and everything it keeps.
class Runner {
public:
    Runner(const Config& config, const Config& internal, const RunUnits& units, StartingState start,
           const DeviceChoice& device, const fs::path& directory, const RunOptions& options)
        : config_(config),
          internal_(internal),
          units_(units),
          start_time_(start.time),
          progress_(options.quiet),
          diagnostics_(directory, units, internal.output.halos_every > 0,
                       internal.gravity.perturber.mass.has_value()),
          outputs_(directory, config_, internal_, provenance(device, options)),
          cadence_(internal_, start.time),
          simulation_(device.exec, std::move(start.particles), start.time, internal, timers_)
    {
    }

    int run(const StopSignal& stop)
    {
        observe(true);
        while (!finished() && !stop.raised()) {
            const double dt = next_step();
            const double end = next_end(dt);
            const bool seen = cadence_.observed(end);
            simulation_.step(dt, end, seen);
            ++step_;
            if (seen) observe(finished());
            show_progress();
        }
        if (stop.raised() && !finished()) return end_early();
        report("finished");
        return 0;
    }

private:
    Provenance provenance(const DeviceChoice& device, const RunOptions& options) const
    {
        return {{"Configuration", to_yaml(config_)},
                {"Version", options.version},
                {"CommandLine", options.command_line},
                {"Device", device.description},
                {"Seed", fmt::format("{}", config_.seed)},
                {"Units", units_.nbody ? "nbody (G = 1)" : "physical"},
                {"InternalLengthUnit_in_cm", fmt::format("{}", units_.system.length_cm)},
                {"InternalMassUnit_in_g", fmt::format("{}", units_.system.mass_g)}};
    }

    bool finished() const { return simulation_.time() >= internal_.end_time; }

    double next_step()
    {
        if (internal_.integrator.timestep)
            return cadence_.end_of_step(step_ + 1, *internal_.integrator.timestep) - simulation_.time();
        const double wanted = std::min(simulation_.adaptive_timestep(),
                                       internal_.integrator.maximum_timestep.value_or(internal_.end_time));
        const double left = cadence_.landing(simulation_.time()) - simulation_.time();
        if (!(wanted > 1e-14 * internal_.end_time))
            throw Error(
                fmt::format("step {}: the adaptive step is {} at t = {}: two particles meet too closely for "
                            "their softening, or a state is not finite",
                            step_, wanted * units_.from_internal(Quantity::time), user_time()));
        if (wanted >= left) return left;
        return std::min(wanted, left / 2);  // two even steps rather than a full one and a sliver
    }

    double next_end(double dt) const
    {
        if (internal_.integrator.timestep)
            return cadence_.end_of_step(step_ + 1, *internal_.integrator.timestep);
        const double landing = cadence_.landing(simulation_.time());
        return dt == landing - simulation_.time() ? landing : simulation_.time() + dt;
    }

    /// Writes what is due now; everything at the `edge`s, the first and the last state.
    void observe(bool edge)
    {
        const double time = simulation_.time();
        const Timers::Scope scope(timers_, Phase::diagnostics);
        expect_finite(simulation_.host(), fmt::format("step {}, t = {}", step_, user_time()));
        if (recorded_step_ != step_ && (edge || cadence_.record_due(time))) {
            record();
            recorded_step_ = step_;
        }
        const Wanted wanted = cadence_.wanted(time, edge);
        if (wanted.any()) progress_.say(outputs_.write(simulation_, wanted, timers_, diagnostics_));
        if (wanted.snapshot) snapshot_step_ = step_;
        cadence_.pass(time);
        observed_step_ = step_;
    }

    void record()
    {
        const std::string& not_conserved = diagnostics_.conservation().not_conserved();
        const bool was_conserved = not_conserved.empty();
        diagnostics_.record(simulation_, timers_, step_);
        if (was_conserved && !not_conserved.empty())
            progress_.say("note: no energy is conserved: " + not_conserved);
    }

    int end_early()
    {
        if (observed_step_ != step_) simulation_.evaluate();
        if (snapshot_step_ != step_)
            observe(true);
        else if (recorded_step_ != step_)
            record();
        report("stopped by a signal; the last state is written");
        return 130;
    }

    double user_time() const { return simulation_.time() * units_.from_internal(Quantity::time); }

    void show_progress()
    {
        const double fraction = (simulation_.time() - start_time_) / (internal_.end_time - start_time_);
        progress_.show(
            {step_, fraction, diagnostics_.conservation().error(), time_text(user_time(), units_)});
    }

    void report(const std::string& how)
    {
        progress_.finish();
        double total = 0;
        std::string phases;
        for (std::size_t k = 0; k < phase_names.size(); ++k) {
            const double seconds = timers_.seconds(static_cast<Phase>(k));
            total += seconds;
            phases += fmt::format("{}{} {:.2f} s", k ? ", " : "", phase_names[k], seconds);
        }
        progress_.say(fmt::format("{} at t = {} after {} steps in {:.1f} s ({})", how,
                                  time_text(user_time(), units_), step_, total, phases));
        const EnergyConservation& conservation = diagnostics_.conservation();
        const std::string energy = conservation.not_conserved().empty()
                                       ? fmt::format("largest |dE/E| {:.3g}", conservation.largest_error())
                                       : "no energy is conserved";
        progress_.say(fmt::format("{}; peak memory {}", energy, peak_memory()));
    }

    std::string peak_memory() const
    {
        std::string text = fmt::format("cpu {:.1f} MB", megabytes(memory::peak_bytes(Backend::cpu)));
        if (simulation_.exec().backend == Backend::cuda)
            text += fmt::format(", cuda {:.1f} MB", megabytes(memory::peak_bytes(Backend::cuda)));
        return text;
    }

    const Config& config_;
    const Config& internal_;
    RunUnits units_;
    double start_time_;
    std::uint64_t step_ = 0;
    // the steps after which the state was last looked at, logged, and written
    std::optional<std::uint64_t> observed_step_, recorded_step_, snapshot_step_;
    Timers timers_;
    Progress progress_;
    Diagnostics diagnostics_;
    Outputs outputs_;
    Cadence cadence_;
    Simulation simulation_;
};

}  // namespace

int run_simulation(const Config& config, const DeviceChoice& device, const RunOptions& options)
{
    expect_runnable(config);
    StartingState start = make_starting_state(config, options.as_isolated, options.dry_run);
    if (start.box_side > 0)
        throw ConfigError(
            fmt::format("{}: a lattice fills a periodic box, and runs integrate isolated systems; `aureole "
                        "ics` makes its "
                        "snapshot",
                        config.file.string()));
    Config resolved = start.config;
    make_inputs_absolute(resolved);
    Config internal = to_internal(resolved, start.units);
    load_coefficients(internal, start.units);
    if (start.time >= internal.end_time)
        throw ConfigError(fmt::format("{}: run.end_time is {}, but the run starts at {}",
                                      config.file.string(), resolved.end_time,
                                      start.time * start.units.from_internal(Quantity::time)));
    expect_settings_that_work(internal);
    const fs::path directory = options.directory.empty() ? config.output.directory : options.directory;
    expect_usable(directory, config, options.overwrite);
    const std::size_t n_components = config.initial_conditions.components.size();
    const Forecast plan = forecast(internal, device.exec, start.n_particles, n_components, start.time);

    Progress progress(options.quiet && !options.dry_run);
    for (const std::string& note : start.notes) progress.say("note: " + note);
    if (options.dry_run) {
        print_forecast(plan, resolved, device, start.units);
        return 0;
    }
    const StopSignal stop;
    prepare_directory(directory);
    resolved.output.directory = fs::absolute(directory);
    write_text(directory / "config.resolved.yaml", to_yaml(resolved));
    progress.say(fmt::format("{} particles on {}, writing to {}", plan.particles, device.description,
                             directory.string()));
    return Runner(resolved, internal, start.units, std::move(start), device, directory, options).run(stop);
}

}  // namespace aureole::run
