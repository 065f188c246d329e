#include "sim/run/outputs/disk_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gravity/external/with_external.hpp"
#include "gravity/solver_config.hpp"
#include "sim/analysis/angular_momentum.hpp"
#include "sim/analysis/disk_tables.hpp"
#include "sim/analysis/statistics_files.hpp"
#include "sim/core/error.hpp"
#include "sim/io/list_text.hpp"
#include "sim/io/snapshots/gadget_dialect.hpp"
#include "sim/run/outputs/output_names.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {
namespace {

DiskMembers members_of(const DisksConfig& config)
{
    DiskMembers members;
    for (const int component : config.components)
        members.components.push_back(static_cast<Component>(component));
    return members;
}

DiskSettings settings_of(const DisksConfig& config)
{
    return {.scale_radius = config.scale_radius.value_or(0),
            .ring = config.ring,
            .view = {config.inclination, config.azimuth},
            .map_width = config.width.value_or(0),
            .pixels = config.pixels};
}

/// From internal numbers to those of the run's units, of which length and mass are the same.
void convert(Table& table, const RunUnits& units)
{
    const UnitScales scales{.velocity = units.from_internal(Quantity::velocity)};
    for (Column& column : table.columns)
        if (auto* const numbers = std::get_if<std::vector<double>>(&column.values))
            for (double& x : *numbers) x *= io::scale_of(column.dimension, scales);
}

std::unique_ptr<gravity::WithExternal> torque_forces(Config internal, Backend where, std::size_t n)
{
    internal.gravity.solver =
        gravity::settled_solver(gravity::automatic_solver, where, internal.precision, n);
    return make_forces(internal);
}

constexpr std::string_view torque_table_name = disk_table_names.back();

}  // namespace

Table torques_of(const Config& internal, Exec exec, const ConstParticlesView& particles,
                 const DiskFrame& frame, double time, double gravitational_constant)
{
    const auto forces = torque_forces(internal, exec.backend, particles.n);
    return torque_table(
        component_torques(exec, particles, frame, forces->self_gravity(), forces->fields(), time), frame,
        gravitational_constant);
}

std::vector<DiskOutput> disk_outputs(const Config& internal, const RunUnits& units, Exec exec,
                                     const ConstParticlesView& particles, double time)
{
    const DisksConfig& config = internal.disks;
    DiskMeasurement disk(exec, particles, members_of(config), settings_of(config));
    if (!(disk.frame().scale_radius > 0))
        throw ConfigError(
            fmt::format("{}: output.disks is given, but half of the mass of the {} particles of "
                        "the disk lies at one point; disks.scale_radius gives it an extent",
                        internal.file.string(), disk.size()));
    std::vector<DiskOutput> outputs;
    for (const std::string& name : config.tables) {
        outputs.push_back({name, name == torque_table_name
                                     ? torques_of(internal, exec, particles, disk.frame(), time, 1)
                                     : disk.table(name, 1)});
        convert(outputs.back().table, units);
    }
    return outputs;
}

std::string write_disk_outputs(const std::vector<DiskOutput>& outputs, const std::filesystem::path& directory,
                               unsigned number, const RunUnits& units, double time,
                               const io::Provenance& provenance)
{
    const io::ColumnUnits names{units.name(Quantity::length), units.name(Quantity::mass),
                                units.name(Quantity::velocity)};
    std::string text;
    for (const DiskOutput& output : outputs) {
        io::Attributes attributes{{"Time", time * units.from_internal(Quantity::time)}};
        if (const std::string citation{disk_table_citation(output.name)}; !citation.empty())
            attributes.emplace_back("Citation", citation);
        const std::string file = disk_files(output.name).of(number);
        write_statistics(directory / disk_tables(output.name).of(number), output.table, names, {}, {});
        write_statistics(directory / file, output.table, names, attributes, provenance);
        text += " " + file;
    }
    return text;
}

void expect_disk(const Config& internal, const ConstParticlesView& host)
{
    if (!internal.output.disks.any()) return;
    const DiskMembers members = members_of(internal.disks);
    std::optional<Vec3> first;
    for (Index i = 0; i < host.n; ++i) {
        if (!members.counts(host, i) || !(host.mass[i] > 0)) continue;
        const Vec3 x = host.position.load(i);
        if (first && (x.x != first->x || x.y != first->y || x.z != first->z)) return;
        first = x;
    }
    const std::vector<int>& components = internal.disks.components;
    const std::string disk =
        components.empty()
            ? std::string("disk (all particles, as disks.components names none)")
            : fmt::format("components [{}] of disks.components", io::list_text(components, ", "));
    const std::string found = first ? fmt::format("the particles of the {} lie at one point", disk)
                                    : fmt::format("no particle of the {} has a mass", disk);
    throw ConfigError(fmt::format("{}: output.disks is given, but {}", internal.file.string(), found));
}

memory::Part disk_memory(Backend where, std::uint64_t n, const Config& internal)
{
    const DisksConfig& config = internal.disks;
    const DiskBytes bytes = disk_table_bytes(where, n, n, settings_of(config));
    memory::Part part{.what = "tables of a disk", .knob = "output.disks"};
    part.passing = bytes.backend;
    if (std::ranges::find(config.tables, torque_table_name) != config.tables.end())
        part.passing += torque_bytes(where, n) + torque_forces(internal, where, n)->scratch_bytes(where, n);
    (where == Backend::cuda ? part.host : part.passing) += bytes.host;
    return part;
}

}  // namespace aureole::run
