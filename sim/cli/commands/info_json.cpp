#include "sim/cli/commands/info_json.hpp"

#include <numeric>

#include "sim/analysis/expansion_file.hpp"
#include "sim/cli/commands/run_summary.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/device.hpp"
#include "sim/io/fields/coefficient_file.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/json_writer.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "sim/run/checkpoints/checkpoint_state.hpp"
#include "sim/run/starting_state.hpp"

namespace aureole::cli {
namespace {

namespace fs = std::filesystem;

io::JsonList numbers(std::initializer_list<double> values)
{
    io::JsonList list;
    for (const double value : values) list.add(value);
    return list;
}

template <class Range>
io::JsonList texts(const Range& range)
{
    io::JsonList list;
    for (const std::string& text : range) list.add(text);
    return list;
}

io::JsonList types_of(const Particles& host)
{
    io::JsonList types;
    const auto counts = io::count_by_type(host.view());
    for (std::size_t t = 0; t < n_particle_types; ++t) {
        if (counts[t] == 0) continue;
        double mass = 0;
        for (std::size_t i = 0; i < host.size(); ++i)
            if (host.type.host()[i] == t) mass += host.mass.host()[i];
        types.add(io::JsonObject().add("type", t).add("particles", counts[t]).add("mass", mass));
    }
    return types;
}

void add_snapshot(io::JsonObject& json, const fs::path& file)
{
    io::Snapshot snapshot = io::read_snapshot(file, io::SnapshotArrays::reading());
    const run::RunUnits units = units_or_note(snapshot);
    if (units.nbody) io::restore_nbody_numbers(snapshot);
    const io::SnapshotHeader& header = snapshot.header;
    json.add("format", snapshot.format).add("particles", snapshot.particles.size());
    json.add("types", types_of(snapshot.particles)).add("time", header.time).add("box", header.box_size);
    json.add("comoving", header.comoving);
    if (header.comoving)
        json.add("redshift", header.redshift)
            .add("omega0", header.omega0)
            .add("omega_lambda", header.omega_lambda)
            .add("hubble", header.hubble);
    if (units.nbody)
        json.add("units", "nbody");
    else
        json.add("units", io::JsonObject()
                              .add("length_cm", units.system.length_cm)
                              .add("mass_g", units.system.mass_g)
                              .add("velocity_cm_per_s", units.system.velocity_cm_per_s));
    json.add("units_stated", header.units.has_value() && !header.units_decided);
    json.add("not_read", texts(snapshot.dropped_fields)).add("notes", texts(snapshot.notes));
}

void add_catalogue(io::JsonObject& json, const fs::path& file)
{
    const io::CatalogueFile catalogue = io::read_catalogue(file);
    const UnitScales scales = catalogue.header.nbody_scales.value_or(UnitScales{});
    json.add("groups", catalogue.groups.rows).add("subhalos", catalogue.subhalos.rows);
    json.add("time", catalogue.header.time / scales.time);
    const Column *length = catalogue.groups.find("GroupLen"), *mass = catalogue.groups.find("GroupMass");
    io::JsonList largest;
    for (std::size_t k = 0; length && mass && k < std::min<std::size_t>(10, catalogue.groups.rows); ++k)
        largest.add(io::JsonObject()
                        .add("particles", std::get<std::vector<std::int64_t>>(length->values)[k])
                        .add("mass", std::get<std::vector<double>>(mass->values)[k] / scales.mass));
    json.add("largest", largest);
}

void add_coefficients(io::JsonObject& json, const fs::path& file)
{
    const io::CoefficientFile c = run::restored_nbody(io::read_coefficients(file));
    json.add("basis", c.basis).add("n_max", c.n_max).add("l_max", c.l_max).add("scale_radius", c.scale);
    json.add("G", c.gravitational_constant);
    io::JsonList moments;
    for (const io::CoefficientMoment& moment : c.moments)
        moments.add(io::JsonObject()
                        .add("time", moment.time)
                        .add("centre", numbers({moment.centre.x, moment.centre.y, moment.centre.z})));
    json.add("moments", moments);
}

void add_checkpoint(io::JsonObject& json, const fs::path& file)
{
    const run::Checkpoint checkpoint = run::read_checkpoint(file);
    const run::RunState& state = checkpoint.state;
    json.add("step", state.step).add("device", state.device).add("particles", checkpoint.particles.size());
    json.add("time", state.simulation.time * state.units.from_internal(run::Quantity::time));
}

io::JsonList named(const std::vector<fs::path>& files)
{
    io::JsonList list;
    for (const fs::path& file : files) list.add(file.string());
    return list;
}

void add_run(io::JsonObject& json, const fs::path& directory)
{
    const RunSummary run = summary_of_run(directory);
    for (const auto& [kind, files] : run.files) json.add(kind, named(files));
    if (run.largest_energy_error) json.add("largest_energy_error", *run.largest_energy_error);
    io::JsonList halos;
    for (const GroupCount& count : run.halos)
        halos.add(io::JsonObject().add("time", count.time).add("groups", count.groups));
    json.add("halos", halos);
}

}  // namespace

std::string devices_json()
{
    io::JsonList devices;
    for (int k = 0; k < device::count(); ++k) {
        const device::Info info = device::info(k);
        devices.add(io::JsonObject()
                        .add("device", fmt::format("cuda:{}", k))
                        .add("name", info.name)
                        .add("free_bytes", info.free_bytes)
                        .add("total_bytes", info.total_bytes));
    }
    return io::JsonObject().add("program", version_brief()).add("devices", devices).text();
}

std::string info_json(const fs::path& file)
{
    const FileKind kind = kind_of(file);
    static constexpr const char* names[] = {"run",          "picture", "checkpoint", "catalogue",
                                            "coefficients", "hdf5",    "snapshot"};
    io::JsonObject json;
    json.add("path", file.string()).add("kind", names[static_cast<int>(kind)]);
    switch (kind) {
        case FileKind::run:
            add_run(json, file);
            return json.text();
        case FileKind::picture:
            break;
        case FileKind::checkpoint:
            add_checkpoint(json, file);
            break;
        case FileKind::catalogue:
            add_catalogue(json, file);
            break;
        case FileKind::coefficients:
            add_coefficients(json, file);
            break;
        case FileKind::other:
            json.add("members",
                     texts(io::Hdf5File::open(io::hdf5_file_of(file).value_or(file)).members("/")));
            break;
        case FileKind::snapshot:
            add_snapshot(json, file);
            break;
    }
    io::JsonObject provenance;
    for (const auto& [key, value] : provenance_of_file(file)) provenance.add(key, value);
    return json.add("provenance", provenance).text();
}

}  // namespace aureole::cli
