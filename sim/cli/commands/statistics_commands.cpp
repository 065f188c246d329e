// `aureole power`: the power spectrum of a snapshot's particles in their periodic box. `aureole
// mass-function`: the halos of a catalogue by mass. Both with linear theory and published fits beside them.
#include <fmt/format.h>
#include <cmath>
#include <optional>

#include "sim/analysis/halo_report.hpp"
#include "sim/analysis/statistics_files.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/find/find_search.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::cli {
namespace {

/// Whether the file is of an expanding universe and says h.
bool is_cosmological(const io::SnapshotHeader& header) { return header.comoving && header.hubble > 0; }

/// From the numbers of the file, whose units are `units`, to Mpc/h and Msun/h.
run::HubbleScales scales_of(const io::SnapshotHeader& header, const UnitSystem& units)
{
    const double h = std::pow(header.hubble, header.h_exponent);
    return run::hubble_scales({units.length_cm * h, units.mass_g * h, units.velocity_cm_per_s},
                              header.hubble);
}

/// The theory of the file's universe with the keys of --set, which may replace it; nothing where these name
/// no spectrum. Throws ConfigError for keys that are not of cosmology, and for what is missing.
std::optional<run::LinearTheory> theory_of(const io::SnapshotHeader& header,
                                           const std::vector<std::string>& overrides, double a)
{
    if (overrides.empty()) return {};
    std::vector<std::string> all;
    if (is_cosmological(header) && header.omega0 > 0) {
        all.push_back(fmt::format("cosmology.omega_m={}", header.omega0));
        all.push_back(fmt::format("cosmology.h={}", header.hubble));
        all.push_back(fmt::format("cosmology.omega_lambda={}", header.omega_lambda));
        if (header.omega_baryon > 0) all.push_back(fmt::format("cosmology.omega_b={}", header.omega_baryon));
    }
    for (const std::string& text : overrides) {
        if (!text.starts_with("cosmology."))
            throw ConfigError(fmt::format("--set {}: expected keys of cosmology, for linear theory", text));
        all.push_back(text);
    }
    return run::LinearTheory::of(config_from_overrides(all).cosmology, a);
}

io::Provenance provenance_of_statistics(const std::string& command_line, const std::filesystem::path& input)
{
    io::Provenance provenance = provenance_of(maker(command_line), run::choose_device("cpu"));
    provenance.emplace_back("Input", input.string());
    return provenance;
}

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
    const run::PowerSpectrum spectrum =
        run::power_spectrum({}, host.view(), side, {command.mesh, command.folds});
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

int mass_function_command(const MassFunctionCommand& command)
{
    expect_safe_outputs({{"-o", command.output}}, {command.catalogue});
    const io::CatalogueFile catalogue = io::read_catalogue(command.catalogue);
    const io::SnapshotHeader& header = catalogue.header;
    if (!is_cosmological(header) || !(header.box_size > 0) || !header.units)
        throw ConfigError(fmt::format(
            "{}: is no catalogue of a comoving box with units, which a mass function per volume needs",
            command.catalogue.string()));
    const double a = 1 / (1 + header.redshift);
    const auto theory = theory_of(header, command.overrides, a);
    const run::HubbleScales scales = scales_of(header, *header.units);
    const double side = header.box_size * scales.length;
    const Table table =
        run::mass_function_table(catalogue.groups, {scales.mass, side * side * side, a, header.box_size},
                                 command.bins, theory ? &*theory : nullptr);
    run::write_statistics(command.output, table, run::hubble_units,
                          {{"Time", a}, {"BoxSize", side}, {"Groups", std::int64_t(catalogue.groups.rows)}},
                          provenance_of_statistics(command.command_line, command.catalogue));
    fmt::print("{} groups in {} bins of mass: {}\n", catalogue.groups.rows, table.rows,
               command.output.string());
    return 0;
}

}  // namespace aureole::cli
