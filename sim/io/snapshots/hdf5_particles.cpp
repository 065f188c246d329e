// Values are gathered, scaled, rounded where that is asked for, and written in blocks.
#include "sim/io/snapshots/hdf5_particles.hpp"

#include <algorithm>
#include <numeric>

#include "sim/core/error.hpp"
#include "sim/core/numerics/portable_math.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"

namespace aureole::io {
namespace {

/// The particles of one type on their way into their group.
class TypeWriter {
public:
    TypeWriter(const Hdf5Particles& w, int type, std::span<const Index> order)
        : w_(w),
          group_(fmt::format("/PartType{}", type)),
          order_(order),
          rows_(w.shared ? w.counts[static_cast<std::size_t>(type)] : order.size()),
          first_(w.shared ? w.shared->first[static_cast<std::size_t>(type)] : 0)
    {
        if (makes_file()) w_.file.create_group(group_);
    }

    /// Stores value_of(particle) for each particle.
    template <class T, class Value>
    void column(const char* name, Value value_of)
    {
        const auto order = order_;
        rows<T>(name, 0, [=](std::size_t row, T* to) { *to = value_of(order[row]); });
    }

    void reals(const char* name, const double* values, double scale, int bits)
    {
        column<double>(name, [=](Index i) { return rounded_mantissa(scale * values[i], bits); });
        state_rounding(name, bits);
    }

    void vectors(const char* name, ConstVec3View values, double scale, int bits)
    {
        const auto order = order_;
        rows<double>(name, 3, [=](std::size_t row, double* to) {
            const Vec3 vector = values.load(order[row]);
            to[0] = rounded_mantissa(scale * vector.x, bits);
            to[1] = rounded_mantissa(scale * vector.y, bits);
            to[2] = rounded_mantissa(scale * vector.z, bits);
        });
        state_rounding(name, bits);
    }

    void describe(const char* name, const char* description, Dimension dimension,
                  CosmologicalExponents exponents)
    {
        if (makes_file()) w_.describe(path(name), description, dimension, exponents);
    }
    void describe(const char* name, const char* description, Dimension dimension = {})
    {
        describe(name, description, dimension, exponents_of(dimension, w_.header));
    }

private:
    std::string path(const char* name) const { return group_ + "/" + name; }
    bool makes_file() const { return !w_.shared || !w_.shared->put; }

    /// Rows of the particles that are here.
    template <class T, class Fill>
    void rows(const char* name, std::size_t width, Fill fill)
    {
        if (!w_.shared) return write_field<T>(w_.file, path(name), rows_, width, fill, threads());
        if (makes_file()) {
            Hdf5Dataset dataset = w_.file.create_dataset(path(name), number_type<T>(), rows_, width);
            // the library finds a place for all rows when the first ones are written
            const std::vector<T> nothing(std::max<std::size_t>(width, 1));
            if (order_.empty()) dataset.write_rows(0, std::span<const T>(nothing));
            for_each_block<T>(order_.size(), width, fill, threads(),
                              [&](std::size_t row, std::span<const T> values) {
                                  dataset.write_rows(first_ + row, values);
                              });
            return;
        }
        for_each_block<T>(
            order_.size(), width, fill, threads(), [&](std::size_t row, std::span<const T> values) {
                w_.shared->put(path(name), first_ + row, std::max<std::size_t>(width, 1) * sizeof(T),
                               std::as_bytes(values));
            });
    }
    /// Gathering in another order waits for memory.
    Threads threads() const { return w_.order.empty() ? Threads::one : Threads::all; }
    void state_rounding(const char* name, int bits)
    {
        if (bits < all_mantissa_bits && makes_file())
            w_.file.write_attribute(path(name), mantissa_bits_attribute, std::int32_t{bits});
    }

    const Hdf5Particles& w_;
    const std::string group_;
    const std::span<const Index> order_;
    const std::uint64_t rows_;   ///< of the datasets
    const std::uint64_t first_;  ///< of those that are written here
};

void write_motion(const Hdf5Particles& w, TypeWriter& to)
{
    const SnapshotContent& content = w.content;
    const MantissaBits& bits = content.mantissa_bits;
    const ConstParticlesView& host = w.host;
    to.vectors("Coordinates", host.position, content.scales.length, bits.positions);
    to.describe("Coordinates", "Positions.", {.length = 1});
    if (content.fields.velocities && (w.shared ? w.shared->velocities : !host.velocity.absent())) {
        to.vectors("Velocities", host.velocity, content.scales.velocity, bits.velocities);
        to.describe("Velocities", "Velocities.", {.velocity = 1});
    }
    if (content.fields.ids) {
        to.column<std::uint64_t>("ParticleIDs", [&](Index i) { return host.id_of(i); });
        to.describe("ParticleIDs", "Particle identifiers, unique in the file.");
    }
    if (content.fields.masses) {
        to.reals("Masses", host.mass, content.scales.mass, bits.masses);
        to.describe("Masses", "Particle masses.", {.mass = 1});
    }
}

void write_forces(const Hdf5Particles& w, TypeWriter& to)
{
    const SnapshotContent& content = w.content;
    const UnitScales& scales = content.scales;
    if (content.potential && content.fields.potentials) {
        to.reals("Potential", w.host.potential, scales.potential, content.mantissa_bits.potentials);
        to.describe("Potential", "Gravitational potentials per unit mass.", {.velocity = 2},
                    {.a = w.header.comoving ? -1.0 : 0.0});
    }
    if (content.acceleration) {
        // of comoving runs it is a slope of the potential, whose time is a scale factor
        const double scale =
            w.header.comoving ? scales.potential / scales.length : scales.velocity / scales.time;
        to.vectors("Acceleration", w.host.acceleration, scale, all_mantissa_bits);
        to.describe("Acceleration", "Gravitational accelerations, velocity squared over length.",
                    {.length = -1, .velocity = 2}, {.a = w.header.comoving ? -2.0 : 0.0});
    }
}

void write_memberships(const Hdf5Particles& w, TypeWriter& to, bool components)
{
    if ((w.shared ? w.shared->groups : !w.content.group.empty()) && w.content.fields.groups) {
        to.column<std::int32_t>("FOFGroupIDs", [&](Index i) { return w.content.group[i]; });
        to.describe("FOFGroupIDs", "Row of the halo in the catalogue, from 0; -1 outside halos.");
    }
    if (components) {
        to.column<std::int32_t>("ComponentIDs", [&](Index i) { return w.host.component_of(i); });
        to.describe("ComponentIDs", "Entry of initial_conditions that the particle came from, from 0.");
    }
}

}  // namespace

void expect_complete(const std::filesystem::path& file, ConstParticlesView host,
                     const SnapshotContent& content)
{
    AUREOLE_EXPECT(content.group.empty() || content.group.size() == host.n,
                   "{}: {} group numbers for {} particles", file.string(), content.group.size(), host.n);
    if (host.n == 0) return;  // arrays of nothing are null
    AUREOLE_EXPECT(!content.potential || host.potential, "{}: the particles have no potentials to store",
                   file.string());
    AUREOLE_EXPECT(!content.acceleration || !host.acceleration.absent(),
                   "{}: the particles have no accelerations to store", file.string());
}

std::array<double, n_particle_types> mass_table(const Hdf5Particles& w)
{
    return w.shared ? w.shared->masses : mass_table(w.file.name(), w.host, w.content);
}

std::array<double, n_particle_types> mass_table(const std::filesystem::path& file, ConstParticlesView host,
                                                const SnapshotContent& content)
{
    std::array<double, n_particle_types> masses{};
    if (content.fields.masses) return masses;
    std::array<bool, n_particle_types> seen{};
    for (Index i = 0; i < host.n; ++i) {
        const ParticleType type = host.type_of(i);
        const double mass =
            rounded_mantissa(content.scales.mass * host.mass[i], content.mantissa_bits.masses);
        if (seen[type] && masses[type] != mass)
            throw IoError(
                fmt::format("{}: particles of type {} have several masses ({} and {}), expected `masses` "
                            "among the fields",
                            file.string(), type, masses[type], mass));
        if (mass == 0)
            throw IoError(
                fmt::format("{}: particle {} (id {}) has mass 0, which the mass table of the header "
                            "cannot state; expected `masses` among the fields",
                            file.string(), i, host.id_of(i)));
        masses[type] = mass;
        seen[type] = true;
    }
    return masses;
}

/// GADGET-4 sorts softening lengths into classes; equal lengths share one, and that of PartType1 is class 0.
void write_softening(const Hdf5Particles& w)
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

namespace {

/// Particles type by type, in w.order inside each.
std::vector<Index> order_in_file(const Hdf5Particles& w)
{
    if (w.order.empty()) return sorted_by_type(w.host);
    if (std::ranges::count(w.counts, 0u) == n_particle_types - 1) return {w.order.begin(), w.order.end()};
    std::array<std::uint64_t, n_particle_types> next{};
    std::exclusive_scan(w.counts.begin(), w.counts.end(), next.begin(), std::uint64_t{0});
    std::vector<Index> order(w.host.n);
    for (const Index i : w.order) order[next[w.host.type_of(i)]++] = i;
    return order;
}

}  // namespace

void write_particle_types(const Hdf5Particles& w)
{
    const std::vector<Index> order = order_in_file(w);
    const bool components =
        w.content.fields.components && (w.shared ? w.shared->components : has_several_components(w.host));
    const auto here = w.shared ? count_by_type(w.host) : w.counts;
    std::size_t first = 0;
    for (int type = 0; type < n_particle_types; ++type) {
        const IndexRange rows =
            w.shared ? IndexRange{0, static_cast<Index>(here[type])} : w.content.part.rows(w.counts[type]);
        const std::size_t begin = first + rows.begin;
        first += here[type];
        if (w.shared ? w.counts[type] == 0 : rows.size() == 0) continue;
        TypeWriter to(w, type, std::span(order).subspan(begin, rows.size()));
        write_motion(w, to);
        write_forces(w, to);
        write_memberships(w, to, components);
    }
}

}  // namespace aureole::io
