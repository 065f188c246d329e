// Gadget-dialect HDF5. Which attributes, shapes and names, and which reader needs each: README.md of this
// room. Values are gathered, scaled and written in blocks: beside the particles only an index per particle is
// held.
#include "sim/io/snapshots/write_snapshot.hpp"

#include <algorithm>
#include <numeric>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"
#include "sim/io/snapshots/gadget_dialect.hpp"

namespace aureole::io {

namespace {

using TypeCounts = std::array<std::uint64_t, n_particle_types>;

/// One snapshot on its way into a file.
struct Writer {
    Hdf5File& file;
    const Particles& host;
    const SnapshotContent& content;
    const SnapshotHeader header;  ///< completed
    const TypeCounts counts;
};

/// Particle indices type by type, the given sequence kept inside each.
std::vector<Index> parted_by_type(std::span<const ParticleType> types, const TypeCounts& counts)
{
    TypeCounts next{};
    std::exclusive_scan(counts.begin(), counts.end(), next.begin(), std::uint64_t{0});
    std::vector<Index> order(types.size());
    for (std::size_t i = 0; i < types.size(); ++i) order[next[types[i]]++] = static_cast<Index>(i);
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

template <class T>
void write_column(const Writer& w, const std::string& path, std::span<const Index> order,
                  std::span<const T> values, double scale = 1)
{
    using Stored = std::conditional_t<std::is_same_v<T, Component>, std::int32_t, T>;
    write_field<Stored>(w.file, path, order.size(), 0, [=](std::size_t row, Stored* to) {
        if constexpr (std::is_floating_point_v<T>)
            *to = scale * values[order[row]];
        else
            *to = values[order[row]];
    });
}

void write_vectors(const Writer& w, const std::string& path, std::span<const Index> order,
                   const Vec3Buffer& vectors, double scale)
{
    const auto x = vectors.x.host(), y = vectors.y.host(), z = vectors.z.host();
    write_field<double>(w.file, path, order.size(), 3, [=](std::size_t row, double* to) {
        to[0] = scale * x[order[row]];
        to[1] = scale * y[order[row]];
        to[2] = scale * z[order[row]];
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

    write_vectors(w, group + "/Coordinates", order, w.host.position, scales.length);
    plain("Coordinates", "Positions.", {.length = 1});
    write_vectors(w, group + "/Velocities", order, w.host.velocity, scales.velocity);
    plain("Velocities", "Velocities.", {.velocity = 1});
    write_column(w, group + "/ParticleIDs", order, w.host.id.host());
    plain("ParticleIDs", "Particle identifiers, unique in the file.");
    write_column(w, group + "/Masses", order, w.host.mass.host(), scales.mass);
    plain("Masses", "Particle masses.", {.mass = 1});
    if (w.content.potential) {
        write_column(w, group + "/Potential", order, w.host.potential.host(), scales.potential);
        about("Potential", "Gravitational potentials per unit mass.", {.velocity = 2},
              {.a = w.header.comoving ? -1.0 : 0.0});
    }
    if (w.content.acceleration) {
        write_vectors(w, group + "/Acceleration", order, w.host.acceleration, scales.velocity / scales.time);
        about("Acceleration", "Gravitational accelerations, velocity squared over length.",
              {.length = -1, .velocity = 2}, {.a = w.header.comoving ? -2.0 : 0.0});
    }
    if (!w.content.group.empty()) {
        write_column(w, group + "/FOFGroupIDs", order, w.content.group);
        plain("FOFGroupIDs", "Row of the halo in the catalogue, from 0; -1 outside halos.");
    }
    if (components) {
        write_column(w, group + "/ComponentIDs", order, w.host.component.host());
        plain("ComponentIDs", "Entry of initial_conditions that the particle came from, from 0.");
    }
}

bool several_components(const Particles& host)
{
    const auto components = host.component.host();
    return std::ranges::adjacent_find(components, std::ranges::not_equal_to()) != components.end();
}

}  // namespace

void write_snapshot(const std::filesystem::path& file, const Particles& host, const SnapshotContent& content)
{
    AUREOLE_EXPECT(content.group.empty() || content.group.size() == host.size(),
                   "{}: {} group numbers for {} particles", file.string(), content.group.size(), host.size());
    AtomicFile target(file);
    Hdf5File out = Hdf5File::create(target.temporary(), file);
    if (content.compress) out.compress();
    const Writer writer{out, host, content, completed(content.header), count_by_type(host)};
    write_header(writer);
    write_units(out, *writer.header.units);
    write_parameters(out, writer.header);
    write_softening(writer);
    write_provenance(out, content.provenance, content.scales);

    const std::vector<Index> order = parted_by_type(host.type.host(), writer.counts);
    const bool components = several_components(host);
    std::size_t first = 0;
    for (int type = 0; type < n_particle_types; ++type) {
        const std::size_t n = writer.counts[type];
        if (n > 0) write_type(writer, type, std::span(order).subspan(first, n), components);
        first += n;
    }
    out.close();
    target.commit();
}

}  // namespace aureole::io
