// The layout stands in gadget_binary_part.cpp, which reads it.
#include <cmath>
#include <limits>
#include <ostream>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/binary_numbers.hpp"
#include "sim/io/snapshots/gadget_binary.hpp"
#include "sim/io/snapshots/gadget_dialect.hpp"

namespace aureole::io {
namespace {

constexpr std::size_t header_bytes = 256;

/// One mass for each type, in the file's unit, where all its particles have the same above 0; else 0.
std::array<double, n_particle_types> common_masses(ConstParticlesView host, double scale)
{
    std::array<double, n_particle_types> masses{};
    std::array<bool, n_particle_types> seen{}, several{};
    for (Index i = 0; i < host.n; ++i) {
        const ParticleType type = host.type_of(i);
        const double mass = scale * host.mass[i];
        several[type] = several[type] || (seen[type] && masses[type] != mass);
        masses[type] = mass;
        seen[type] = true;
    }
    for (std::size_t type = 0; type < masses.size(); ++type)
        if (several[type]) masses[type] = 0;
    return masses;
}

/// Whether all numbers of the blocks are the same in single precision; the header's masses are in double.
bool numbers_fit_floats(ConstParticlesView host, const UnitScales& scales,
                        const std::array<double, n_particle_types>& header_masses)
{
    std::vector<double> stored;
    for (Index i = 0; i < host.n; ++i)
        stored.push_back(header_masses[host.type_of(i)] == 0 ? host.mass[i] : 0);
    host.mass = stored.data();
    return fits_single_precision(host, scales);
}

/// Of a part of a snapshot, type by type.
std::vector<Index> order_in_part(ConstParticlesView host, const SnapshotPart& part)
{
    const std::vector<Index> all = sorted_by_type(host);
    if (part.of == 1) return all;
    std::vector<Index> order;
    auto type_begin = all.begin();
    for (const std::uint64_t n : count_by_type(host)) {
        const IndexRange rows = part.rows(n);
        order.insert(order.end(), type_begin + rows.begin, type_begin + rows.end);
        type_begin += static_cast<std::ptrdiff_t>(n);
    }
    return order;
}

class Writer {
public:
    Writer(const std::filesystem::path& file, ConstParticlesView host, const SnapshotContent& content,
           int format)
        : file_(file),
          p_(host),
          content_(content),
          header_(completed(content.header)),
          format_(format),
          order_(order_in_part(host, content.part)),
          counts_(count_by_type(host)),
          masses_(common_masses(host, content.scales.mass)),
          single_(content.single_precision || numbers_fit_floats(host, content.scales, masses_))
    {
    }

    void write(std::ostream& stream)
    {
        stream_ = &stream;
        write_header();
        const UnitScales& scales = content_.scales;
        write_vectors("POS ", p_.position, scales.length);
        write_vectors("VEL ", p_.velocity, scales.velocity);
        write_ids();
        write_masses(scales.mass);
    }

private:
    template <class T>
    void put(T value) const
    {
        const auto bytes = bytes_of(value, std::endian::little);
        stream_->write(bytes.data(), bytes.size());
    }

    /// The counts about the data that `fill` puts, and in format 2 the label before them.
    template <class Fill>
    void record(const char* label, std::uint64_t bytes, Fill fill) const
    {
        if (bytes > most_gadget_record_bytes)
            throw IoError(fmt::format(
                "{}: block {} takes {} bytes, and a record of Gadget's binary formats holds at "
                "most {}; expected fewer particles, format hdf5, or single precision (convert --single)",
                file_.string(), label, bytes, most_gadget_record_bytes));
        const auto marker = static_cast<std::uint32_t>(bytes);
        if (format_ == 2) {
            put(std::uint32_t{8});
            stream_->write(label, 4);
            put(marker + 8);
            put(std::uint32_t{8});
        }
        put(marker);
        fill();
        put(marker);
    }

    void write_header() const
    {
        record("HEAD", header_bytes, [&] {
            for (const std::uint64_t n : counts_)
                put(static_cast<std::uint32_t>(content_.part.rows(n).size()));
            for (const double mass : masses_) put(mass);
            put(header_.time);
            put(header_.redshift);
            put(std::int32_t{0});  // no star formation
            put(std::int32_t{0});  // no feedback
            for (const std::uint64_t n : counts_) put(static_cast<std::uint32_t>(n));
            put(std::int32_t{0});  // no cooling
            put(static_cast<std::int32_t>(content_.part.of));
            put(header_.box_size);
            put(header_.omega0);
            put(header_.omega_lambda);
            put(header_.hubble);
            for (int flag = 0; flag < 2; ++flag) put(std::int32_t{0});  // no ages, no metals
            for (std::size_t type = 0; type < counts_.size(); ++type) put(std::uint32_t{0});  // high words
            put(std::int32_t{0});                                                             // no entropy
            put(std::int32_t{!single_});  // GADGET-3's flag of double precision
            constexpr std::size_t filled = 200;
            for (std::size_t k = filled; k < header_bytes; ++k) put('\0');
        });
    }

    void put_real(const char* label, Index i, double value) const
    {
        if (!single_) return put(value);
        if (std::abs(value) > double{std::numeric_limits<float>::max()})
            throw IoError(
                fmt::format("{}: block {}: particle {} (id {}) has {}, which single precision cannot hold",
                            file_.string(), label, i, p_.id_of(i), value));
        put(static_cast<float>(value));
    }

    std::uint64_t real_bytes() const { return single_ ? sizeof(float) : sizeof(double); }

    void write_vectors(const char* label, ConstVec3View values, double scale) const
    {
        record(label, 3 * real_bytes() * order_.size(), [&] {
            for (const Index i : order_) {
                const Vec3 vector = values.absent() ? Vec3{} : values.load(i);
                for (const double x : {vector.x, vector.y, vector.z}) put_real(label, i, scale * x);
            }
        });
    }

    void write_ids() const
    {
        bool narrow = true;
        for (Index i = 0; i < p_.n; ++i)
            narrow = narrow && p_.id_of(i) <= std::numeric_limits<std::uint32_t>::max();
        record("ID  ", (narrow ? 4 : 8) * std::uint64_t{order_.size()}, [&] {
            for (const Index i : order_)
                if (narrow)
                    put(static_cast<std::uint32_t>(p_.id_of(i)));
                else
                    put(p_.id_of(i));
        });
    }

    void write_masses(double scale) const
    {
        std::uint64_t n = 0;
        for (std::size_t type = 0; type < counts_.size(); ++type)
            if (masses_[type] == 0) n += content_.part.rows(counts_[type]).size();
        if (n == 0) return;
        record("MASS", real_bytes() * n, [&] {
            for (const Index i : order_)
                if (masses_[p_.type_of(i)] == 0) put_real("MASS", i, scale * p_.mass[i]);
        });
    }

    const std::filesystem::path& file_;
    const ConstParticlesView p_;
    const SnapshotContent& content_;
    const SnapshotHeader header_;
    const int format_;
    const std::vector<Index> order_;
    const std::array<std::uint64_t, n_particle_types> counts_;
    const std::array<double, n_particle_types> masses_;
    const bool single_;
    std::ostream* stream_ = nullptr;
};

}  // namespace

void write_gadget_binary(const std::filesystem::path& file, ConstParticlesView host,
                         const SnapshotContent& given, int format)
{
    const SnapshotContent content = with_exponents(given, -1, 0.5);
    AtomicFile snapshot(file);
    snapshot.write([&](std::ostream& stream) { Writer(file, host, content, format).write(stream); });
    if (content.part.of == 1)
        write_metadata(file, content.provenance);
    else if (content.part.number == 0)  // beside the name of the whole
        write_metadata(std::filesystem::path(file).replace_extension(), content.provenance);
    snapshot.commit();
}

std::vector<std::string> gadget_binary_losses(ConstParticlesView host, const SnapshotContent& given)
{
    const SnapshotContent content = with_exponents(given, -1, 0.5);
    const SnapshotHeader& header = content.header;
    std::vector<std::string> losses;
    const UnitSystem units = header.units.value_or(galactic_units);
    losses.push_back(
        fmt::format("Gadget's binary formats name no units: lengths are in {:.7g} cm{}, masses in {:.7g} "
                    "g{}, velocities in "
                    "{:.7g} cm/s{}.",
                    units.length_cm, header.comoving ? "/h" : "", units.mass_g, header.comoving ? "/h" : "",
                    units.velocity_cm_per_s, header.comoving ? " sqrt(a)" : ""));
    if (header.comoving && header.omega0 == 0 && header.redshift <= 0)
        losses.push_back("The header cannot say that the file is comoving: its redshift and Omega0 are 0.");
    if (header.comoving && header.omega_baryon != 0)
        losses.push_back(fmt::format("The header does not hold OmegaBaryon ({}).", header.omega_baryon));
    for (const double length : content.softening)
        if (length > 0) {
            losses.push_back("The header does not hold softening lengths.");
            break;
        }
    if (content.single_precision &&
        !numbers_fit_floats(host, content.scales, common_masses(host, content.scales.mass)))
        losses.push_back("Numbers are rounded to single precision, to 6e-8 of each.");
    if (has_several_components(host))
        losses.push_back("Gadget's binary formats do not hold the components of the particles.");
    return losses;
}

}  // namespace aureole::io
