// `aureole power`: the power spectrum of a snapshot's particles in their periodic box.
#include <fmt/format.h>

#include "sim/analysis/halo_report.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/commands/find_search.hpp"
#include "sim/cli/commands/statistics.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/core/error.hpp"

namespace aureole::cli {
namespace {

/// The particles of the types that were asked for.
Particles chosen(const Particles& host, const std::vector<int>& types, const std::filesystem::path& file)
{
    const std::uint8_t mask = types_of(types);
    const ConstParticlesView view = host.view();
    std::vector<Index> list;
    for (Index i = 0; i < view.n; ++i)
        if ((mask >> view.type_of(i)) & 1) list.push_back(i);
    if (list.empty())
        throw ConfigError(fmt::format("{}: holds no particle of the types that count", file.string()));
    return host.gathered(list);
}

/// Factor from the file's lengths to those of the table, and their name.
struct LengthUnit {
    double factor = 1;
    std::string name;
};
LengthUnit length_unit(const LoadedSnapshot& loaded)
{
    const io::SnapshotHeader& header = loaded.snapshot.header;
    if (!loaded.units.nbody && is_cosmological(header))
        return {scales_of(header, loaded.units.system).length, run::hubble_units.length};
    return {1, run::unit_names(loaded.units, header).length};
}

}  // namespace

int power_command(const PowerCommand& command)
{
    expect_safe_outputs({{"-o", command.output}}, {command.snapshot});
    io::SnapshotArrays arrays = io::SnapshotArrays::reading();
    arrays.velocities = false;
    const LoadedSnapshot loaded = load_snapshot(command.snapshot, command.units, arrays);
    const io::SnapshotHeader& header = loaded.snapshot.header;
    const double side = box_of(command.box_side, false, header).side;
    if (!(side > 0))
        throw ConfigError(
            fmt::format("{}: has no periodic box; expected --box with its side", command.snapshot.string()));
    const double a = header.comoving ? 1 / (1 + header.redshift) : 1;
    const auto theory = theory_of(header, command.overrides, a);
    const Particles host = chosen(loaded.snapshot.particles, command.types, command.snapshot);
    const LengthUnit length = length_unit(loaded);
    const run::PowerSpectrum spectrum = run::power_spectrum(host.view(), side, {command.mesh, command.folds});
    const Table table = run::power_table(spectrum, length.factor, theory ? &*theory : nullptr, a);
    run::write_statistics(command.output, table, {length.name, "", ""},
                          {{"Time", header.comoving ? a : header.time},
                           {"BoxSize", side * length.factor},
                           {"Mesh", std::int64_t{spectrum.mesh}},
                           {"Folds", std::int64_t{command.folds}}},
                          provenance_of_statistics(command.command_line, command.snapshot));
    fmt::print("{} particles, mesh of {}^3 points, {} shells to k = {:.4g}{}{}: {}\n", host.size(),
               spectrum.mesh, table.rows, spectrum.k.back() / length.factor, length.name.empty() ? "" : " / ",
               length.name, command.output.string());
    return 0;
}

}  // namespace aureole::cli
