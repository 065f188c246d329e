// `aureole find`: friends-of-friends on a snapshot of any code, in the file's own numbers (comoving and
// h-scaled where they are).
#include <fmt/format.h>

#include <regex>

#include "halo/linking_length.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/loaded_snapshot.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/io/catalogue_file.hpp"
#include "sim/io/labels_file.hpp"
#include "sim/run/device_choice.hpp"
#include "sim/run/halo_search.hpp"
#include "sim/run/outputs.hpp"

namespace aureole::cli {
namespace {

namespace fs = std::filesystem;

/// In units of the mean separation, when nothing else is said: what the field has used since Davis et al.
/// (1985).
constexpr double default_b = 0.2;

Box box_of(const FindCommand& command, const io::SnapshotHeader& header)
{
    if (command.open) return {};
    if (!command.box_side) return {header.box_size};
    if (!(*command.box_side > 0))
        throw ConfigError(fmt::format("--box is {}, expected a length above 0", *command.box_side));
    return {*command.box_side};
}

/// Particles outside a periodic box belong to its other side.
void wrap_positions(Particles& host, const Box& box)
{
    if (!box.periodic()) return;
    for (auto* axis : {&host.position.x, &host.position.y, &host.position.z})
        for (double& x : axis->host()) x = box.wrap(x);
}

run::HalosConfig halo_settings(const FindCommand& command)
{
    run::HalosConfig halos = config_from_overrides(command.compute.overrides).halos;
    if (command.linking_length || command.absolute_linking_length) {
        halos.linking_length = command.linking_length;
        halos.absolute_linking_length = command.absolute_linking_length;
        halos.boundary_density.reset();
    }
    if (command.min_members) halos.min_members = *command.min_members;
    if (!command.types.empty()) halos.types = command.types;
    for (int type : halos.types)
        if (type < 0 || type >= n_particle_types)
            throw ConfigError(fmt::format("--types: found {}, expected types from 0 to 5", type));
    return halos;
}

/// The search, with b = 0.2 when no length is given: of the mean separation in a box, else of the bounding
/// box, with a warning.
run::HaloSearch plan(const FindCommand& command, const Particles& host, const Box& box,
                     const std::string& unit)
{
    run::HalosConfig halos = halo_settings(command);
    const bool length_given = halos.linking_length || halos.absolute_linking_length || halos.boundary_density;
    if (!length_given) halos.linking_length = default_b;
    const std::uint8_t types = run::linking_types(halos);
    const std::size_t n_linking = halo::number_linking(host, types);
    if (n_linking == 0)
        throw ConfigError(
            fmt::format("{}: holds no particle of the types that link", command.snapshot.string()));
    if (!length_given && !box.periodic() && !halos.mean_separation) {
        halos.mean_separation = halo::bounding_box_separation(host, types);
        fmt::print(
            "warning: no linking length given and no periodic box: taking {:.6g}{}{}, {} of the mean "
            "separation "
            "in the bounding box; --absolute-linking-length says better\n",
            default_b * *halos.mean_separation, unit.empty() ? "" : " ", unit, default_b);
    }
    return run::plan_halo_search(halos, n_linking, box);
}

/// snapshot_010.hdf5 has number 10; files without one are 0.
unsigned number_of(const fs::path& file)
{
    static const std::regex pattern(R"(.*_(\d{1,6})(\.\d+)?(\.[A-Za-z]\w*)?)");
    std::smatch match;
    const std::string name = file.filename().string();
    return std::regex_match(name, match, pattern) ? static_cast<unsigned>(std::stoul(match[1])) : 0;
}

io::Provenance provenance_of(const FindCommand& command, const run::HaloSearch& search,
                             const std::string& device)
{
    return {{"Version", version_brief()},
            {"CommandLine", command.compute.command_line},
            {"Device", device},
            {"Input", command.snapshot.string()},
            {"LinkingLength", fmt::format("{}", search.fof.linking_length)},
            {"LinkingLengthOrigin", search.origin},
            {"MinMembers", fmt::format("{}", search.fof.min_members)},
            {"LinkingTypes", fmt::format("{:#04x}", search.fof.linking_types)}};
}

void write_sorted(const FindCommand& command, LoadedSnapshot& loaded, const halo::Groups& groups,
                  const run::HaloSearch& search, const io::Provenance& provenance)
{
    const fs::path directory =
        command.directory.empty() ? command.snapshot.parent_path() / "halos" : command.directory;
    std::error_code error;
    fs::create_directories(directory, error);
    if (error) throw IoError(fmt::format("{}: cannot be made: {}", directory.string(), error.message()));
    const unsigned number = number_of(command.snapshot);
    const fs::path snapshot = directory / run::snapshot_name(number);
    const fs::path catalogue = directory / run::catalogue_name(number);
    expect_not_input(snapshot, command.snapshot);

    const double g = loaded.units.nbody ? 1.0 : loaded.units.system.gravitational_constant();
    const run::FoundHalos found =
        run::describe_groups(loaded.snapshot.particles, groups, search.fof.box, g);
    loaded.snapshot.particles = Particles();  // the sorted copy is all that is needed now
    io::SnapshotContent content;
    content.header = loaded.snapshot.header;
    content.header.box_size = search.fof.box.side;
    content.header.units = loaded.units.system;
    if (loaded.units.nbody) content.scales = loaded.units.to_file(loaded.units.system);
    content.header.time *= content.scales.time;
    content.group = found.labels;
    content.provenance = provenance;
    io::write_snapshot(snapshot, found.sorted, content);
    io::write_catalogue(catalogue, found.table, {content.header, content.scales, provenance});
    fmt::print("sorted snapshot: {}\ncatalogue:       {}\n", snapshot.string(), catalogue.string());
}

}  // namespace

int find_command(const FindCommand& command)
{
    if (!command.labels.empty()) expect_not_input(command.labels, command.snapshot);
    const run::DeviceChoice device = run::choose_device(command.compute.device);
    LoadedSnapshot loaded = load_snapshot(command.snapshot, command.units);
    Particles& host = loaded.snapshot.particles;
    const Box box = box_of(command, loaded.snapshot.header);
    const std::string unit = loaded.units.name(run::Quantity::length);
    wrap_positions(host, box);
    const run::HaloSearch search = plan(command, host, box, unit);
    fmt::print("linking length {:.6g}{}{} ({}), {}, on {}\n", search.fof.linking_length,
               unit.empty() ? "" : " ", unit, search.origin,
               box.periodic() ? fmt::format("periodic box of {:.6g}", box.side) : "open space",
               device.description);

    halo::FriendsOfFriends finder;
    halo::Groups groups;
    if (device.exec.backend == Backend::cpu) {
        groups = finder.find(device.exec, host.view(), search.fof);
    } else {
        Particles there = host.copy_to(device.exec.backend);
        groups = finder.find(device.exec, there.view(), search.fof);
    }
    fmt::print("{}\n", run::describe_find(groups, search, unit));

    const io::Provenance provenance = provenance_of(command, search, device.description);
    if (command.labels.empty()) {
        write_sorted(command, loaded, groups, search, provenance);
        return 0;
    }
    io::write_labels(command.labels, host.id.host(), groups.label, {provenance.begin(), provenance.end()});
    fmt::print("labels:          {}\n", command.labels.string());
    return 0;
}

}  // namespace aureole::cli
