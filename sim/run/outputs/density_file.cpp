#include "sim/run/outputs/density_file.hpp"

#include "sim/core/backend.hpp"

namespace aureole::run {
namespace {

using Kind = io::GridField::Kind;

std::int64_t cell_of(std::uint64_t cell) { return static_cast<std::int64_t>(cell); }

std::vector<io::GridField> fields_of(const density::DensityGrid& grid, bool mass, const UnitScales& scales)
{
    std::vector<io::GridField> fields;
    const double length = scales.length, density = scales.mass / (length * length * length);
    if (mass)
        fields.push_back(
            {"Density", Kind::number,
             [&grid, density, volume = grid.grid().cell_volume()](std::uint64_t cell, double* to) {
                 *to = density * grid.mass(cell_of(cell)) / volume;
             }});
    if (grid.fields().velocity)
        fields.push_back(
            {"Velocity", Kind::vector, [&grid, factor = scales.velocity](std::uint64_t cell, double* to) {
                 const Vec3 v = factor * grid.velocity(cell_of(cell));
                 to[0] = v.x;
                 to[1] = v.y;
                 to[2] = v.z;
             }});
    if (grid.fields().dispersion)
        fields.push_back({"VelocityDispersion", Kind::number,
                          [&grid, factor = scales.velocity](std::uint64_t cell, double* to) {
                              *to = factor * grid.dispersion(cell_of(cell));
                          }});
    if (grid.fields().streams)
        fields.push_back({"NumberOfStreams", Kind::count,
                          [&grid](std::uint64_t cell, double* to) { *to = grid.streams(cell_of(cell)); }});
    return fields;
}

}  // namespace

io::GridContent grid_content(const density::DensityGrid& grid, const density::DepositConfig& config,
                             bool mass, std::size_t n_particles, Backend backend, const UnitScales& scales)
{
    const double length = scales.length;
    io::GridContent content;
    for (std::size_t a = 0; a < 3; ++a) {
        content.cells[a] = static_cast<std::uint64_t>(config.grid.axis[a].cells);
        content.low[a] = length * config.grid.axis[a].low;
        content.high[a] = length * config.grid.axis[a].high;
    }
    content.fields = fields_of(grid, mass, scales);
    content.settings = {{"Method", std::string(density::attribute_of(config.method))},
                        {"BoxSize", length * config.grid.box.side},
                        {"CellVolume", length * length * length * config.grid.cell_volume()},
                        {"TotalMass", scales.mass * grid.total_mass()},
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

}  // namespace aureole::run
