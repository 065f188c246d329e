// `aureole info`: what a snapshot, a catalogue or a run's directory holds; devices and build without a path.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>

#include "sim/analysis/expansion_file.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/commands/info_json.hpp"
#include "sim/cli/commands/run_summary.hpp"
#include "sim/cli/number_text.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/device.hpp"
#include "sim/core/error.hpp"
#include "sim/io/checkpoint_file.hpp"
#include "sim/io/fields/coefficient_file.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/images/png_chunks.hpp"
#include "sim/io/list_text.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "sim/io/utf8.hpp"
#include "sim/run/checkpoints/checkpoint_state.hpp"
#include "sim/run/diagnostics/state_hash.hpp"
#include "sim/run/starting_state.hpp"

namespace aureole::cli {
namespace {

constexpr std::array<const char*, n_particle_types> type_names{"gas",   "halo",  "disk",
                                                               "bulge", "stars", "boundary"};

void print_devices()
{
    fmt::print("{}\n", version_text());
    for (int k = 0; k < device::count(); ++k) {
        const device::Info info = device::info(k);
        fmt::print("cuda:{}  {}, compute capability {}.{}, {} multiprocessors, {:.1f} of {:.1f} GB free\n", k,
                   info.name, info.capability_major, info.capability_minor, info.multiprocessors,
                   1e-9 * static_cast<double>(info.free_bytes), 1e-9 * static_cast<double>(info.total_bytes));
    }
}

void print_types(const Particles& host)
{
    const auto counts = io::count_by_type(host.view());
    for (std::size_t t = 0; t < n_particle_types; ++t) {
        if (counts[t] == 0) continue;
        double total = 0, least = std::numeric_limits<double>::infinity(), most = 0;
        for (std::size_t i = 0; i < host.size(); ++i) {
            if (host.type.host()[i] != t) continue;
            const double m = host.mass.host()[i];
            total += m;
            least = std::min(least, m);
            most = std::max(most, m);
        }
        fmt::print(
            "type {} ({})  {} particles, mass {:.6g}, each {}\n", t, type_names[t], counts[t], total,
            least == most ? fmt::format("{:.6g}", least) : fmt::format("{:.6g} to {:.6g}", least, most));
    }
}

void print_extent(const char* name, const Vec3Buffer& vectors)
{
    const auto range = [](std::span<const double> values) {
        const auto [low, high] = std::ranges::minmax(values);
        return fmt::format("{:.6g} to {:.6g}", low, high);
    };
    if (vectors.x.size() == 0) return;
    fmt::print("{:<10}x {}, y {}, z {}\n", name, range(vectors.x.host()), range(vectors.y.host()),
               range(vectors.z.host()));
}

std::string names_of(const run::RunUnits& units)
{
    return fmt::format("{}, {}, {}", units.name(run::Quantity::length), units.name(run::Quantity::mass),
                       units.name(run::Quantity::velocity));
}

void print_snapshot(const std::filesystem::path& file)
{
    io::Snapshot snapshot = io::read_snapshot(file, io::SnapshotArrays::reading());
    const io::SnapshotHeader& header = snapshot.header;
    const char* const origin = header.units_decided ? " (by the mean density)"
                               : header.units       ? ""
                                                    : " (assumed)";
    const run::RunUnits units = units_or_note(snapshot);
    if (units.nbody) io::restore_nbody_numbers(snapshot);
    fmt::print("{}: {}\n", file.string(), snapshot.format);
    fmt::print("particles {}\n", snapshot.particles.size());
    print_types(snapshot.particles);
    print_extent("position", snapshot.particles.position);
    print_extent("velocity", snapshot.particles.velocity);
    fmt::print("units     {}{}\n", units.nbody ? io::nbody_units_text : names_of(units),
               units.nbody && header.nbody_scales && header.units
                   ? fmt::format(" as the run; in the file {}", names_of({false, *header.units}))
                   : origin);
    if (header.comoving)
        fmt::print("time      z = {:.6g}, Omega0 {}, OmegaLambda {}, h {} (comoving)\n",
                   shown_redshift(header.redshift), header.omega0, header.omega_lambda, header.hubble);
    else
        fmt::print("time      t = {}\n", run::time_text(header.time, units));
    fmt::print("box       {}\n",
               header.box_size > 0 ? fmt::format("periodic, side {:.6g}", header.box_size) : "open");
    for (const std::string& field : snapshot.dropped_fields)
        fmt::print("not read  {}\n", io::printable(field));
    for (const std::string& note : snapshot.notes) fmt::print("note      {}\n", io::printable(note));
}

void print_catalogue(const std::filesystem::path& file)
{
    const io::CatalogueFile catalogue = io::read_catalogue(file);
    const UnitScales scales = catalogue.header.nbody_scales.value_or(UnitScales{});
    fmt::print("{}: halo catalogue, {} group(s), {} subhalo(s), time {:.6g}{}\n", file.string(),
               catalogue.groups.rows, catalogue.subhalos.rows, catalogue.header.time / scales.time,
               catalogue.header.nbody_scales ? fmt::format(", {} as the run", io::nbody_units_text) : "");
    const Column* length = catalogue.groups.find("GroupLen");
    const Column* mass = catalogue.groups.find("GroupMass");
    if (!length || !mass) return;
    const auto& sizes = std::get<std::vector<std::int64_t>>(length->values);
    const auto& masses = std::get<std::vector<double>>(mass->values);
    for (std::size_t k = 0; k < std::min<std::size_t>(10, sizes.size()); ++k)
        fmt::print("group {:<4} {} particles, mass {:.6g}\n", k, sizes[k], masses[k] / scales.mass);
}

void print_coefficients(const std::filesystem::path& file)
{
    const io::CoefficientFile c = run::restored_nbody(io::read_coefficients(file));
    fmt::print("{}: expansion coefficients{}\n", file.string(),
               c.name.empty() ? "" : " of " + io::printable(c.name));
    fmt::print("basis     {}, n_max {}, l_max {}, scale radius {:.6g}\n", io::printable(c.basis), c.n_max,
               c.l_max, c.scale);
    fmt::print("units     {}, G = {}\n",
               c.units ? fmt::format("{:.6g} cm, {:.6g} g, {:.6g} cm/s", c.units->length_cm, c.units->mass_g,
                                     c.units->velocity_cm_per_s)
                       : "nbody",
               c.gravitational_constant);
    const auto print_moment = [&](std::size_t k) {
        const io::CoefficientMoment& moment = c.moments[k];
        fmt::print("moment {:<4} time {:.6g}, centre ({:.6g}, {:.6g}, {:.6g}), S_000 = {:.8g}{}\n", k,
                   moment.time, moment.centre.x, moment.centre.y, moment.centre.z, moment.values[0].real(),
                   moment.variances.empty() ? "" : ", with variances");
    };
    print_moment(0);
    if (c.moments.size() > 2) fmt::print("...\n");
    if (c.moments.size() > 1) print_moment(c.moments.size() - 1);
}

/// All of it is read, so that damage is found.
void print_checkpoint(const std::filesystem::path& file)
{
    const run::Checkpoint checkpoint = run::read_checkpoint(file);
    const run::RunState& state = checkpoint.state;
    const run::RunUnits units =
        run::with_units(run::parse_config(state.configuration, file, {}), state.units).units.value();
    fmt::print("{}: checkpoint of a run, whole\nstep      {}\ntime      t = {}\ndevice    {}\n",
               file.string(), state.step,
               run::time_text(state.simulation.time * units.from_internal(run::Quantity::time), units),
               io::printable(state.device));
    if (const std::string due = run::names_of(state.due); !due.empty())
        fmt::print("due       {}: a stop came before; --resume makes it first\n", due);
    fmt::print("{}\n{}\n", run::state_hash_text(checkpoint.particles),
               io::printable_lines(run::checkpoint_provenance(file)));
}

/// Densities, forces, labels and the like: no snapshots, but files of this program.
bool is_other_output(const std::filesystem::path& file)
{
    const auto found = io::hdf5_file_of(file);
    return found && !io::Hdf5File::open(*found).has_group("/Header") && !io::read_provenance(file).empty();
}

void print_members(const std::filesystem::path& file)
{
    std::vector<std::string> names = io::Hdf5File::open(io::hdf5_file_of(file).value_or(file)).members("/");
    std::erase(names, "Provenance");
    fmt::print("{}: HDF5 with {}\n", file.string(), io::printable(io::list_text(names, ", ")));
}

}  // namespace

run::RunUnits units_or_note(io::Snapshot& snapshot)
{
    try {
        return run::file_units(snapshot, {}, snapshot.notes);
    } catch (const ConfigError& error) {
        snapshot.notes.push_back(error.what());
        return {};
    }
}

io::Provenance provenance_of_file(const std::filesystem::path& file)
{
    if (io::is_png(file)) return io::png_texts(file);
    return io::is_hdf5(file) ? io::read_provenance(file) : io::Provenance{};
}

FileKind kind_of(const std::filesystem::path& file)
{
    if (std::filesystem::is_directory(file)) return FileKind::run;
    if (io::is_png(file)) return FileKind::picture;
    if (io::is_checkpoint(file)) return FileKind::checkpoint;
    if (io::is_hdf5(file) && io::is_catalogue(file)) return FileKind::catalogue;
    if (io::is_coefficient_file(file)) return FileKind::coefficients;
    return is_other_output(file) ? FileKind::other : FileKind::snapshot;
}

int info_command(const InfoCommand& command)
{
    if (command.json) {
        fmt::print("{}\n", command.path ? info_json(*command.path) : devices_json());
        return 0;
    }
    if (!command.path) {
        print_devices();
        return 0;
    }
    switch (kind_of(*command.path)) {
        case FileKind::run:
            print_run_summary(*command.path);
            return 0;
        case FileKind::picture:
            fmt::print("{}: picture\n", command.path->string());
            break;
        case FileKind::checkpoint:
            print_checkpoint(*command.path);
            break;
        case FileKind::catalogue:
            print_catalogue(*command.path);
            break;
        case FileKind::coefficients:
            print_coefficients(*command.path);
            break;
        case FileKind::other:
            print_members(*command.path);
            break;
        case FileKind::snapshot:
            print_snapshot(*command.path);
            break;
    }
    for (const auto& [key, value] : provenance_of_file(*command.path))
        fmt::print("{:<9} {}\n", io::printable(key),
                   key == "Configuration" ? "\n" + io::printable_lines(value) : io::printable(value));
    return 0;
}

}  // namespace aureole::cli
