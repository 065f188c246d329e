// HDF5 in Gadget's layout. docs/file_formats.md lists names, shapes and attributes, and which reader needs
// each. Values are gathered, scaled and written in blocks.
#include "sim/io/snapshots/snapshot_writer.hpp"

#include <algorithm>
#include <numeric>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"
#include "sim/io/snapshots/gadget_dialect.hpp"

namespace aureole::io {

namespace {

using TypeCounts = std::array<std::uint64_t, n_particle_types>;

/// What is needed to write one snapshot.
struct Writer {
    Hdf5File& file;
    const ConstParticlesView host;
    const SnapshotContent& content;
    const SnapshotHeader header;  ///< completed
    const TypeCounts counts;
};

/// Particle indices type by type; the given order is kept inside each.
std::vector<Index> sorted_by_type(ConstParticlesView host, const TypeCounts& counts)
{
    TypeCounts next{};
    std::exclusive_scan(counts.begin(), counts.end(), next.begin(), std::uint64_t{0});
    std::vector<Index> order(host.n);
    for (Index i = 0; i < host.n; ++i) order[next[host.type_of(i)]++] = i;
    return order;
}

void write_header(const Writer& w)
{
    std::array<std::uint32_t, n_particle_types> counts{}, high_word{};
    std::ranges::transform(w.counts, counts.begin(), [](auto n) { return static_cast<std::uint32_t>(n); });
    Hdf5File& file = w.file;
    const std::string group = "/Header";
    file.create_group(group);
    file.write_attribute(group, "NumPart_ThisFile", counts);
    file.write_attribute(group, "NumPart_Total", counts);
    file.write_attribute(group, "NumPart_Total_HighWord", high_word);
    file.write_attribute(group, "MassTable", std::array<double, n_particle_types>{});
    file.write_attribute(group, "Time", w.header.time);
    file.write_attribute(group, "Redshift", w.header.redshift);
    file.write_attribute(group, "BoxSize", w.header.box_size);
    file.write_attribute(group, "NumFilesPerSnapshot", std::int32_t{1});
    file.write_attribute(group, "Omega0", w.header.omega0);
    file.write_attribute(group, "OmegaLambda", w.header.omega_lambda);
    file.write_attribute(group, "OmegaBaryon", w.header.omega_baryon);
    file.write_attribute(group, "HubbleParam", w.header.hubble);
    for (const char* flag :
         {"Flag_Sfr", "Flag_Cooling", "Flag_StellarAge", "Flag_Metals", "Flag_Feedback", "Flag_Entropy_ICs"})
        file.write_attribute(group, flag, std::int32_t{0});
    file.write_attribute(group, "Flag_DoublePrecision", std::int32_t{1});
}

/// GADGET-4 sorts softening lengths into classes; equal lengths share one, and that of PartType1 is class 0.
void write_softening(const Writer& w)
{
    std::vector<double> classes{w.content.softening[1]};
    for (int type = 0; type < n_particle_types; ++type) {
        if (type != 1 && w.counts[type] == 0) continue;
        auto found = std::ranges::find(classes, w.content.softening[type]);
        if (found == classes.end()) found = classes.insert(found, w.content.softening[type]);
        w.file.write_attribute("/Parameters", fmt::format("SofteningClassOfPartType{}", type),
                               static_cast<std::int32_t>(found - classes.begin()));
    }
    for (std::size_t k = 0; k < classes.size(); ++k) {
        const double length = classes[k] * w.content.scales.length;
        w.file.write_attribute("/Parameters", fmt::format("SofteningComovingClass{}", k), length);
        w.file.write_attribute("/Parameters", fmt::format("SofteningMaxPhysClass{}", k), length);
    }
}

/// Stores value_of(particle) for every particle of `order`.
template <class T, class Value>
void write_column(const Writer& w, const std::string& path, std::span<const Index> order, Value value_of)
{
    write_field<T>(w.file, path, order.size(), 0,
                   [=](std::size_t row, T* to) { *to = value_of(order[row]); });
}

void write_vectors(const Writer& w, const std::string& path, std::span<const Index> order,
                   ConstVec3View vectors, double scale)
{
    write_field<double>(w.file, path, order.size(), 3, [=](std::size_t row, double* to) {
        const Vec3 vector = vectors.load(order[row]);
        to[0] = scale * vector.x;
        to[1] = scale * vector.y;
        to[2] = scale * vector.z;
    });
}

void write_type(const Writer& w, int type, std::span<const Index> order, bool components)
{
    const std::string group = fmt::format("/PartType{}", type);
    w.file.create_group(group);
    const auto about = [&](const char* name, const char* description, Dimension dimension,
                           CosmologicalExponents exponents) {
        describe(w.file, group + "/" + name, description, dimension, exponents, *w.header.units);
    };
    const auto plain = [&](const char* name, const char* description, Dimension dimension = {}) {
        about(name, description, dimension, exponents_of(dimension, w.header));
    };
    const UnitScales& scales = w.content.scales;
    const ConstParticlesView& host = w.host;

    write_vectors(w, group + "/Coordinates", order, host.position, scales.length);
    plain("Coordinates", "Positions.", {.length = 1});
    if (!host.velocity.absent()) {
        write_vectors(w, group + "/Velocities", order, host.velocity, scales.velocity);
        plain("Velocities", "Velocities.", {.velocity = 1});
    }
    write_column<std::uint64_t>(w, group + "/ParticleIDs", order, [&](Index i) { return host.id_of(i); });
    plain("ParticleIDs", "Particle identifiers, unique in the file.");
    write_column<double>(w, group + "/Masses", order, [&](Index i) { return scales.mass * host.mass[i]; });
    plain("Masses", "Particle masses.", {.mass = 1});
    if (w.content.potential) {
        write_column<double>(w, group + "/Potential", order,
                             [&](Index i) { return scales.potential * host.potential[i]; });
        about("Potential", "Gravitational potentials per unit mass.", {.velocity = 2},
              {.a = w.header.comoving ? -1.0 : 0.0});
    }
    if (w.content.acceleration) {
        write_vectors(w, group + "/Acceleration", order, host.acceleration, scales.velocity / scales.time);
        about("Acceleration", "Gravitational accelerations, velocity squared over length.",
              {.length = -1, .velocity = 2}, {.a = w.header.comoving ? -2.0 : 0.0});
    }
    if (!w.content.group.empty()) {
        write_column<std::int32_t>(w, group + "/FOFGroupIDs", order,
                                   [&](Index i) { return w.content.group[i]; });
        plain("FOFGroupIDs", "Row of the halo in the catalogue, from 0; -1 outside halos.");
    }
    if (components) {
        write_column<std::int32_t>(w, group + "/ComponentIDs", order,
                                   [&](Index i) { return host.component_of(i); });
        plain("ComponentIDs", "Entry of initial_conditions that the particle came from, from 0.");
    }
}

bool has_several_components(ConstParticlesView host)
{
    if (!host.component) return false;
    const std::span components(host.component, host.n);
    return std::ranges::adjacent_find(components, std::ranges::not_equal_to()) != components.end();
}

void write_types(const Writer& w)
{
    const std::vector<Index> order = sorted_by_type(w.host, w.counts);
    const bool components = has_several_components(w.host);
    std::size_t first = 0;
    for (int type = 0; type < n_particle_types; ++type) {
        const std::size_t n = w.counts[type];
        if (n > 0) write_type(w, type, std::span(order).subspan(first, n), components);
        first += n;
    }
}

}  // namespace

void write_snapshot(const std::filesystem::path& file, ConstParticlesView host,
                    const SnapshotContent& content)
{
    AUREOLE_EXPECT(content.group.empty() || content.group.size() == host.n,
                   "{}: {} group numbers for {} particles", file.string(), content.group.size(), host.n);
    AUREOLE_EXPECT(!content.potential || host.potential, "{}: the particles have no potentials to store",
                   file.string());
    AUREOLE_EXPECT(!content.acceleration || !host.acceleration.absent(),
                   "{}: the particles have no accelerations to store", file.string());
    write_hdf5(file, [&](Hdf5File& out) {
        if (content.compress) out.compress();
        const Writer writer{out, host, content, completed(content.header), count_by_type(host)};
        write_header(writer);
        write_units(out, *writer.header.units);
        write_parameters(out, writer.header);
        write_softening(writer);
        write_provenance(out, content.provenance, content.scales);
        write_types(writer);
    });
}

}  // namespace aureole::io
