#include <fmt/format.h>

#include "gravity/solver_config.hpp"
#include "ics/check_config.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/commands/ics_report.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "sim/io/utf8.hpp"
#include "sim/run/comoving.hpp"
#include "sim/run/control/run_directory.hpp"
#include "sim/run/simulation.hpp"
#include "sim/run/starting_state.hpp"

namespace aureole::cli {

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
