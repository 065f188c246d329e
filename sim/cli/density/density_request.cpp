#include "sim/cli/density/density_request.hpp"

#include <cmath>

#include "sim/cli/commands/find_search.hpp"
#include "sim/cli/number_text.hpp"
#include "sim/core/error.hpp"
#include "sim/io/text_words.hpp"

namespace aureole::cli {
namespace {

density::Method method_of(const std::string& name)
{
    using density::Method;
    for (const Method method : {Method::elements, Method::nearest_grid_point, Method::cloud_in_cell,
                                Method::triangular_shaped_cloud})
        if (name == density::name_of(method)) return method;
    throw ConfigError(fmt::format("--method: found '{}', expected elements, ngp, cic or tsc", name));
}

density::Precision precision_of(const std::string& name)
{
    using density::Precision;
    for (const Precision precision : {Precision::double_precision, Precision::mixed})
        if (name == name_of(precision)) return precision;
    throw ConfigError(fmt::format("--precision: found '{}', expected double or mixed", name));
}

/// Cells along each axis: N or NX,NY,NZ.
void set_cells(density::Grid& grid, const std::string& text, std::size_t n_particles)
{
    if (text.empty()) {
        const auto side = std::llround(std::cbrt(static_cast<double>(n_particles)));
        for (auto& axis : grid.axis) axis.cells = std::max<std::int64_t>(side, 1);
        return;
    }
    const std::vector<std::string> words = parted(text, ',');
    const auto refuse = [&] {
        throw ConfigError(fmt::format("--grid: found '{}', expected cells a side, as 64 or 64,64,32", text));
    };
    if (words.size() != 1 && words.size() != 3) refuse();
    for (std::size_t a = 0; a < 3; ++a) {
        const auto n = io::number_in<std::uint32_t>(words[words.size() == 1 ? 0 : a]);
        if (!n || *n == 0) refuse();
        grid.axis[a].cells = *n;
    }
}

/// x0:x1,y0:y1,z0:z1, one range for all axes, or the box.
void set_region(density::Grid& grid, const std::string& text)
{
    if (text.empty()) {
        if (!grid.box.periodic())
            throw ConfigError(
                "--region is needed, as -5:5,-5:5,-5:5: the particles have no periodic box; or --box says "
                "its side");
        for (auto& axis : grid.axis) axis.high = grid.box.side;
        return;
    }
    const std::vector<std::string> ranges = parted(text, ',');
    const auto refuse = [&] {
        throw ConfigError(
            fmt::format("--region: found '{}', expected x0:x1,y0:y1,z0:z1 with growing numbers", text));
    };
    if (ranges.size() != 1 && ranges.size() != 3) refuse();
    for (std::size_t a = 0; a < 3; ++a) {
        const std::vector<std::string> ends = parted(ranges[ranges.size() == 1 ? 0 : a], ':');
        const auto low = ends.size() == 2 ? io::number_in<double>(ends[0]) : std::nullopt;
        const auto high = ends.size() == 2 ? io::number_in<double>(ends[1]) : std::nullopt;
        if (!low || !high || !(*low < *high) || !std::isfinite(*high - *low)) refuse();
        grid.axis[a].low = *low;
        grid.axis[a].high = *high;
    }
}

}  // namespace

DensityFields density_fields(const DensityCommand& command)
{
    DensityFields fields;
    for (const std::string& name : command.fields)
        if (name == "mass")
            fields.mass = true;
        else if (name == "velocity")
            fields.others.velocity = true;
        else if (name == "dispersion")
            fields.others.dispersion = true;
        else if (name == "streams")
            fields.others.streams = true;
        else
            throw ConfigError(fmt::format(
                "--fields: found '{}', expected some of mass, velocity, dispersion, streams", name));
    return fields;
}

void expect_velocities(const DensityCommand& command, const io::Snapshot& snapshot,
                       const density::Fields& fields)
{
    if (fields.moments() && !snapshot.has_velocities)
        throw ConfigError(fmt::format("--fields: {} has no velocities", command.snapshot.string()));
}

density::DepositConfig density_config(const DensityCommand& command, const io::Snapshot& snapshot)
{
    density::DepositConfig config{.method = method_of(command.method),
                                  .grid = {},
                                  .fields = density_fields(command).others,
                                  .lattice = {command.axes, command.first_id, command.every},
                                  .precision = precision_of(command.precision),
                                  .shared = command.share};
    if (config.method != density::Method::elements && (command.axes || command.first_id || command.every > 1))
        throw ConfigError(fmt::format(
            "--axes, --first-id and --every say what the lattice of --method elements is; method {} "
            "knows none",
            command.method));
    if (config.method != density::Method::elements &&
        (command.share || config.precision != density::Precision::double_precision))
        throw ConfigError(
            fmt::format("--precision and --share are of --method elements, found method {}", command.method));
    config.grid.box = box_of(command.box_side, command.open, snapshot.header);
    set_cells(config.grid, command.grid, snapshot.particles.size());
    set_region(config.grid, command.region);
    expect_velocities(command, snapshot, config.fields);
    return config;
}

}  // namespace aureole::cli
