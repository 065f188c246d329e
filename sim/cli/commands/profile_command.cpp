// `aureole profile`: spherical profiles about a halo of a catalogue or about a point, as CSV.
#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "sim/analysis/halo_report.hpp"
#include "sim/analysis/radial_profile.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/find/find_search.hpp"
#include "sim/cli/number_text.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/halos/table_csv.hpp"

namespace aureole::cli {
namespace {

/// Default of the inner edge, in units of the outer one.
constexpr double default_depth = 1e-3;

/// One halo, in the numbers of the snapshot.
struct Halo {
    Vec3 centre, velocity;
    double radius = 0;  ///< 0: the catalogue does not say
};

const std::vector<double>& numbers_of(const io::CatalogueFile& catalogue, const char* name,
                                      const ProfileCommand& command)
{
    const Column* column = catalogue.groups.find(name);
    if (!column || !std::holds_alternative<std::vector<double>>(column->values))
        throw IoError(
            fmt::format("{}: holds no /Group/{} of real numbers", command.catalogue.string(), name));
    return std::get<std::vector<double>>(column->values);
}

/// `velocity_factor`: from velocities of the snapshot to peculiar ones.
Halo halo_of(const ProfileCommand& command, const run::RunUnits& units, double velocity_factor)
{
    const io::CatalogueFile catalogue = io::read_catalogue(command.catalogue);
    if (command.halo >= catalogue.groups.rows)
        throw ConfigError(fmt::format("--halo {}: {} holds {} group(s), counted from 0", command.halo,
                                      command.catalogue.string(), catalogue.groups.rows));
    const UnitScales scales = catalogue_scales(catalogue.header, units);
    const auto vector = [&](const char* name) {
        const auto& values = numbers_of(catalogue, name, command);
        const auto row = static_cast<std::size_t>(3 * command.halo);
        const Vec3 value{values[row], values[row + 1], values[row + 2]};
        if (!finite(value))
            throw IoError(fmt::format("{}: /Group/{} of halo {} is ({}, {}, {}), expected finite numbers",
                                      command.catalogue.string(), name, command.halo, value.x, value.y,
                                      value.z));
        return value;
    };
    const io::SnapshotHeader& header = catalogue.header;
    const double peculiar =
        header.comoving ? std::pow(1 / (1 + header.redshift), catalogue.velocity_a_exponent) : 1;
    Halo halo{scales.length * vector("GroupPos"),
              peculiar * scales.velocity / velocity_factor * vector("GroupVel")};
    if (catalogue.groups.find("GroupRadius"))
        halo.radius = scales.length * numbers_of(catalogue, "GroupRadius", command)[command.halo];
    if (!std::isfinite(halo.radius))
        throw IoError(fmt::format("{}: /Group/GroupRadius of halo {} is {}, expected a finite number",
                                  command.catalogue.string(), command.halo, halo.radius));
    return halo;
}

/// Sets the edges: those of --range, else out to the radius of the halo or the farthest particle, within half
/// a box.
void set_range(run::ProfileRequest& request, const ProfileCommand& command, double halo_radius,
               const Particles& host)
{
    if (!command.range.empty()) {
        std::tie(request.smallest, request.largest) = parse_pair("--range", command.range);
        if (!(request.smallest > 0) || !(request.largest > request.smallest))
            throw ConfigError(fmt::format(
                "--range: found '{}', expected two rising radii above 0, as 0.1,100", command.range));
    } else {
        request.largest = halo_radius > 0 ? halo_radius : run::farthest_distance(host, request);
        if (request.box.periodic()) request.largest = std::min(request.largest, request.box.side / 2);
        request.smallest = default_depth * request.largest;
        if (!(request.largest > 0))
            throw ConfigError(
                "no particle is away from the centre: --range r_min,r_max says which radii count");
    }
    if (request.box.periodic() && 2 * request.largest > request.box.side)
        throw ConfigError(fmt::format("--range: {} reaches beyond half the periodic box of side {}",
                                      request.largest, request.box.side));
}

/// Velocities come out physical; lengths stay those of the file.
void set_units(run::ProfileRequest& request, const LoadedSnapshot& loaded)
{
    const io::SnapshotHeader& header = loaded.snapshot.header;
    if (!loaded.units.nbody) request.gravitational_constant = loaded.units.system.gravitational_constant();
    if (!header.comoving) return;
    request.scale_factor = 1 / (1 + header.redshift);
    request.velocity_factor = std::pow(request.scale_factor, header.velocity_a_exponent);
}

}  // namespace

int profile_command(const ProfileCommand& command)
{
    expect_safe_outputs({{"-o", command.output}}, {command.snapshot, command.catalogue});
    run::ProfileRequest request;
    request.bins = command.bins;
    request.types = types_of(command.types);
    if (command.centre) request.centre = parse_vector("--centre", *command.centre);
    const LoadedSnapshot loaded = load_snapshot(command.snapshot, command.units);
    const Particles& host = loaded.snapshot.particles;
    request.box = box_of(command.box_side, command.open, loaded.snapshot.header);
    double radius = 0;
    set_units(request, loaded);
    if (!command.catalogue.empty()) {
        const Halo halo = halo_of(command, loaded.units, request.velocity_factor);
        request.centre = halo.centre;
        request.velocity = halo.velocity;
        radius = halo.radius;
    }
    set_range(request, command, radius, host);
    const Table profile = run::radial_profile(host, request);
    const io::ColumnUnits units = run::unit_names(loaded.units, loaded.snapshot.header);
    io::Provenance provenance = provenance_of(maker(command.command_line), run::choose_device("cpu"));
    provenance.emplace_back("Input", command.snapshot.string());
    io::write_table_csv(command.output, profile, units, {}, provenance);
    if (const std::string names = io::infinite_columns(profile); !names.empty())
        fmt::print(
            "note: infinite values of {} are written as nan: the particles' numbers leave the range of "
            "doubles\n",
            names);
    fmt::print("centre ({:.6g}, {:.6g}, {:.6g}), {} bins from {:.6g} to {:.6g}{}{}: {}\n", request.centre.x,
               request.centre.y, request.centre.z, request.bins, request.smallest, request.largest,
               units.length.empty() ? "" : " ", units.length, command.output.string());
    return 0;
}

}  // namespace aureole::cli
