// `aureole density`: a snapshot's particles onto a grid, in the file's own numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/cli/commands.hpp"
#include "sim/cli/density_octree.hpp"
#include "sim/cli/density_request.hpp"
#include "sim/cli/loaded_snapshot.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/io/grid_file.hpp"
#include "sim/run/device_choice.hpp"
#include "sim/run/progress.hpp"

namespace aureole::cli {
namespace {

/// The particles of the types that were asked for.
Particles chosen(const DensityCommand& command, Particles all)
{
    for (const int type : command.types)
        if (type < 0 || type >= n_particle_types)
            throw ConfigError(fmt::format("--types: found {}, expected types from 0 to 5", type));
    if (command.types.empty()) return all;
    std::vector<Index> members;
    for (Index i = 0; i < all.size(); ++i)
        if (std::ranges::find(command.types, all.type.host()[i]) != command.types.end()) members.push_back(i);
    if (members.empty())
        throw ConfigError(fmt::format("{}: none of its {} particles has the types that were asked for",
                                      command.snapshot.string(), all.size()));
    return all.gathered(members);
}

io::Attributes settings_of(const LoadedSnapshot& loaded, const density::DepositConfig& config,
                           const density::DensityGrid& grid)
{
    io::Attributes settings{{"Method", std::string(density::name_of(config.method))},
                            {"BoxSize", config.grid.box.side},
                            {"CellVolume", config.grid.cell_volume()},
                            {"TotalMass", grid.total_mass()},
                            {"Particles", static_cast<std::int64_t>(loaded.snapshot.particles.size())}};
    if (config.method == density::Method::elements)
        settings.insert(settings.end(), {{"LatticeSide", static_cast<std::int64_t>(grid.lattice_side)},
                                         {"LatticeAxes", grid.lattice_axes},
                                         {"FirstID", static_cast<std::int64_t>(grid.first_id)},
                                         {"SignedVolume", grid.signed_volume}});
    append_units(settings, loaded);
    return settings;
}

std::vector<io::GridField> fields_of(const DensityCommand& command, const density::DensityGrid& grid)
{
    using Kind = io::GridField::Kind;
    const DensityFields wanted = density_fields(command);
    const auto signed_cell = [](std::uint64_t cell) { return static_cast<std::int64_t>(cell); };
    std::vector<io::GridField> fields;
    if (wanted.mass)
        fields.push_back(
            {"Density", Kind::number,
             [&grid, signed_cell, volume = grid.grid().cell_volume()](std::uint64_t cell, double* to) {
                 *to = grid.mass(signed_cell(cell)) / volume;
             }});
    if (wanted.others.velocity)
        fields.push_back({"Velocity", Kind::vector, [&grid, signed_cell](std::uint64_t cell, double* to) {
                              const Vec3 v = grid.velocity(signed_cell(cell));
                              to[0] = v.x;
                              to[1] = v.y;
                              to[2] = v.z;
                          }});
    if (wanted.others.dispersion)
        fields.push_back(
            {"VelocityDispersion", Kind::number, [&grid, signed_cell](std::uint64_t cell, double* to) {
                 *to = grid.dispersion(signed_cell(cell));
             }});
    if (wanted.others.streams)
        fields.push_back(
            {"NumberOfStreams", Kind::count, [&grid, signed_cell](std::uint64_t cell, double* to) {
                 *to = grid.streams(signed_cell(cell));
             }});
    return fields;
}

void print_plan(const density::DepositConfig& config, std::size_t n_particles)
{
    constexpr double megabyte = 1e6;
    const std::size_t state = n_particles * Particles::bytes_per_particle();
    const std::size_t beside = density::deposit_bytes(config, n_particles);
    fmt::print("particles     {}\n", n_particles);
    fmt::print("grid          {} x {} x {} cells, method {}\n", config.grid.axis[0].cells,
               config.grid.axis[1].cells, config.grid.axis[2].cells, density::name_of(config.method));
    fmt::print("memory cpu    {:.1f} MB: particles {:.1f}, grid and order {:.1f}\n",
               static_cast<double>(state + beside) / megabyte, static_cast<double>(state) / megabyte,
               static_cast<double>(beside) / megabyte);
}

void print_result(const DensityCommand& command, const density::DensityGrid& grid)
{
    const auto& axis = grid.grid().axis;
    if (grid.elements > 0) {
        fmt::print("lattice       {}^3 sites, ids from {}, {} runs fastest\n", grid.lattice_side,
                   grid.first_id, grid.lattice_axes.back());
        fmt::print("tetrahedra    {}, signed volumes add up to {:.15g} of the box\n", grid.elements,
                   grid.signed_volume);
        if (std::abs(grid.signed_volume - 1) > 1e-9)
            fmt::print(
                "warning: signed volumes do not fill the box: particles have moved too far for nearest "
                "images\n");
    }
    fmt::print("{} x {} x {} cells with mass {:.15g} written to {}\n", axis[0].cells, axis[1].cells,
               axis[2].cells, grid.total_mass(), command.output.string());
}

}  // namespace

void append_units(io::Attributes& settings, const LoadedSnapshot& loaded)
{
    const io::SnapshotHeader& header = loaded.snapshot.header;
    settings.insert(settings.end(),
                    {{"Time", header.time},
                     {"Redshift", header.redshift},
                     {"Comoving", static_cast<std::int64_t>(header.comoving)},
                     {"HubbleParam", header.hubble},
                     {"Units", std::string(loaded.units.nbody ? "nbody" : "of the snapshot")}});
    if (loaded.units.nbody) return;
    const UnitSystem& units = loaded.units.system;
    settings.insert(settings.end(), {{"UnitLength_in_cm", units.length_cm},
                                     {"UnitMass_in_g", units.mass_g},
                                     {"UnitVelocity_in_cm_per_s", units.velocity_cm_per_s}});
}

int density_command(const DensityCommand& command)
{
    density_fields(command);
    expect_not_input(command.output, command.snapshot);
    LoadedSnapshot loaded = load_snapshot(command.snapshot, command.units);
    loaded.snapshot.particles = chosen(command, std::move(loaded.snapshot.particles));
    Particles& particles = loaded.snapshot.particles;
    if (command.octree) return density_octree(command, loaded);
    density::DepositConfig config = density_config(command, loaded.snapshot);
    if (command.dry_run) {
        print_plan(config, particles.size());
        return 0;
    }
    run::Progress progress(command.quiet);
    config.progress = [&progress](double fraction) { progress.show("density", fraction); };
    const density::DensityGrid grid = density::deposit({}, particles.view(), config);
    progress.finish();

    io::GridContent content;
    for (std::size_t a = 0; a < 3; ++a) {
        content.cells[a] = static_cast<std::uint64_t>(config.grid.axis[a].cells);
        content.low[a] = config.grid.axis[a].low;
        content.high[a] = config.grid.axis[a].high;
    }
    content.fields = fields_of(command, grid);
    content.settings = settings_of(loaded, config, grid);
    content.provenance = provenance_of(maker(command.command_line), run::choose_device("cpu"));
    content.provenance.emplace_back("Input", command.snapshot.string());
    io::write_grid(command.output, content);
    if (!command.quiet) print_result(command, grid);
    return 0;
}

}  // namespace aureole::cli
