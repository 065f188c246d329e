// `aureole convert`: a snapshot of one format becomes one of another.
#include <fmt/format.h>

#include "sim/analysis/subsample.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "sim/io/utf8.hpp"

namespace aureole::cli {
namespace {

run::FileUnits output_units(const ConvertCommand& command, const io::SnapshotFormat& format)
{
    if (command.output_units.empty())
        return format.writing.galactic ? run::FileUnits::galactic : run::FileUnits::run;
    if (command.output_units == "galactic") return run::FileUnits::galactic;
    if (command.output_units == "input") return run::FileUnits::run;
    throw ConfigError(
        fmt::format("--output-units: found '{}', expected galactic or input", command.output_units));
}

/// Header, units and softening of the output.
io::SnapshotContent content_of(const ConvertCommand& command, const LoadedSnapshot& loaded,
                               run::FileUnits choice)
{
    const run::RunUnits& units = loaded.units;
    io::SnapshotContent content;
    content.header = loaded.snapshot.header;
    content.header.units = units.of_files(choice);
    content.scales = units.nbody ? units.to_files(choice) : scales_to(units, *content.header.units);
    content.header.box_size *= content.scales.length;
    if (!content.header.comoving) content.header.time *= content.scales.time;
    if (loaded.snapshot.softening) content.softening = loaded.snapshot.softening->length;
    content.compress = command.compress;
    content.single_precision = command.single_precision;
    content.provenance = provenance_of(maker(command.command_line), run::choose_device("cpu"));
    content.provenance.emplace_back("Input", command.input.string());
    if (units.nbody) content.provenance.emplace_back("Units", io::nbody_units_text);
    return content;
}

/// What --types, --fields, --subsample and --mantissa-bits ask for.
run::SnapshotChoice choice_of(const ConvertCommand& command, const io::SnapshotFormat& format)
{
    std::vector<std::string> settings = command.settings;
    settings.push_back("output.format=" + format.name);
    return config_from_overrides(settings).output.snapshot_choice;
}

/// Leaves the particles that are to be written.
void keep_chosen(Particles& host, const run::SnapshotChoice& choice, std::uint64_t seed)
{
    if (choice.of_all_particles()) return;
    const std::vector<Index> chosen = run::chosen_particles(host, choice, seed);
    if (chosen.empty())
        throw ConfigError(
            fmt::format("of {} particles none is of the chosen types and in the subsample", host.size()));
    host = host.gathered(chosen);
}

void print_notes(const std::vector<std::string>& notes)
{
    for (const std::string& note : notes) fmt::print("note: {}\n", io::printable(note));
}

}  // namespace

int convert_command(const ConvertCommand& command)
{
    expect_safe_outputs({{"-o", command.output}}, {command.input});
    const io::SnapshotFormat& format = io::format_for(command.output, command.format);
    const auto writer = format.writing.make();
    const run::FileUnits units = output_units(command, format);
    expect_safe_snapshot(*writer, command.output, {command.input});
    const run::SnapshotChoice choice = choice_of(command, format);
    LoadedSnapshot loaded = load_snapshot(command.input, command.units);
    keep_chosen(loaded.snapshot.particles, choice, command.seed);
    const ConstParticlesView particles = loaded.snapshot.particles.view();
    io::SnapshotContent content = content_of(command, loaded, units);
    content.fields = run::fields_of(choice);
    content.mantissa_bits = run::mantissa_bits_of(choice);
    for (auto& entry : run::provenance_of(choice, command.seed))
        content.provenance.push_back(std::move(entry));
    for (const std::string& field : loaded.snapshot.dropped_fields)
        fmt::print("note: {} is not carried along\n", io::printable(field));
    print_notes(writer->losses(particles, content));
    writer->write(command.output, particles, content);
    fmt::print("{} particles of {} ({}) written to {} ({})\n", particles.n, command.input.string(),
               loaded.snapshot.format, command.output.string(), format.writing.documentation);
    return 0;
}

}  // namespace aureole::cli
