// `aureole analyse`: the frame of a disk, its profile, its bar with the pattern speed, and angular momenta.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/analysis/disk_tables.hpp"
#include "sim/analysis/halo_report.hpp"
#include "sim/analysis/statistics_files.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/find/find_search.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/run/outputs/disk_output.hpp"
#include "sim/run/starting_state.hpp"

namespace aureole::cli {
namespace {

/// " kpc", or nothing for pure numbers.
std::string unit_text(const io::ColumnUnits& units, const Dimension& dimension)
{
    const std::string name = units.name_of(dimension);
    return name.empty() ? "" : " " + name;
}

run::DiskMembers members_of(const AnalyseCommand& command)
{
    run::DiskMembers members{types_of(command.types), {}};
    for (const int component : command.components)
        members.components.push_back(static_cast<Component>(component));
    return members;
}

/// Throws ConfigError where no particle is chosen or none of them has a mass.
void expect_disk(const AnalyseCommand& command, const ConstParticlesView& host)
{
    const run::DiskMembers members = members_of(command);
    Index n = 0;
    for (Index i = 0; i < host.n; ++i) {
        if (!members.counts(host, i)) continue;
        if (host.mass[i] > 0) return;
        ++n;
    }
    if (n == 0)
        throw ConfigError(
            fmt::format("{}: none of its {} particles has the types and components that were asked for; "
                        "`aureole info` lists types",
                        command.snapshot.string(), host.n));
    throw ConfigError(fmt::format("{}: the {} chosen particles have no mass", command.snapshot.string(), n));
}

void expect_sound(const AnalyseCommand& command, const LoadedSnapshot& loaded)
{
    const io::SnapshotHeader& header = loaded.snapshot.header;
    if (header.comoving)
        throw ConfigError(fmt::format("{}: is comoving, expected a snapshot of an isolated galaxy",
                                      command.snapshot.string()));
    if (box_of({}, command.open, header).periodic())
        throw ConfigError(
            fmt::format("{}: has a periodic box; --open takes none", command.snapshot.string()));
    if (!loaded.snapshot.has_velocities)
        throw ConfigError(fmt::format("{}: has no velocities", command.snapshot.string()));
}

void print_frame(const run::DiskFrame& frame, std::size_t n, const io::ColumnUnits& units)
{
    const auto text = [](Vec3 v) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", v.x, v.y, v.z); };
    const std::string length = unit_text(units, {.length = 1});
    fmt::print("disk: {} particles, half-mass radius {:.4g}{}, scale radius {:.4g}{}\n", n,
               frame.half_mass_radius, length, frame.scale_radius, length);
    fmt::print("centre {}{}, velocity {}{}, axis {}\n", text(frame.centre), length, text(frame.velocity),
               unit_text(units, {.velocity = 1}), text(frame.axis));
}

void print_bar(const run::Bar& bar, const io::ColumnUnits& units)
{
    const std::string length = unit_text(units, {.length = 1}),
                      frequency = unit_text(units, {.length = -1, .velocity = 1});
    if (std::isnan(bar.a2_max)) return fmt::print("bar: no ring of the disk has an extent\n");
    fmt::print("bar: A2max {:.4g} at R = {:.4g}{} (noise {:.2g})\n", bar.a2_max, bar.r_max, length,
               bar.noise);
    if (bar.status != run::BarStatus::too_weak)
        fmt::print(
            "lengths: A2 at half {:.4g}, phase {:.4g}, axes {:.4g}{}; buckling {:.3g}{}, sigma_z / "
            "sigma_R {:.3g}\n",
            bar.length_half, bar.length_phase, bar.length_axes, length, bar.buckling, length, bar.flattening);
    if (bar.status == run::BarStatus::measured)
        fmt::print(
            "pattern speed {:.5g} +- {:.2g}{}, phase {:.4g} +- {:.2g} rad, R from {:.4g} to {:.4g}{}\n",
            bar.pattern.speed, bar.pattern.speed_error, frequency, bar.pattern.phase, bar.pattern.phase_error,
            bar.region.r0, bar.region.r1, length);
    else
        fmt::print("no pattern speed: {}\n", run::bar_status_text(bar, {}));
}

/// The forces behind torques, from --set and --softening, in internal units.
run::Config force_settings(const AnalyseCommand& command, const LoadedSnapshot& loaded)
{
    run::Config config = config_from_overrides(command.overrides);
    if (config.gravity.perturber.mass)
        throw ConfigError(
            "analyse: gravity.external.perturber is given, which only a run has; expected "
            "gravity.external.fields for fields that stay");
    if (command.softening) config.gravity.softening = *command.softening;
    take_stated_softening(config, loaded);
    return run::to_internal(config, loaded.units);
}

/// Writes one table where a file is named.
class TableFiles {
public:
    TableFiles(const AnalyseCommand& command, const LoadedSnapshot& loaded, const io::ColumnUnits& units)
        : units_(units),
          time_(loaded.snapshot.header.time),
          provenance_(provenance_of(maker(command.command_line), run::choose_device("cpu")))
    {
        provenance_.emplace_back("Input", command.snapshot.string());
    }

    void write(const std::filesystem::path& file, const Table& table, std::string_view citation) const
    {
        if (file.empty()) return;
        io::Attributes attributes{{"Time", time_}};
        if (!citation.empty()) attributes.emplace_back("Citation", std::string(citation));
        run::write_statistics(file, table, units_, attributes, provenance_);
        fmt::print("{}\n", file.string());
    }

private:
    const io::ColumnUnits& units_;
    double time_;
    io::Provenance provenance_;
};

}  // namespace

int analyse_command(const AnalyseCommand& command)
{
    expect_safe_outputs({{"--profile", command.profile},
                         {"--bar", command.bar},
                         {"--angular-momentum", command.angular_momentum},
                         {"--torques", command.torques},
                         {"--map", command.map},
                         {"--ellipses", command.ellipses}},
                        {command.snapshot});
    const double scale_radius = command.scale_radius.value_or(1);
    if (!(scale_radius > 0) || !std::isfinite(scale_radius))
        throw ConfigError(fmt::format("--scale-radius is {}, expected a length above 0", scale_radius));
    const double width = command.width.value_or(1);
    if (!(width > 0) || !std::isfinite(width))
        throw ConfigError(fmt::format("--width is {}, expected a length above 0", width));
    for (const double angle : command.view)
        if (!std::isfinite(angle))
            throw ConfigError(fmt::format("--view has {}, expected two finite angles", angle));
    const LoadedSnapshot loaded = load_snapshot(command.snapshot, command.units);
    expect_sound(command, loaded);
    const ConstParticlesView host = loaded.snapshot.particles.view();
    expect_disk(command, host);
    run::DiskMeasurement disk({}, host, members_of(command),
                              {.scale_radius = command.scale_radius.value_or(0),
                               .ring = static_cast<std::size_t>(command.ring),
                               .view = {command.view[0], command.view[1]},
                               .map_width = command.width.value_or(0),
                               .pixels = command.pixels});
    const run::Bar bar = disk.bar();
    const io::ColumnUnits units = run::unit_names(loaded.units, loaded.snapshot.header);
    print_frame(disk.frame(), disk.size(), units);
    print_bar(bar, units);
    const double g = loaded.units.nbody ? 1 : loaded.units.system.gravitational_constant();
    const TableFiles files(command, loaded, units);
    files.write(command.bar, run::bar_table(bar, disk.frame(), loaded.snapshot.header.time),
                run::pattern_speed_citation);
    for (const auto& [name, file] : {std::pair{"profile", command.profile},
                                     {"angular_momentum", command.angular_momentum},
                                     {"map", command.map},
                                     {"ellipses", command.ellipses}})
        if (!file.empty()) files.write(file, disk.table(name, g), run::disk_table_citation(name));
    if (!command.torques.empty()) {
        const double time = loaded.snapshot.header.time / loaded.units.from_internal(run::Quantity::time);
        files.write(command.torques,
                    run::torques_of(force_settings(command, loaded), {}, host, disk.frame(), time, g), "");
    }
    return 0;
}

}  // namespace aureole::cli
