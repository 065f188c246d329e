// `aureole convert`: a snapshot of one format becomes one of another.
#include <fmt/format.h>

#include "sim/analysis/subsample.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/ranked_command.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/comm/agreed.hpp"
#include "sim/core/error.hpp"
#include "sim/io/ranks/shared_snapshot.hpp"
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

/// Header, units and softening of the output, and what of the particles it holds.
io::SnapshotContent content_of(const ConvertCommand& command, const io::Snapshot& snapshot,
                               const run::RunUnits& units, run::FileUnits choice,
                               const run::SnapshotChoice& fields)
{
    io::SnapshotContent content;
    content.header = snapshot.header;
    content.header.units = units.of_files(choice);
    content.scales = units.nbody ? units.to_files(choice) : scales_to(units, *content.header.units);
    content.header.box_size *= content.scales.length;
    if (!content.header.comoving) content.header.time *= content.scales.time;
    if (snapshot.softening) content.softening = snapshot.softening->length;
    content.compress = command.compress;
    content.single_precision = command.single_precision;
    content.provenance = provenance_of(maker(command.command_line), run::choose_device("cpu"));
    content.provenance.emplace_back("Input", command.input.string());
    if (units.nbody) content.provenance.emplace_back("Units", io::nbody_units_text);
    content.fields = run::fields_of(fields);
    content.mantissa_bits = run::mantissa_bits_of(fields);
    for (auto& entry : run::provenance_of(fields, command.seed))
        content.provenance.push_back(std::move(entry));
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
    if (!choice.of_all_particles()) host = host.gathered(run::chosen_particles(host, choice, seed));
}

void expect_some(std::uint64_t chosen, std::uint64_t all, const run::SnapshotChoice& choice)
{
    if (chosen > 0 || choice.of_all_particles()) return;
    throw ConfigError(fmt::format("of {} particles none is of the chosen types and in the subsample", all));
}

void print_notes(const std::vector<std::string>& notes)
{
    for (const std::string& note : notes) fmt::print("note: {}\n", io::printable(note));
}

void print_dropped(const io::Snapshot& snapshot)
{
    for (const std::string& field : snapshot.dropped_fields)
        fmt::print("note: {} is not carried along\n", io::printable(field));
}

void print_written(const ConvertCommand& command, std::uint64_t n, const io::Snapshot& snapshot,
                   const io::SnapshotFormat& format)
{
    fmt::print("{} particles of {} ({}) written to {} ({})\n", n, command.input.string(), snapshot.format,
               command.output.string(), format.writing.documentation);
}

/// What is decided before anything is read. Throws ConfigError.
struct Conversion {
    explicit Conversion(const ConvertCommand& command)
        : format(io::format_for(command.output, command.format)),
          writer(format.writing.make()),
          units(output_units(command, format))
    {
        expect_safe_outputs({{"-o", command.output}}, {command.input});
        expect_safe_snapshot(*writer, command.output, {command.input});
        choice = choice_of(command, format);
    }

    const io::SnapshotFormat& format;
    std::unique_ptr<io::SnapshotWriter> writer;
    run::FileUnits units;
    run::SnapshotChoice choice;
};

/// Each rank reads its rows and writes them into the one file; none holds all.
void convert_on_ranks(const ConvertCommand& command, comm::Communicator& ranks)
{
    std::optional<Conversion> plan;
    comm::agreed(ranks, [&] {
        plan.emplace(command);
        if (plan->format.name != "hdf5" || command.compress)
            throw ConfigError(fmt::format(
                "{}: several ranks write hdf5 without --compress, found {}{}; start one process for it",
                command.output.string(), plan->format.name, command.compress ? " with --compress" : ""));
    });
    LoadedRows loaded = load_snapshot_rows(ranks, command.input, command.units);
    Particles& own = loaded.rows.snapshot.particles;
    comm::agreed(ranks, [&] { keep_chosen(own, plan->choice, command.seed); });
    std::uint64_t chosen = own.size();
    ranks.all_reduce({&chosen, 1}, comm::Reduction::sum);
    io::SnapshotContent content;
    comm::agreed(ranks, [&] {
        expect_some(chosen, loaded.rows.total, plan->choice);
        content = content_of(command, loaded.rows.snapshot, loaded.units, plan->units, plan->choice);
    });
    if (ranks.rank() == 0) print_dropped(loaded.rows.snapshot);
    io::write_shared_snapshot(ranks, command.output, own.view(), content);
    if (ranks.rank() == 0) print_written(command, chosen, loaded.rows.snapshot, plan->format);
}

void convert_here(const ConvertCommand& command)
{
    const Conversion plan(command);
    LoadedSnapshot loaded = load_snapshot(command.input, command.units);
    const std::size_t all = loaded.snapshot.particles.size();
    keep_chosen(loaded.snapshot.particles, plan.choice, command.seed);
    expect_some(loaded.snapshot.particles.size(), all, plan.choice);
    const ConstParticlesView particles = loaded.snapshot.particles.view();
    const io::SnapshotContent content =
        content_of(command, loaded.snapshot, loaded.units, plan.units, plan.choice);
    print_dropped(loaded.snapshot);
    print_notes(plan.writer->losses(particles, content));
    plan.writer->write(command.output, particles, content);
    print_written(command, particles.n, loaded.snapshot, plan.format);
}

}  // namespace

int convert_command(const ConvertCommand& command)
{
    std::unique_ptr<comm::Communicator> ranks = comm::open_ranks();
    if (ranks->size() > 1) {
        const auto work = [&](run::RunRanks& all) {
            comm::ending_together(
                all.all, [&] { convert_on_ranks(command, all.all); },
                "memory is exhausted while a file is converted: take more ranks, or hosts with more memory");
        };
        return work_on_ranks(std::move(ranks), command.command_line, "convert", "cpu",
                             {work, work, [](comm::Communicator&) {}});
    }
    convert_here(command);
    return 0;
}

}  // namespace aureole::cli
