#include "sim/cli/density/density_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/cli/find/find_search.hpp"
#include "sim/cli/number_text.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/io/text_words.hpp"
#include "sim/run/outputs/density_output.hpp"
#include "sim/run/run_provenance.hpp"

namespace aureole::cli {
namespace {

density::Method method_of(const std::string& name)
{
    if (const auto method = density::method_of(name)) return *method;
    throw ConfigError(fmt::format("--method: found '{}', expected tetrahedra, ngp, cic or tsc", name));
}

Precision precision_of(const std::string& name)
{
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
    try {
        return run::density_fields_of(command.fields);
    } catch (const ConfigError& error) {
        throw ConfigError(fmt::format("--fields: {}", error.what()));
    }
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
    if (config.method != density::Method::tetrahedra &&
        (command.axes || command.first_id || command.every > 1))
        throw ConfigError(fmt::format(
            "--axes, --first-id and --every describe the lattice of --method tetrahedra, found method {}",
            command.method));
    if (config.method != density::Method::tetrahedra &&
        (command.share || config.precision != Precision::double_precision))
        throw ConfigError(
            fmt::format("--precision and --share need --method tetrahedra, found method {}", command.method));
    config.grid.box = box_of(command.box_side, command.open, snapshot.header);
    set_cells(config.grid, command.grid, snapshot.particles.size());
    set_region(config.grid, command.region);
    expect_velocities(command, snapshot, config.fields);
    return config;
}

Particles chosen_types(const DensityCommand& command, Particles all)
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

void append_units(io::Attributes& settings, const LoadedSnapshot& loaded)
{
    run::append_units(settings, loaded.snapshot.header,
                      loaded.units.nbody ? std::nullopt : std::optional(loaded.units.system));
}

density::DensityRanks density_ranks(run::RunRanks& ranks)
{
    return {ranks.all, ranks.device.exec, *ranks.moves};
}

io::Provenance density_provenance(const DensityCommand& command, const run::DeviceChoice& device,
                                  const run::RunRanks* ranks)
{
    io::Provenance provenance = run::provenance_of(maker(command.command_line), device);
    provenance.emplace_back("Input", command.snapshot.string());
    if (ranks) provenance.insert(provenance.end(), ranks->provenance.begin(), ranks->provenance.end());
    return provenance;
}

std::string stream_fractions_text(std::span<const density::StreamVolume> fractions)
{
    constexpr std::size_t most_shown = 5;
    const std::size_t shown = fractions.size() <= most_shown + 1 ? fractions.size() : most_shown;
    std::string text;
    for (const auto& [streams, fraction] : fractions.first(shown))
        text += fmt::format("{}{}: {:.4g} %", text.empty() ? "" : ", ", streams, 100 * fraction);
    double rest = 0;
    for (const auto& [streams, fraction] : fractions.subspan(shown)) rest += fraction;
    if (shown < fractions.size())
        text += fmt::format(", {} to {}: {:.4g} %", fractions[shown].streams, fractions.back().streams,
                            100 * rest);
    return text;
}

}  // namespace aureole::cli
