#include "sim/run/outputs/density_output.hpp"

#include <algorithm>
#include <cmath>

#include "density/sheet/sheet_volume.hpp"
#include "sim/core/backend.hpp"
#include "sim/core/error.hpp"
#include "sim/run/comoving.hpp"

namespace aureole::run {
namespace {

using Kind = io::GridField::Kind;

std::int64_t cell_of(std::uint64_t cell) { return static_cast<std::int64_t>(cell); }

std::vector<io::GridField> fields_of(const density::DensityGrid& grid, bool mass)
{
    std::vector<io::GridField> fields;
    if (mass)
        fields.push_back({"Density", Kind::number,
                          [&grid, volume = grid.grid().cell_volume()](std::uint64_t cell, double* to) {
                              *to = grid.mass(cell_of(cell)) / volume;
                          }});
    if (grid.fields().velocity)
        fields.push_back({"Velocity", Kind::vector, [&grid](std::uint64_t cell, double* to) {
                              const Vec3 v = grid.velocity(cell_of(cell));
                              to[0] = v.x;
                              to[1] = v.y;
                              to[2] = v.z;
                          }});
    if (grid.fields().dispersion)
        fields.push_back({"VelocityDispersion", Kind::number,
                          [&grid](std::uint64_t cell, double* to) { *to = grid.dispersion(cell_of(cell)); }});
    if (grid.fields().streams)
        fields.push_back({"NumberOfStreams", Kind::count,
                          [&grid](std::uint64_t cell, double* to) { *to = grid.streams(cell_of(cell)); }});
    return fields;
}

bool fills_box(const density::Grid& grid) { return grid.wraps(0) && grid.wraps(1) && grid.wraps(2); }

Buffer<double> multiplied(const double* values, std::size_t n, double factor)
{
    Buffer<double> result(Backend::cpu, n);
    for (std::size_t i = 0; i < n; ++i) result.data()[i] = factor * values[i];
    return result;
}

Vec3Buffer multiplied(ConstVec3View values, std::size_t n, double factor)
{
    Vec3Buffer result;
    result.x = multiplied(values.x, n, factor);
    result.y = multiplied(values.y, n, factor);
    result.z = multiplied(values.z, n, factor);
    return result;
}

/// Host particles with the numbers of a file; what a deposit does not read stays as it is.
struct FileNumbers {
    Buffer<double> mass;
    Vec3Buffer position, velocity;
    ConstParticlesView view;

    FileNumbers(const ConstParticlesView& host, const UnitScales& scales, bool velocities)
        : mass(multiplied(host.mass, host.n, scales.mass)),
          position(multiplied(host.position, host.n, scales.length)),
          view(host)
    {
        if (velocities) velocity = multiplied(host.velocity, host.n, scales.velocity);
        view.mass = mass.data();
        view.position = std::as_const(position).view();
        if (velocities) view.velocity = std::as_const(velocity).view();
    }
};

/// Header and scales of a snapshot at `time`, as `aureole density` would read it: with G = 1 in a run whose
/// units are nbody.
io::SnapshotContent frame_of_files(const Config& internal, const RunUnits& units, double time)
{
    io::SnapshotContent frame = file_frame(internal, units, time);
    if (!units.nbody) return frame;
    frame.scales = {};
    frame.header.time = time;
    frame.header.box_size = box_of(internal).side;
    return frame;
}

density::DepositConfig deposit_config(const DensityConfig& config, std::uint64_t n_particles, double side)
{
    density::DepositConfig deposit{.method = config.method,
                                   .grid = {},
                                   .fields = density_fields_of(config.fields).others,
                                   .lattice = {},
                                   .precision = config.precision};
    deposit.grid.box = Box{side};
    for (density::GridAxis& axis : deposit.grid.axis) {
        axis.cells = density_cells(config, n_particles);
        axis.high = side;
    }
    return deposit;
}

[[noreturn]] void refuse(const Config& internal, const std::string& what)
{
    throw ConfigError(fmt::format("{}: {}", internal.file.string(), what));
}

constexpr char other_methods[] = "ngp, cic and tsc (density.method) take any particles";

}  // namespace

DensityOutput make_density(Exec exec, const ConstParticlesView& host, const density::DepositConfig& config,
                           bool mass)
{
    DensityOutput made{config, density::deposit(exec, host, config), mass, host.n, exec.backend, {}};
    if (!config.fields.streams || !fills_box(made.grid.grid())) return made;
    const Box box = config.grid.box;
    const density::Lattice lattice =
        density::make_lattice(host, box, {made.grid.lattice_axes, made.grid.first_id, config.lattice.every});
    made.mean_streams = density::mean_streams(host, box, lattice);
    return made;
}

DensityOutput make_density(const density::DensityRanks& ranks, const ConstParticlesView& host,
                           const density::DepositConfig& config, bool mass, density::Split split)
{
    density::GridOverParts made = density::ranked_deposit(ranks, host, config, split);
    return {config, std::move(*made.grid), mass, host.n, ranks.exec.backend, made.mean_streams};
}

io::GridContent grid_content(const DensityOutput& made)
{
    const auto& [config, grid, mass, n_particles, backend, mean_streams] = made;
    io::GridContent content;
    for (std::size_t a = 0; a < 3; ++a) {
        content.cells[a] = static_cast<std::uint64_t>(config.grid.axis[a].cells);
        content.low[a] = config.grid.axis[a].low;
        content.high[a] = config.grid.axis[a].high;
    }
    content.fields = fields_of(grid, mass);
    content.settings = {{"Method", std::string(density::attribute_of(config.method))},
                        {"BoxSize", config.grid.box.side},
                        {"CellVolume", config.grid.cell_volume()},
                        {"TotalMass", grid.total_mass()},
                        {"Particles", static_cast<std::int64_t>(n_particles)}};
    if (config.method != density::Method::tetrahedra) return content;
    content.settings.insert(content.settings.end(),
                            {{"LatticeSide", static_cast<std::int64_t>(grid.lattice_side)},
                             {"LatticeAxes", grid.lattice_axes},
                             {"FirstID", static_cast<std::int64_t>(grid.first_id)},
                             {"Precision", name_of(density::precision_on(backend, config.precision))},
                             {"SignedVolume", grid.signed_volume}});
    return content;
}

void append_streams(io::GridContent& content, const DensityOutput& made)
{
    if (!made.config.fields.streams) return;
    io::GridTable table{"StreamVolumeFractions", 2, {}};
    for (const auto& [streams, fraction] : density::stream_volumes(made.grid))
        table.values.insert(table.values.end(), {static_cast<double>(streams), fraction});
    content.tables.push_back(std::move(table));
    if (made.mean_streams) content.settings.emplace_back("MeanStreams", *made.mean_streams);
}

void append_units(io::Attributes& settings, const io::SnapshotHeader& header,
                  const std::optional<UnitSystem>& units)
{
    settings.insert(settings.end(), {{"Time", header.time},
                                     {"Redshift", header.redshift},
                                     {"Comoving", static_cast<std::int64_t>(header.comoving)},
                                     {"HubbleParam", header.hubble},
                                     {"Units", std::string(units ? "of the snapshot" : "nbody")}});
    if (!units) return;
    settings.insert(settings.end(), {{"UnitLength_in_cm", units->length_cm},
                                     {"UnitMass_in_g", units->mass_g},
                                     {"UnitVelocity_in_cm_per_s", units->velocity_cm_per_s}});
}

std::uint32_t density_cells(const DensityConfig& config, std::uint64_t n_particles)
{
    if (config.grid > 0) return config.grid;
    return static_cast<std::uint32_t>(
        std::max<long long>(std::llround(std::cbrt(static_cast<double>(n_particles))), 1));
}

DensityOutput density_of_run(Exec exec, const ConstParticlesView& host, const Config& internal,
                             const RunUnits& units, double time, const Progress& progress)
{
    const io::SnapshotContent frame = frame_of_files(internal, units, time);
    density::DepositConfig config = deposit_config(internal.density, host.n, frame.header.box_size);
    config.progress = progress;
    const FileNumbers numbers(host, frame.scales, config.fields.moments());
    return make_density(exec, numbers.view, config, density_fields_of(internal.density.fields).mass);
}

void write_density(const std::filesystem::path& file, const DensityOutput& made, const Config& internal,
                   const RunUnits& units, double time, const io::Provenance& provenance)
{
    const io::SnapshotHeader header = frame_of_files(internal, units, time).header;
    io::GridContent content = grid_content(made);
    append_units(content.settings, header, units.nbody ? std::nullopt : header.units);
    append_streams(content, made);
    content.provenance = provenance;
    io::write_grid(file, content);
}

void expect_density_possible(const Config& internal, std::uint64_t n_particles)
{
    if (!internal.output.density.any()) return;
    if (!box_of(internal).periodic())
        refuse(internal, "output.density is given, but there is no periodic box (key box): found open space");
    if (internal.density.method != density::Method::tetrahedra) return;
    const auto side = static_cast<std::uint64_t>(std::llround(std::cbrt(static_cast<double>(n_particles))));
    if (side * side * side != n_particles)
        refuse(internal,
               fmt::format("output.density: the sheet needs a cube number of particles, one at each "
                           "site of a lattice; found {}; {}",
                           n_particles, other_methods));
}

void expect_sheet(const Config& internal, const ConstParticlesView& host)
{
    if (!internal.output.density.any() || internal.density.method != density::Method::tetrahedra) return;
    try {
        static_cast<void>(density::make_lattice(host, box_of(internal)));
    } catch (const Error& error) {
        refuse(internal,
               fmt::format("output.density: the ids of the particles are not the sites of a lattice, "
                           "which the sheet needs ({}); {}",
                           error.what(), other_methods));
    }
}

memory::Part density_memory(const Config& internal, Backend where, std::uint64_t n)
{
    const density::DepositConfig config = deposit_config(internal.density, n, box_of(internal).side);
    const density::DepositMemory memory = density::deposit_memory(where, config, n);
    const std::size_t numbers = n * sizeof(double) * (config.fields.moments() ? 7 : 4);
    memory::Part part{.what = "densities", .knob = "a smaller density.grid"};
    (where == Backend::cpu ? part.passing : part.host) = memory.host() + numbers;
    if (where == Backend::cuda) part.passing = memory.device();
    return part;
}

}  // namespace aureole::run
