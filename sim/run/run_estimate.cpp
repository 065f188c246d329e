#include "sim/run/run_estimate.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "gravity/external/with_external.hpp"
#include "gravity/solver_config.hpp"
#include "halo/centres/poisson/poisson_grids.hpp"
#include "halo/fof/friends_of_friends.hpp"
#include "halo/substructure/substructure.hpp"
#include "sim/analysis/halo_catalogue.hpp"
#include "sim/analysis/halo_search.hpp"
#include "sim/core/memory/device_transfer.hpp"
#include "sim/core/memory/ledger.hpp"
#include "sim/pictures/picture.hpp"
#include "sim/run/checkpoints/checkpoint_files.hpp"
#include "sim/run/diagnostics/measurement.hpp"
#include "sim/run/outputs/output_schedule.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {
namespace {

void count(RunEstimate& estimate, const DueOutputs& due)
{
    estimate.halos += due.halos;
    estimate.snapshots += due.snapshot;
    estimate.pictures += due.picture;
    estimate.coefficients += due.coefficients;
    estimate.diagnostics += due.record;
}

/// Follows the times of the run, step by step, or from output to output when the step is adaptive.
void count_steps_and_outputs(RunEstimate& estimate, const Config& internal, double start)
{
    OutputSchedule schedule(internal, start);
    count(estimate, schedule.due(start, true));
    schedule.pass(start);
    std::uint64_t step = 0;
    for (double time = start; time < internal.end_time;) {
        ++step;
        const std::optional<double>& fixed = internal.integrator.timestep;
        if (fixed && internal.cosmology.given())
            time = schedule.end_of_even_step(time, *fixed);
        else
            time = fixed ? schedule.end_of_step(step, *fixed) : schedule.next_time(time);
        const bool last = time >= internal.end_time;
        if (!last && !schedule.any_due(time)) continue;
        count(estimate, schedule.due(time, last));
        schedule.pass(time);
    }
    if (internal.integrator.timestep) estimate.steps = step;
}

/// One component from a file is held twice while the initial conditions are made.
bool starts_from_file(const Config& config)
{
    for (const auto& component : config.initial_conditions.components)
        if (component.component.model == ics::Model::file) return true;
    return false;
}

/// What making a Gaussian field takes beside the particles: see lagrangian_fields().
std::size_t field_bytes(const Config& config, std::uint64_t particles)
{
    constexpr std::size_t doubles = 27;
    for (const auto& component : config.initial_conditions.components)
        if (component.component.model == ics::Model::cosmological)
            return doubles * sizeof(double) * particles;
    return 0;
}

/// Where the particles are.
std::size_t picture_bytes(const Config& internal, std::uint64_t particles, std::size_t n_components)
{
    if (!internal.output.pictures.any()) return 0;
    PictureOptions options;
    options.pixels = internal.pictures.pixels;
    options.colour_by = colour_by_of(internal.pictures.colour_by);
    const std::size_t labels = options.colour_by == ColourBy::halo ? particles * sizeof(std::int32_t) : 0;
    return PicturePainter::bytes(options, n_components) + labels;
}

constexpr double most_intervals = 1e9;

}  // namespace

void expect_countable(const Config& internal, double start_time)
{
    const double span = internal.end_time - start_time;
    const auto expect_few = [&](const std::string& key, double interval) {
        const double n = interval > 0 ? std::max(span, std::abs(internal.end_time)) / interval : 0;
        if (!(n <= most_intervals))
            throw ConfigError(
                fmt::format("{}: key '{}': {:.3g} of them to run.end_time, expected at most {:.0e}",
                            internal.file.string(), key, n, most_intervals));
    };
    expect_few("integrator.timestep", internal.integrator.timestep.value_or(0));
    for (const TimedOutput& output : timed_outputs(internal.output))
        expect_few(fmt::format("output.{}.every", output.name), output.every);
}

void expect_times_within(const Config& config, double start_time)
{
    constexpr double rounding = 1e-12;  // a start that passed through the units of a file
    for (const TimedOutput& output : timed_outputs(config.output))
        for (const double time : output.times)
            if (time < start_time - rounding * std::abs(start_time) || time > config.end_time)
                throw ConfigError(
                    fmt::format("{}: key 'output.{}.times': found {}, expected times of the run, from {} to "
                                "{} (run.end_time)",
                                config.file.string(), output.name, time, start_time, config.end_time));
}

RunEstimate estimate_run(const Config& internal, const Exec& exec, std::uint64_t particles,
                         std::size_t n_components, double start_time)
{
    RunEstimate result;
    result.particles = particles;
    count_steps_and_outputs(result, internal, start_time);

    const bool by_halo = internal.output.pictures.any() && internal.pictures.colour_by == "halo";
    const bool halos = internal.output.halos.any() || by_halo;
    const std::size_t pictures = picture_bytes(internal, particles, n_components);
    const std::size_t state = particles * Particles::bytes_per_particle();
    const auto solver = make_forces(internal);
    const std::size_t orbits = n_components > 1 ? particles * 4 * sizeof(double) : 0;
    const std::size_t forces = solver->scratch_bytes(exec.backend, particles) + orbits;
    const std::size_t records = Measurements::scratch_bytes(exec.backend, particles, n_components);
    std::size_t finder = 0;
    if (halos)
        finder = halo::make_finder(internal.halos.method, finder_settings(internal.halos, {}),
                                   internal.halos.finders)
                     ->scratch_bytes(exec.backend, particles);
    if (halos && exec.backend == Backend::cuda) finder += halo::GroupCatalogue::scratch_bytes(particles);
    if (halos && exec.backend == Backend::cuda && internal.halos.centre == halo::Centre::poisson)
        finder += halo::poisson::PoissonGrids::device_bytes(static_cast<int>(internal.halos.poisson_grid),
                                                            particles / internal.halos.poisson_least_members);
    const std::size_t subhalos =
        halos && internal.halos.substructure ? halo::subhalo_scratch_bytes(particles) : 0;
    if (exec.backend == Backend::cuda) finder += subhalos;
    const std::size_t moving = state + forces + finder + pictures;
    // the sorted copy, which is more than any part of a catalogue takes before it; on a host also what the
    // search for subhalos takes for the largest group, at most all particles
    const std::size_t described = halos ? state + (exec.backend == Backend::cpu ? subhalos : 0) : 0;
    const std::size_t start =
        (starts_from_file(internal) ? 2 * state : state) + field_bytes(internal, particles);
    const bool copied = exec.backend == Backend::cpu && any_checkpoints(internal.output) &&
                        written_beside_steps(exec.backend, particles);
    const std::size_t checkpoint = copied ? state : 0;
    if (exec.backend == Backend::cuda) {
        result.cuda_bytes = moving + records;
        result.cpu_bytes = std::max(start, state + described);
        result.pinned_bytes = device::pinned_bytes_of_copies(std::max(particles * sizeof(double), pictures));
    } else {
        result.cpu_bytes = std::max(start, moving + std::max(described, records) + checkpoint);
        finder += described;
    }
    result.parts = {{"particles", "fewer particles", state},
                    {"gravity.solver: " + internal.gravity.solver, "another gravity.solver", forces}};
    if (records > 0) result.parts.push_back({"diagnostics", "fewer particles", records});
    if (pictures > 0) result.parts.push_back({"pictures", "fewer pictures.pixels", pictures});
    if (checkpoint > 0) result.parts.push_back({"checkpoints", "fewer particles", checkpoint});
    if (halos) result.parts.push_back({"halos", "output.halos.every: 0", finder});
    return result;
}

std::vector<std::string> estimate_lines(const RunEstimate& estimate, const Config& config,
                                        const DeviceChoice& device, const RunUnits& units)
{
    const auto memory_line = [&](Backend where, std::size_t bytes) {
        const double each =
            static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(estimate.particles, 1));
        const memory::Available available = memory::available(where);
        const std::size_t held = memory::held_bytes(where);
        const std::size_t pinned = where == Backend::cpu ? estimate.pinned_bytes : 0;
        const bool fits = bytes + pinned <= held || bytes + pinned - held <= available.bytes;
        return fmt::format("memory {:6} {:.1f} MB, {:.0f} bytes a particle{}; {}{}", name_of(where),
                           megabytes(bytes), each,
                           pinned > 0 ? fmt::format(", and {:.1f} MB pinned", megabytes(pinned)) : "",
                           available.text(), fits ? "" : ": too little");
    };
    std::vector<std::string> lines{fmt::format("device        {}", device.description),
                                   fmt::format("particles     {}", estimate.particles),
                                   memory_line(Backend::cpu, estimate.cpu_bytes)};
    if (device.exec.backend == Backend::cuda)
        lines.push_back(memory_line(Backend::cuda, estimate.cuda_bytes));
    lines.push_back(fmt::format("end           t = {}", time_text(config.end_time, units)));
    lines.push_back(estimate.steps > 0
                        ? fmt::format("steps         {}", estimate.steps)
                        : fmt::format("steps         adaptive, eta {}", config.integrator.eta.value_or(0)));
    lines.push_back(
        fmt::format("outputs       {} snapshots, {} halo catalogues, {} pictures, {} rows of diagnostics",
                    estimate.snapshots, estimate.halos, estimate.pictures, estimate.diagnostics));
    if (estimate.coefficients > 0)
        lines.push_back(fmt::format("coefficients  {} times in a file per component", estimate.coefficients));
    return lines;
}

namespace {

std::size_t bytes_in(const RunEstimate& estimate, Backend where)
{
    return where == Backend::cuda ? estimate.cuda_bytes : estimate.cpu_bytes + estimate.pinned_bytes;
}

std::string complaint(const RunEstimate& estimate, Backend where, const memory::Available& available,
                      Backend computes)
{
    const std::size_t needed = bytes_in(estimate, where);
    std::vector<std::string> parts, knobs;
    for (const RunEstimate::Part& part : estimate.parts) {
        parts.push_back(fmt::format("{:.1f} MB {}", megabytes(part.bytes), part.what));
        if (std::ranges::find(knobs, part.knob) == knobs.end()) knobs.emplace_back(part.knob);
    }
    if (where == Backend::cuda) knobs.push_back("--device cpu");
    return fmt::format("the run needs {:.1f} MB on {}{}, {:.1f} MB held, {}; less is taken by {}",
                       megabytes(needed), name_of(where),
                       where == computes ? fmt::format(" ({})", fmt::join(parts, ", ")) : "",
                       megabytes(memory::held_bytes(where)), available.text(), fmt::join(knobs, ", "));
}

}  // namespace

std::string missing_memory(const RunEstimate& estimate, Backend computes)
{
    for (const Backend where : {Backend::cuda, Backend::cpu}) {
        const std::size_t needed = bytes_in(estimate, where);
        const std::size_t held = memory::held_bytes(where);  // files that were read already
        if (needed <= held) continue;
        const memory::Available available = memory::available(where);
        if (needed - held > available.bytes) return complaint(estimate, where, available, computes);
    }
    return {};
}

void expect_memory(const RunEstimate& estimate, Backend computes)
{
    const std::string missing = missing_memory(estimate, computes);
    if (!missing.empty()) throw MemoryError("out of memory: " + missing);
}

}  // namespace aureole::run
