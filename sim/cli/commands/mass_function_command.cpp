// `aureole mass-function`: the halos of a catalogue by mass, with published fits beside them.
#include <fmt/format.h>

#include "sim/cli/commands.hpp"
#include "sim/cli/commands/statistics.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/core/error.hpp"
#include "sim/io/halos/catalogue_file.hpp"

namespace aureole::cli {

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
    const Table table = run::mass_function_table(catalogue.groups, {scales.mass, side * side * side, a},
                                                 command.bins, theory ? &*theory : nullptr);
    run::write_statistics(command.output, table, run::hubble_units,
                          {{"Time", a}, {"BoxSize", side}, {"Groups", std::int64_t(catalogue.groups.rows)}},
                          provenance_of_statistics(command.command_line, command.catalogue));
    fmt::print("{} groups in {} bins of mass: {}\n", catalogue.groups.rows, table.rows,
               command.output.string());
    return 0;
}

}  // namespace aureole::cli
