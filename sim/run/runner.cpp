// The loop of one run: its steps, checks and reports.
#include "sim/run/runner.hpp"
#include "sim/config/expansion_settings.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/memory/ledger.hpp"
#include "sim/run/control/run_directory.hpp"
#include "sim/run/diagnostics/state_hash.hpp"

namespace aureole::run {
namespace {

std::string begun(const Provenance& provenance)
{
    const auto found = std::ranges::find(provenance, "Begun", &Provenance::value_type::first);
    return found == provenance.end() ? std::string() : found->second;
}

}  // namespace

Runner::Runner(RunStart& start, const DeviceChoice& device, const std::filesystem::path& directory,
               const RunOptions& options)
    : config_(start.config),
      internal_(start.internal),
      units_(start.units),
      options_(options),
      device_(device.description),
      directory_(directory),
      start_time_(start.time),
      first_time_(start.checkpoint ? start.checkpoint->simulation.time : start.time),
      diagnostics_(directory, units_,
                   {internal_.output.halos.any(), internal_.gravity.perturber.mass.has_value(),
                    rotating_field(internal_), internal_.output.bar, logged_expansions(internal_)},
                   start.checkpoint ? &start.checkpoint->diagnostics : nullptr),
      provenance_(provenance(device)),
      progress_file_(directory, {device.description, begun(provenance_), start.particles.size()}),
      outputs_(directory, config_, internal_, provenance_),
      schedule_(internal_, start.time),
      checkpoints_(directory, internal_, first_time_),
      simulation_(simulation_of(start, device, options, timers_)),
      check_(
          internal_, units_, [this] { finish_outputs(); }, start.doubt)
{
    simulation_.before_copy([this] {
        finish_snapshot();
        finish_checkpoint();
    });
    if (!start.checkpoint) return;
    RunState& checkpoint = *start.checkpoint;
    begins_ = false;
    step_ = first_step_ = checkpoint.step;
    checkpoint_step_ = checkpoint.step;
    timers_.restore(checkpoint.seconds);
    schedule_.restore(checkpoint.schedule, simulation_.time());
    due_ = schedule_.still_due(checkpoint.due);
    synced_ = checkpoint.outputs.next;
    outputs_.restore(std::move(checkpoint.outputs));
}

Runner::~Runner()
{
    // they may read particles of the simulation, which goes first
    for (const auto finish : {&Runner::finish_snapshot, &Runner::finish_picture, &Runner::finish_checkpoint})
        try {
            (this->*finish)();
        } catch (const std::exception&) {
            // another error has ended the run already: without one the run would have waited for this write
        }
}

Simulation Runner::simulation_of(RunStart& start, const DeviceChoice& device, const RunOptions& options,
                                 Timers& timers)
{
    const SharedForces shared = options.ranks ? shared_forces(*options.ranks, start) : SharedForces{};
    Particles particles = std::move(start.particles);
    if (!start.checkpoint)
        return Simulation(device.exec, std::move(particles), start.time, start.internal, timers, shared);
    return Simulation(device.exec, std::move(particles), start.checkpoint->simulation, start.internal, timers,
                      shared);
}

void Runner::run(RunControl& control)
{
    try {
        run_with_advice(control);
    } catch (const std::exception& error) {
        progress_file_.end("failed", error.what(), control);
        throw;
    }
}

void Runner::run_with_advice(RunControl& control)
{
    try {
        run_to_end_or_stop(control);
    } catch (const FailedCheck& failure) {
        fail(failure, control);
    } catch (const MemoryError& error) {
        throw MemoryError(error.what() + resume_advice());
    } catch (const IoError& error) {
        throw IoError(error.what() + resume_advice());
    }
}

std::string Runner::resume_advice() const
{
    return fmt::format("; once that is mended: aureole run --resume {}", directory_.string());
}

void Runner::run_to_end_or_stop(RunControl& control)
{
    std::string reason;
    const Progress progress{{}, [&] {
                                reason = control.stop_reason();
                                return !reason.empty();
                            }};
    try {
        run_to_end(control, progress);
    } catch (const Stopped&) {
        if (reason.empty()) throw;  // thrown by a callback
        stop(reason, control);
    }
}

void Runner::run_to_end(RunControl& control, const Progress& progress)
{
    io::write_directory_metadata(directory_, diagnostics_.names(), provenance_);
    if (!begins_) outputs_.cut_back();
    check_particles();
    progress_file_.update(progress_now(), user_time(), control);
    if (begins_) observe(true, progress);
    if (begins_ && checkpoints_.due_at_the_start()) begin_checkpoint(control, Next::step);
    if (due_.any()) make_due_outputs(progress);
    draw_requested_frame();
    while (!finished()) {
        progress.at(0, "next step");
        look_at_writes();
        const auto [dt, end] = next_step();
        const bool seen = schedule_.any_due(end);
        advance(dt, end, seen);
        ++step_;
        check_particles(!seen && !finished());
        const bool checkpoint = !finished() && checkpoints_.due(step_, simulation_.time());
        if (seen) {
            control.expect_directory();
            observe(finished(), progress);
        }
        if (control.take_dump_request()) {
            check_particles();
            finish_outputs();
            const Timers::Scope scope(timers_, Phase::snapshots);
            say(outputs_.write_extra(simulation_, step_).string());
        }
        if (checkpoint) begin_checkpoint(control, Next::step);
        report_progress(control);
        draw_requested_frame();
    }
    if (checkpoints_.due_at_the_end()) begin_checkpoint(control, Next::end);
    finish_writes();
    if (const std::string trees = outputs_.write_trees(timers_); !trees.empty()) say(trees);
    report("finished");
    progress_file_.end("finished", {}, control);
}

/// What the next step finds in the state before is told of that.
void Runner::advance(double dt, double end, bool potential)
{
    try {
        simulation_.step(dt, end, potential);
    } catch (const UnphysicalState&) {
        check_particles();
        throw;  // not reached: the check throws
    }
}

/// `later`: nothing is written of the present state, so that the next step may look.
void Runner::check_particles(bool later)
{
    const Timers::Scope scope(timers_, Phase::diagnostics);
    warn(later ? check_.particles_later(simulation_) : check_.particles(simulation_));
}

void Runner::warn(const std::string& message)
{
    if (!message.empty())
        say(fmt::format("step {}, t = {}: {}", step_, user_time(), message), LogLevel::warning);
}

Provenance Runner::provenance(const DeviceChoice& device) const
{
    Provenance all = provenance_of(options_.maker, device);
    all.insert(all.end(), {{"Configuration", to_yaml(config_)},
                           {"Seed", fmt::format("{}", config_.seed)},
                           {"Units", units_.nbody ? io::nbody_units_text : "physical"},
                           {"InternalLengthUnit_in_cm", fmt::format("{}", units_.system.length_cm)},
                           {"InternalMassUnit_in_g", fmt::format("{}", units_.system.mass_g)}});
    if (options_.ranks)
        all.insert(all.end(), options_.ranks->provenance.begin(), options_.ranks->provenance.end());
    return all;
}

double Runner::adaptive_step()
{
    constexpr double longest_in_ln_a = 0.02;  // of the expansion itself
    const double longest = units_.comoving() ? longest_in_ln_a : internal_.end_time;
    const double asked =
        std::min(simulation_.adaptive_timestep(), internal_.integrator.maximum_timestep.value_or(longest));
    if (!(asked > 1e-14 * internal_.end_time)) check_.fail_timestep(simulation_, asked);
    return asked;
}

Runner::Step Runner::comoving_step()
{
    const double now = simulation_.time();
    const std::optional<double>& fixed = internal_.integrator.timestep;
    const double end = schedule_.end_of_even_step(now, fixed ? *fixed : adaptive_step());
    return {end - now, end};
}

Runner::Step Runner::next_step()
{
    if (units_.comoving()) return comoving_step();
    const double now = simulation_.time();
    if (const std::optional<double>& fixed = internal_.integrator.timestep) {
        const double end = schedule_.end_of_step_from(now, *fixed);
        return {end - now, end};
    }
    const double asked = adaptive_step(), landing = schedule_.next_time(now), left = landing - now;
    if (asked >= left) return {left, landing};
    const double dt = std::min(asked, left / 2);  // two even steps instead of a full one and a very short one
    return {dt, now + dt};
}

void Runner::say(const std::string& line, LogLevel level) const { log_line(options_.callbacks, level, line); }

RunProgress Runner::progress_now() const
{
    const auto fraction = [&](double time) {  // comoving steps are even in ln a
        const auto passed = [&](double t) {
            return units_.comoving() ? std::log(t / start_time_) : t - start_time_;
        };
        return passed(time) / passed(internal_.end_time);
    };
    return {.step = step_,
            .first_step = first_step_,
            .fraction = fraction(simulation_.time()),
            .first_fraction = fraction(first_time_),
            .energy_error = diagnostics_.conservation().error(),
            .time = time_text(user_time(), units_)};
}

void Runner::report_progress(const RunControl& control)
{
    const RunCallbacks& callbacks = options_.callbacks;
    const RunProgress now = progress_now();
    if (callbacks.progress.report) callbacks.progress.report(now.fraction, "next step");
    if (callbacks.step) callbacks.step(now);
    progress_file_.update(now, user_time(), control);
}

void Runner::report(const std::string& how)
{
    double total = 0;
    std::string phases;
    for (std::size_t k = 0; k < phase_names.size(); ++k) {
        const double seconds = timers_.seconds(static_cast<Phase>(k));
        total += seconds;
        phases += fmt::format("{}{} {:.2f} s", k ? ", " : "", phase_names[k], seconds);
    }
    say(fmt::format("{} at t = {} after {} steps in {:.1f} s ({})", how, time_text(user_time(), units_),
                    step_, total, phases));
    const EnergyConservation& conservation = diagnostics_.conservation();
    const std::string energy = conservation.not_conserved().empty()
                                   ? fmt::format("largest |dE/E| {:.3g}", conservation.largest_error())
                                   : "no energy is conserved";
    const bool on_device = simulation_.exec().backend == Backend::cuda;
    std::string peak = fmt::format("cpu {:.1f} MB", megabytes(memory::peak_bytes(Backend::cpu)));
    if (on_device) peak += fmt::format(", cuda {:.1f} MB", megabytes(memory::peak_bytes(Backend::cuda)));
    say(fmt::format("{}; peak memory {}", energy, peak));
    if (on_device)
        say(fmt::format("moved between memories: {}; pinned now {:.1f} MB",
                        device::text_of(device::transfers() - transfers_before_),
                        megabytes(device::pinned_bytes())));
    say(state_hash_text(simulation_.exec(), simulation_.view()));
}

}  // namespace aureole::run
