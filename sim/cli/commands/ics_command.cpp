#include <fmt/format.h>

#include <cmath>

#include "gravity/solver_config.hpp"
#include "ics/check_config.hpp"
#include "ics/model.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/config/quantity.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "sim/io/utf8.hpp"
#include "sim/run/comoving.hpp"
#include "sim/run/control/run_directory.hpp"
#include "sim/run/simulation.hpp"
#include "sim/run/starting_state.hpp"

namespace aureole::cli {
namespace {

/// From internal numbers to the user's; the columns of reports have lengths and velocities alone.
double factor_of(const Dimension& d, const run::RunUnits& units)
{
    return std::pow(units.from_internal(Quantity::length), d.length) *
           std::pow(units.from_internal(Quantity::velocity), d.velocity);
}

/// "", " [kpc]", " [km/s/kpc]".
std::string unit_of(const Dimension& d, const run::RunUnits& units)
{
    std::string text;
    if (d.velocity == 1) text = units.name(Quantity::velocity);
    if (d.length == 1) text += units.name(Quantity::length);
    if (d.length == -1 && !text.empty()) text += "/" + units.name(Quantity::length);
    return text.empty() ? "" : " [" + text + "]";
}

void print_table(const Table& table, const run::RunUnits& units)
{
    constexpr std::size_t narrowest = 9;
    std::string header;
    std::vector<std::size_t> widths;
    for (const Column& column : table.columns) {
        const std::string name = column.name + unit_of(column.dimension, units);
        widths.push_back(std::max(narrowest, name.size()));
        header += fmt::format("  {:>{}}", name, widths.back());
    }
    fmt::print("{}\n", header);
    for (std::size_t row = 0; row < table.rows; ++row) {
        std::string line;
        for (std::size_t k = 0; k < table.columns.size(); ++k) {
            const Column& column = table.columns[k];
            const double value = std::get<std::vector<double>>(column.values)[row];
            line += fmt::format("  {:>{}.4g}", value * factor_of(column.dimension, units), widths[k]);
        }
        fmt::print("{}\n", line);
    }
}

/// What `aureole ics` says of a component that knows more of itself than its particles tell. The component,
/// which messages call `place`, is in internal units; the report is in the user's.
void print_report(const std::string& place, const ics::Report& report, const run::RunUnits& units)
{
    if (report.table.rows > 0) {
        fmt::print("{}:\n", place);
        print_table(report.table, units);
    }
    for (const std::string& note : report.notes) fmt::print("note: {}: {}\n", place, note);
}

}  // namespace

int ics_command(const IcsCommand& command)
{
    run::Config given = run::load_config(command.config, command.compute.overrides);
    std::vector<std::filesystem::path> inputs{command.config};
    for (const std::filesystem::path* file : run::input_files(given)) inputs.push_back(*file);
    expect_safe_outputs({{"-o", command.output}}, inputs);
    const io::SnapshotFormat& format = io::format_for(command.output, command.format);
    const auto writer = format.writing.make();
    expect_safe_snapshot(*writer, command.output, inputs);
    run::StartingState start = run::plan_starting_state(given, command.as_isolated);
    const run::Config& config = start.config;
    for (const std::string& note : start.notes) fmt::print("note: {}\n", io::printable(note));
    run::make_particles(start, [&start](std::size_t k, const ics::Report& report) {
        print_report(ics::place_of(start.conditions, k), report, start.units);
    });

    run::Config internal = run::to_internal(config, start.units);
    if (start.box_side > 0) internal.box = start.box_side;  // of a lattice, also without the key
    io::SnapshotContent content = run::file_frame(internal, start.units, start.time);
    content.softening = run::solver_config(internal).softening.length;
    content.provenance = provenance_of(maker(command.compute.command_line), run::choose_device("cpu"));
    content.provenance.emplace_back("Configuration", run::to_yaml(config));
    content.provenance.emplace_back("Seed", fmt::format("{}", config.seed));
    if (start.units.nbody) content.provenance.emplace_back("Units", io::nbody_units_text);
    for (const std::string& loss : writer->losses(start.particles.view(), content))
        fmt::print("note: {}\n", io::printable(loss));
    writer->write(command.output, start.particles.view(), content);
    fmt::print("{} particles written to {}\n", start.particles.size(), command.output.string());
    return 0;
}

}  // namespace aureole::cli
