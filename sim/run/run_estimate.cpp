#include "sim/run/run_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ics/model.hpp"
#include "sim/analysis/halo_catalogue.hpp"
#include "sim/analysis/power_spectrum.hpp"
#include "sim/core/memory/available_memory.hpp"
#include "sim/core/memory/device_transfer.hpp"
#include "sim/core/memory/ledger.hpp"
#include "sim/core/memory/memory_part.hpp"
#include "sim/io/list_text.hpp"
#include "sim/run/checkpoints/checkpoint_files.hpp"
#include "sim/run/comoving.hpp"
#include "sim/run/diagnostics/bar_log.hpp"
#include "sim/run/diagnostics/measurement.hpp"
#include "sim/run/outputs/output_schedule.hpp"
#include "sim/run/outputs/outputs.hpp"
#include "sim/run/ranks/rank_memory.hpp"
#include "sim/run/simulation.hpp"
#include "sim/run/starting_state.hpp"

namespace aureole::run {
namespace {

void count(RunEstimate& estimate, const DueOutputs& due)
{
    estimate.halos += due.halos;
    estimate.snapshots += due.snapshot;
    estimate.power += due.power;
    estimate.density += due.density;
    estimate.disks += due.disks;
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

/// The meshes of spectra, and what the parts of a run keep beside them.
std::size_t bytes_with(const memory::Part& spectra, const std::vector<memory::Part>& others)
{
    std::size_t bytes = spectra.passing;
    for (const memory::Part& other : others) bytes += other.kept;
    return bytes;
}

/// Spectra are made on the host where a GPU cannot hold their meshes, or has not enough memory free.
memory::Part spectra_memory(const Config& internal, Backend where, std::uint64_t particles,
                            const std::vector<memory::Part>& others)
{
    const PowerSettings settings{internal.power.mesh, internal.power.folds};
    memory::Part part = power_memory(settings, where, particles);
    if (where == Backend::cpu) return part;
    const std::size_t free = memory::held_bytes(where) + memory::available(where).bytes;
    if (bytes_with(part, others) > std::min(free, memory::device_capacity())) {
        part.host = power_memory(settings, Backend::cpu, particles).passing;
        part.passing = 0;
    }
    return part;
}

/// Every part forecasts its own memory. The first are there in every run; others only if they take some.
std::vector<memory::Part> parts_of(const Config& internal, Backend where, std::uint64_t particles,
                                   std::size_t n_components, int n_ranks)
{
    const bool pictures = internal.output.pictures.any();
    const bool coloured_by_halo = pictures && colour_by_of(internal.pictures.colour_by) == ColourBy::halo;
    std::vector<memory::Part> parts{{.what = "particles",
                                     .knob = "fewer particles",
                                     .kept = particles * Particles::bytes_per_particle(),
                                     .transfer = particles * sizeof(double)},
                                    forces_memory(internal, where, particles, n_components, n_ranks),
                                    Measurements::memory(where, particles, box_of(internal), n_components)};
    if (!internal.output.bar.components.empty()) parts.push_back(BarLog::memory(where, particles));
    if (pictures) parts.push_back(pictures_memory(internal, particles, n_components));
    parts.push_back(checkpoints_memory(internal, where, particles));
    if (internal.output.halos.any() || coloured_by_halo)
        parts.push_back(catalogue_memory(internal.halos, where, particles, internal.output.merger_trees));
    if (internal.output.density.any()) parts.push_back(density_memory(internal, where, particles));
    if (internal.output.disks.any()) parts.push_back(disk_memory(where, particles, internal));
    return parts;
}

/// With spectra, which are made where one rank would make them (spectra_backend).
std::vector<memory::Part> parts_with_spectra(const Config& internal, Backend where, std::uint64_t particles,
                                             std::size_t n_components, int n_ranks)
{
    std::vector<memory::Part> parts = parts_of(internal, where, particles, n_components, n_ranks);
    if (internal.output.power.any())
        parts.push_back(spectra_memory(internal, where, particles,
                                       parts_of(internal, where, particles, n_components, 1)));
    return parts;
}

void add_up(RunEstimate& estimate, const std::vector<memory::Part>& parts, Backend where, std::size_t start)
{
    const std::size_t particles = parts.front().kept;
    std::size_t kept = 0, passing = 0, host = 0, transfer = 0;
    for (const memory::Part& part : parts) {
        kept += part.kept;
        passing = std::max(passing, part.passing);
        host = std::max(host, part.host);
        transfer = std::max(transfer, part.transfer);
        const std::size_t bytes = part.kept + part.passing;
        if (bytes > 0) estimate.parts.push_back({part.what, part.knob, bytes});
    }
    if (where == Backend::cuda) {
        estimate.cuda_bytes = kept + passing;
        estimate.cpu_bytes = std::max(start, particles + host);
        estimate.pinned_bytes = device::pinned_bytes_of_copies(transfer);
    } else {
        estimate.cpu_bytes = std::max(start, kept + passing);
    }
}

constexpr double most_intervals = 1e9;

/// The components that have names, as the parts of galaxies have.
std::vector<std::string> component_lines(const Config& config, const RunUnits& units)
{
    std::vector<std::string> lines;
    const auto& components = config.initial_conditions.components;
    for (std::size_t k = 0; k < components.size(); ++k) {
        const ics::Component& c = components[k].component;
        if (c.name.empty()) continue;
        if (c.model == ics::Model::file) continue;  // counted when it is read
        const std::string unit = units.name(Quantity::mass);
        lines.push_back(fmt::format("component {:<3} {} ({}): {} particles, mass {}{}{}", k, c.name,
                                    c.model.name, ics::make_model(c)->particles(c), c.mass,
                                    unit.empty() ? "" : " ", unit));
    }
    return lines;
}

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
    const auto text = [&](double time) {
        return config.cosmology.given() ? fmt::format("{} (z = {:.6g})", time, 1 / time - 1)
                                        : fmt::format("{}", time);
    };
    for (const TimedOutput& output : timed_outputs(config.output))
        for (const double time : output.times)
            if (time < start_time - rounding * std::abs(start_time) || time > config.end_time)
                throw ConfigError(fmt::format(
                    "{}: key 'output.{}.times'{}: found {}, expected times of the run, from {} to {} "
                    "(run.end_time)",
                    config.file.string(), output.name, config.cosmology.given() ? " (or redshifts)" : "",
                    text(time), text(start_time), text(config.end_time)));
}

RunEstimate estimate_run(const Config& internal, const Exec& exec, std::uint64_t particles,
                         std::size_t n_components, double start_time, int n_ranks)
{
    RunEstimate result;
    result.particles = particles;
    count_steps_and_outputs(result, internal, start_time);
    const Backend where = exec.backend;
    add_up(result, parts_with_spectra(internal, where, particles, n_components, n_ranks), where,
           bytes_at_start(internal, particles));
    return result;
}

Backend spectra_backend(const Config& internal, Backend where, std::uint64_t particles,
                        std::size_t n_components)
{
    if (where == Backend::cpu) return where;
    const PowerSettings settings{internal.power.mesh, internal.power.folds};
    // spectra themselves keep nothing; one rank's, so that equal runs on any number of ranks decide alike
    const std::vector<memory::Part> parts = parts_of(internal, where, particles, n_components, 1);
    const bool fit = bytes_with(power_memory(settings, where, particles), parts) <= memory::device_capacity();
    return fit ? where : Backend::cpu;
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
    const std::vector<std::string> components = component_lines(config, units);
    lines.insert(lines.begin() + 2, components.begin(), components.end());
    if (device.exec.backend == Backend::cuda)
        lines.push_back(memory_line(Backend::cuda, estimate.cuda_bytes));
    lines.push_back(fmt::format("end           t = {}", time_text(config.end_time, units)));
    lines.push_back(estimate.steps > 0
                        ? fmt::format("steps         {}", estimate.steps)
                        : fmt::format("steps         adaptive, eta {}", config.integrator.eta.value_or(0)));
    lines.push_back(
        fmt::format("outputs       {} snapshots, {} halo catalogues, {} pictures, {} rows of diagnostics",
                    estimate.snapshots, estimate.halos, estimate.pictures, estimate.diagnostics));
    if (estimate.power > 0)
        lines.push_back(fmt::format("spectra       {} power spectra on a mesh of {}^3 points", estimate.power,
                                    power_mesh({config.power.mesh, config.power.folds}, estimate.particles)));
    if (estimate.density > 0)
        lines.push_back(fmt::format("densities     {} on a grid of {}^3 cells", estimate.density,
                                    density_cells(config.density, estimate.particles)));
    if (estimate.disks > 0)
        lines.push_back(fmt::format("disks         {} times {}", estimate.disks,
                                    io::list_text(config.disks.tables, ", ")));
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
                       where == computes ? fmt::format(" ({})", io::list_text(parts, ", ")) : "",
                       megabytes(memory::held_bytes(where)), available.text(), io::list_text(knobs, ", "));
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
