// `aureole find`: friends-of-friends on a snapshot of any code, in the file's own numbers (comoving and
// h-scaled where they are), or what the groups of another finder are.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "halo/catalogue/halo_tables.hpp"
#include "halo/ranks/ranked_finder.hpp"
#include "halo/spanning_tree/spanning_tree.hpp"
#include "sim/analysis/halo_files.hpp"
#include "sim/analysis/halo_report.hpp"
#include "sim/analysis/subsample.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/find/find_groups.hpp"
#include "sim/cli/find/find_outputs.hpp"
#include "sim/cli/find/find_search.hpp"
#include "sim/cli/ranked_command.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/halos/labels_file.hpp"
#include "sim/io/snapshots/hdf5_particles.hpp"
#include "sim/run/device_choice.hpp"
#include "sim/run/file_softening.hpp"
#include "sim/run/outputs/outputs.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::cli {
namespace {

namespace fs = std::filesystem;

/// The first rows as objects: a number or a list of numbers for each column.
io::JsonList first_rows(const Table& table, std::size_t most)
{
    io::JsonList rows;
    for (std::size_t row = 0; row < std::min(most, table.rows); ++row) {
        io::JsonObject object;
        for (const Column& column : table.columns)
            std::visit(
                [&](const auto& values) {
                    io::JsonList list;
                    for (std::size_t k = 0; k < column.width; ++k) list.add(values[row * column.width + k]);
                    if (column.width == 1)
                        object.add(column.name, values[row]);
                    else
                        object.add(column.name, list);
                },
                column.values);
        rows.add(object);
    }
    return rows;
}

/// As long as it lives, what is printed to standard output goes to standard error.
class TextToStderr {
public:
    TextToStderr()
    {
        std::fflush(stdout);
        saved_ = dup(STDOUT_FILENO);
        if (saved_ >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    ~TextToStderr()
    {
        std::fflush(stdout);
        if (saved_ < 0) return;
        dup2(saved_, STDOUT_FILENO);
        close(saved_);
    }
    TextToStderr(const TextToStderr&) = delete;
    TextToStderr& operator=(const TextToStderr&) = delete;

private:
    int saved_;
};

std::string linking_text(const Find& find)
{
    const halo::FofConfig& fof = find.search.fof;
    if (fof.linking_length == 0) return find.search.origin;
    const auto with = [](const std::string& unit) { return unit.empty() ? "" : " " + unit; };
    std::string text =
        fmt::format("linking length {:.6g}{} ({})", fof.linking_length, with(find.unit), find.search.origin);
    if (std::isfinite(fof.linking_velocity))
        text += fmt::format(", linking velocity {:.6g}{}", fof.linking_velocity,
                            with(find.loaded.units.name(run::Quantity::velocity)));
    if (fof.relative_linking_velocity > 0)
        text +=
            fmt::format(", linking velocity of {:.6g} velocity dispersions", fof.relative_linking_velocity);
    if (fof.min_friends > 1) text += fmt::format(", {} friends to link", fof.min_friends);
    return text;
}

/// Keeps one particle in K with K times its mass, so that the density stays what it is.
void keep_subsample(Find& find)
{
    const std::uint64_t factor = find.command.subsample;
    if (factor == 1) return;
    const std::uint64_t seed = config_from_overrides(find.command.compute.overrides).seed;
    find.kept = run::subsample(find.host().id.host(), factor, seed);
    if (find.kept.empty())
        throw ConfigError(fmt::format("--subsample {}: keeps none of {} particles", factor, find.n_in_file));
    find.host() = find.host().gathered(find.kept);
    for (double& mass : find.host().mass.host()) mass *= static_cast<double>(factor);
    std::string length_text = "the linking length is that of all particles";
    if (find.command.rescale_linking_length) {
        const double scale = std::cbrt(static_cast<double>(factor));
        find.search.fof.linking_length *= scale;
        find.search.origin += fmt::format(", times {:.6g} for the subsample", scale);
        length_text = fmt::format("the linking length is {:.6g} times that of all particles", scale);
    }
    if (!find.membership.empty()) {
        std::vector<std::int64_t> membership;
        for (const Index i : find.kept) membership.push_back(find.membership[i]);
        find.membership = std::move(membership);
        length_text = "memberships are those of the file";
    }
    fmt::print("subsample: {} of {} particles, one in {} by seed {} and id, masses times {}; {}\n",
               find.kept.size(), find.n_in_file, factor, seed, factor, length_text);
}

/// What decided which groups there are.
io::Provenance settings_of(const Find& find)
{
    const FindCommand& command = find.command;
    const halo::FofConfig& fof = find.search.fof;
    io::Provenance settings{{"MinMembers", fmt::format("{}", fof.min_members)}};
    const auto add = [&](const char* name, std::string text) {
        settings.emplace_back(name, std::move(text));
    };
    if (command.subsample > 1) add("Subsample", fmt::format("one in {}", command.subsample));
    if (!command.members.empty()) {
        add("Members", command.members.string());
        return settings;
    }
    add("Method", find.search.method);
    add("LinkingLength", fmt::format("{}", fof.linking_length));
    add("LinkingLengthOrigin", find.search.origin);
    add("LinkingTypes", fmt::format("{:#04x}", fof.linking_types));
    if (std::isfinite(fof.linking_velocity)) add("LinkingVelocity", fmt::format("{}", fof.linking_velocity));
    if (fof.relative_linking_velocity > 0)
        add("RelativeLinkingVelocity", fmt::format("{}", fof.relative_linking_velocity));
    if (fof.min_friends > 1) {
        add("MinFriends", fmt::format("{}", fof.min_friends));
        add("Border", fof.border == halo::Border::nearest ? "nearest" : "none");
    }
    return settings;
}

io::Provenance provenance_of_groups(const Find& find)
{
    io::Provenance provenance = provenance_of(maker(find.command.compute.command_line), find.device);
    provenance.emplace_back("Configuration", run::to_yaml(find.config));
    provenance.emplace_back("Input", find.command.snapshot.string());
    if (find.loaded.units.nbody) provenance.emplace_back("Units", io::nbody_units_text);
    if (find.ranks)
        provenance.insert(provenance.end(), find.ranks->provenance.begin(), find.ranks->provenance.end());
    for (auto& setting : settings_of(find)) provenance.push_back(std::move(setting));
    return provenance;
}

void write_labels(Find& find, const io::Provenance& provenance)
{
    const std::vector<std::int32_t>& label = find.groups.label;
    const io::Provenance settings = settings_of(find);
    const fs::path& file = find.command.labels;
    if (file.extension() == ".grp") {
        std::vector<std::int32_t> all(find.n_in_file, -1);  // an array has an entry for every particle
        for (std::size_t k = 0; k < label.size(); ++k) all[find.kept.empty() ? k : find.kept[k]] = label[k];
        io::write_grp(file, all, provenance);
    } else {
        io::write_labels(file, find.host().id.host(), label, {settings.begin(), settings.end()}, provenance);
    }
}

/// Header and scales of the sorted files, which are in kpc, 1e10 Msun and km/s (per h where the input is): yt
/// reads no units of Gadget's layout, it takes these. Files of runs with G = 1 keep the units they have.
io::SnapshotContent sorted_content(const Find& find)
{
    const run::RunUnits& units = find.loaded.units;
    io::SnapshotContent content;
    content.header = find.loaded.snapshot.header;
    if (units.nbody && content.header.nbody_scales) {
        content.scales = *content.header.nbody_scales;  // the numbers of the file that was read
    } else {
        const run::FileUnits choice = find.config.output.units;
        content.header.units = units.of_files(choice);
        content.scales = units.nbody ? units.to_files(choice) : scales_to(units, *content.header.units);
    }
    content.header.box_size = find.search.fof.box.side * content.scales.length;
    content.softening = run::softening_of(find.config).length;
    if (!content.header.comoving) content.header.time *= content.scales.time;
    return content;
}

/// The snapshot with the particles in the order of the catalogue, and the catalogue.
void write_sorted(Find& find, const run::HaloCatalogue& found, io::Provenance provenance,
                  const run::HaloFiles& files)
{
    const FindCommand& command = find.command;
    const FindOutputs names = find_outputs(command);
    std::error_code error;
    fs::create_directories(names.directory, error);
    if (error)
        throw IoError(fmt::format("{}: cannot be made: {}", names.directory.string(), error.message()));
    provenance.push_back(owner_of(names, command));

    io::SnapshotContent content = sorted_content(find);
    content.group = find.groups.label;
    content.provenance = provenance;
    io::write_snapshot_in_order(names.snapshot(), find.host().view(), found.order, content);
    run::write_halo_files(names.directory, names.number, found, {content.header, content.scales, provenance},
                          files);
    find.result.add("snapshot", names.snapshot().string()).add("catalogue", names.catalogue().string());
    fmt::print("sorted snapshot: {}\ncatalogue:       {}\n", names.snapshot().string(),
               names.catalogue().string());
    if (files.yt) fmt::print("for yt:          {}\n", names.yt_catalogue().string());
    if (!files.table.empty()) fmt::print("table:           {}\n", files.table.string());
}

/// With G = 1 the Hubble constant is unknown, and with it the densities of a cosmology.
void forget_units(run::HaloContext& context, const io::SnapshotHeader& header, const run::HalosConfig& halos)
{
    const double a = header.comoving ? 1 / (1 + header.redshift) : 1;
    context.gravitational_constant = std::pow(a, -1 - 2 * header.velocity_a_exponent);
    if (!halos.reference_density) context.densities = halo::unknown_reference_densities();
}

run::HaloContext halo_context(const Find& find)
{
    const LoadedSnapshot& loaded = find.loaded;
    run::HaloContext context =
        run::halo_context(loaded.snapshot.header, loaded.units.system, find.config.halos);
    if (loaded.units.nbody) forget_units(context, loaded.snapshot.header, find.config.halos);
    context.box = find.search.fof.box;
    context.linking_length = find.search.fof.linking_length;
    context.softening = find.softening;
    if (!std::isfinite(context.densities.critical) && find.config.halos.overdensities.empty())
        fmt::print("no overdensities: the snapshot has no cosmology; halos.reference_density gives one\n");
    return context;
}

/// The groups of every linking length; in phase space the linking velocity scales velocities to lengths.
void write_dendrogram(Find& find, const io::Provenance& provenance)
{
    const halo::FofConfig& fof = find.search.fof;
    halo::SpanningTreeConfig config{0, fof.linking_types, fof.box};
    if (std::isfinite(fof.linking_velocity))
        config.velocity_scale = fof.linking_length / fof.linking_velocity;
    halo::SpanningTreeFinder finder;
    const halo::SpanningTree tree = finder.find({}, find.host().view(), config);
    const io::Provenance settings = settings_of(find);
    run::write_dendrogram(find.command.dendrogram, tree, config, find.host().id.host(),
                          {settings.begin(), settings.end()}, provenance);
    fmt::print("dendrogram:      {}\n", find.command.dendrogram.string());
}

void print_largest(const run::HaloCatalogue& found, const io::ColumnUnits& units)
{
    fmt::print("{}", run::largest_groups_text(found.table, units));
    if (found.subhalos) fmt::print("{}", run::first_subhalos_text(*found.subhalos, units));
}

/// Labels, and the largest groups in print.
void report_labels(Find& find, const io::Provenance& provenance, const io::ColumnUnits& units)
{
    write_labels(find, provenance);
    const auto [particles, groups] = largest_groups(find);
    Table table = halo::group_properties({.particles = particles,
                                          .groups = groups,
                                          .box = find.search.fof.box,
                                          .gravitational_constant = find.context.gravitational_constant});
    run::scale_velocities(table, find.context.velocity_factor);
    find.result.add("labels", find.command.labels.string()).add("largest", first_rows(table, 10));
    fmt::print("{}labels:          {}\n", run::largest_groups_text(table, units),
               find.command.labels.string());
}

/// Prints the largest groups and writes the requested files.
void report(Find& find, const halo::GroupsView& found_groups)
{
    const io::Provenance provenance = provenance_of_groups(find);
    const io::ColumnUnits units = run::unit_names(find.loaded.units, find.loaded.snapshot.header);
    if (!find.command.dendrogram.empty()) write_dendrogram(find, provenance);
    if (find.groups.label.empty()) find.groups = halo::groups_on_host(find.device.exec, found_groups);
    if (labels_alone(find.command)) return report_labels(find, provenance, units);
    const run::HaloCatalogue found = catalogue_of(find, found_groups);
    find.result.add("subhalos", found.subhalos ? found.subhalos->rows : 0);
    find.result.add("largest", first_rows(found.table, 10));
    if (const std::string names = io::infinite_columns(found.table);
        !find.command.csv.empty() && !names.empty())
        fmt::print(
            "note: infinite values of {} are written as nan: the particles' numbers leave the range of "
            "doubles\n",
            names);
    if (!find.command.labels.empty()) {
        print_largest(found, units);
        io::write_table_csv(find.command.csv, found.table, units, {}, provenance);
        write_labels(find, provenance);
        fmt::print("labels:          {}\n", find.command.labels.string());
        return;
    }
    print_largest(found, units);
    find.catalogue.reset();  // files need particles, labels and order alone
    find.finder.reset();
    find.there.reset();
    write_sorted(find, found, provenance, {find.command.yt_catalogue, find.command.csv, true, units, {}});
}

void expect_safe(const FindCommand& command)
{
    std::vector<NamedFile> outputs{
        {"--labels", command.labels}, {"--csv", command.csv}, {"--dendrogram", command.dendrogram}};
    const FindOutputs names = find_outputs(command);
    if (command.labels.empty())
        for (const fs::path& file : {names.snapshot(), names.catalogue(), names.yt_catalogue()})
            outputs.push_back({"-o", file});
    expect_safe_outputs(outputs, {command.snapshot, command.members});
    if (command.labels.empty()) expect_own_outputs(names, command);
}

void begin_on_ranks(const FindCommand& command, const run::Config& config, const run::RunRanks& ranks)
{
    expect_possible_on_ranks(command, config.halos);
    fmt::print("{}\n", ranks.description);
    for (const std::string& warning : ranks.warnings) fmt::print("warning: {}\n", warning);
}

/// `ranks` is null for one process.
void find_here(const FindCommand& command, run::RunRanks* ranks)
{
    expect_safe(command);
    std::optional<TextToStderr> text;
    if (command.json) text.emplace();
    run::Config config = find_settings(command);  // refused before a large file is read
    if (ranks) begin_on_ranks(command, config, *ranks);
    run::DeviceChoice device = ranks ? ranks->device : run::choose_device(command.compute.device);
    const io::SnapshotArrays wanted_arrays{true, false, false, !reads_motion_later(command, config, device)};
    const auto kernels = ranks ? nullptr : load_kernels_while_reading(command, config, device);
    Find find{.command = command,
              .config = std::move(config),
              .device = std::move(device),
              .ranks = ranks,
              .loaded = load_snapshot(command.snapshot, command.units, wanted_arrays)};
    find.n_in_file = find.host().size();
    find.unit = run::unit_names(find.loaded.units, find.loaded.snapshot.header).length;
    find.softening = run::halo_softening(find.config, find.loaded.snapshot);
    take_stated_softening(find.config, find.loaded);
    const Box box = box_of(command.box_side, command.open, find.loaded.snapshot.header);
    wrap_positions(find.host(), box);
    if (!command.members.empty())
        find.membership = io::read_memberships(command.members, find.host().id.host());
    find.search = plan_find(command, find.loaded.snapshot, box, find.unit);
    keep_subsample(find);
    fmt::print("{}, {}, on {}\n", linking_text(find),
               box.periodic() ? fmt::format("periodic box of {:.6g}", box.side) : "open space",
               find.device.description);
    const std::string expectation = run::expected_neighbours_text(find.host(), find.search, find.unit);
    if (!expectation.empty()) fmt::print("{}\n", expectation);
    find.context = halo_context(find);
    static_cast<void>(
        run::overdensity_thresholds(find.config.halos, find.context.densities));  // refused before the search
    if (kernels) kernels->finish(box.periodic());
    const halo::GroupsView groups = groups_of(find);
    fmt::print("{}\n", run::find_summary(groups.n, halo::sizes_on_host(find.device.exec, groups), find.search,
                                         find.unit));
    find.result.add("particles", find.host().size()).add("groups", groups.n_groups);
    find.result.add("linking_length", find.search.fof.linking_length).add("length_unit", find.unit);
    report(find, groups);
    text.reset();
    if (command.json) fmt::print("{}\n", find.result.text());
}

}  // namespace

int find_command(const FindCommand& command)
{
    std::unique_ptr<comm::Communicator> ranks = comm::open_ranks();
    if (ranks->size() > 1)
        return work_on_ranks(std::move(ranks), command.compute.command_line, "find",
                             command.compute.device == "auto" ? "cpu" : command.compute.device,
                             {[&](run::RunRanks& all) { find_here(command, &all); },
                              [](run::RunRanks& all) { serve_find(all); }, halo::end_searches});
    find_here(command, nullptr);
    return 0;
}

}  // namespace aureole::cli
