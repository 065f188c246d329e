#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ostream>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/binary_numbers.hpp"
#include "sim/io/snapshots/tipsy.hpp"
#include "sim/io/snapshots/tipsy_layout.hpp"

namespace aureole::io {
namespace {

/// A file of one byte order.
struct Output {
    std::ostream& stream;
    std::endian order;

    template <class T>
    void put(T value) const
    {
        const auto bytes = bytes_of(value, order);
        stream.write(bytes.data(), bytes.size());
    }
};

/// Particles of each kind in the order of the file.
struct Sequence {
    std::array<std::vector<Index>, tipsy_kinds.size()> members;

    explicit Sequence(ConstParticlesView host)
    {
        for (Index i = 0; i < host.n; ++i) {
            const ParticleType type = host.type_of(i);
            members[type == 0 ? 0 : type == 4 ? 2 : 1].push_back(i);
        }
    }
};

/// Factors from the particles' numbers to tipsy's.
struct TipsyScales {
    double length, mass, velocity, potential, time;

    TipsyScales(const SnapshotHeader& header, const UnitScales& scales)
    {
        const UnitSystem units = tipsy_units(header);
        const double velocity_unit = header.units->velocity_cm_per_s / units.velocity_cm_per_s;
        length = scales.length;
        mass = scales.mass;
        // header.time is in the header's units; in comoving files it is the scale factor, and velocities are
        // v_pec / sqrt(a).
        time = header.comoving ? 1 : header.units->time_s() / units.time_s();
        const double a_factor = header.comoving ? std::pow(header.time, header.velocity_a_exponent - 1) : 1;
        velocity = scales.velocity * velocity_unit * a_factor;
        potential = scales.potential * velocity_unit * velocity_unit;
    }
};

class RecordWriter {
public:
    RecordWriter(const std::filesystem::path& file, ConstParticlesView host, const SnapshotContent& content)
        : file_(file), p_(host), content_(content), scales_(content.header, content.scales)
    {
    }

    void write(const Output& out, const Sequence& sequence) const
    {
        out.put(content_.header.time * scales_.time);
        out.put(static_cast<std::int32_t>(p_.n));
        out.put(std::int32_t{3});
        for (const auto& members : sequence.members) out.put(static_cast<std::int32_t>(members.size()));
        out.put(std::int32_t{0});
        for (std::size_t kind = 0; kind < tipsy_kinds.size(); ++kind)
            for (const Index i : sequence.members[kind]) put_record(out, tipsy_kinds[kind], i);
    }

private:
    void put_record(const Output& out, const TipsyKind& kind, Index i) const
    {
        std::array<char, 12 * sizeof(float)> record;
        std::size_t k = 0;
        const auto append = [&](const char* name, double value) {
            if (!(std::abs(value) <= double{std::numeric_limits<float>::max()}))
                throw IoError(
                    fmt::format("{}: particle {} (id {}) has {} = {}, which single precision cannot hold",
                                file_.string(), i, p_.id_of(i), name, value));
            std::ranges::copy(bytes_of(static_cast<float>(value), out.order),
                              record.begin() + k++ * sizeof(float));
        };
        const Vec3 x = p_.position.load(i), v = p_.velocity.absent() ? Vec3{} : p_.velocity.load(i);
        append("mass", p_.mass[i] * scales_.mass);
        append("x", x.x * scales_.length);
        append("y", x.y * scales_.length);
        append("z", x.z * scales_.length);
        append("vx", v.x * scales_.velocity);
        append("vy", v.y * scales_.velocity);
        append("vz", v.z * scales_.velocity);
        while (k < kind.width) {
            const char* name = kind.further[k - tipsy_common_floats];
            append(name, further(name, i));
        }
        out.stream.write(record.data(), static_cast<std::streamsize>(kind.width * sizeof(float)));
    }

    /// Smoothing and softening length, potential; 0 for what the particles do not carry.
    double further(std::string_view name, Index i) const
    {
        if (name == "phi") return content_.potential ? p_.potential[i] * scales_.potential : 0;
        if (name == "eps" || name == "hsmooth") return content_.softening[p_.type_of(i)] * scales_.length;
        return 0;
    }

    const std::filesystem::path& file_;
    const ConstParticlesView p_;
    const SnapshotContent& content_;
    TipsyScales scales_;
};

/// Writes ids as int32, as other codes do, or as text when an id needs more bits; readers of these codes take
/// both.
void write_ids(const Output& out, ConstParticlesView host, const Sequence& sequence)
{
    constexpr std::uint64_t largest = std::numeric_limits<std::int32_t>::max();
    bool small = true;
    for (Index i = 0; i < host.n; ++i) small = small && host.id_of(i) <= largest;
    if (small)
        out.put(static_cast<std::int32_t>(host.n));
    else
        out.stream << fmt::format("{}\n", host.n);  // without digit grouping in every locale
    for (const auto& members : sequence.members)
        for (const Index i : members)
            if (small)
                out.put(static_cast<std::int32_t>(host.id_of(i)));
            else
                out.stream << fmt::format("{}\n", host.id_of(i));
}

}  // namespace

TipsyFiles tipsy_files(const std::filesystem::path& snapshot)
{
    return {snapshot, snapshot.string() + ".iord",
            std::filesystem::path(snapshot).replace_extension(".param")};
}

std::vector<std::string> tipsy_losses(ConstParticlesView host, const SnapshotContent& content)
{
    std::vector<std::string> losses;
    const auto counts = count_by_type(host);
    if (counts[2] + counts[3] + counts[5] > 0)
        losses.push_back(
            "Tipsy knows gas, dark matter and stars only: particles of types 2, 3 and 5 become dark matter, "
            "type 1.");
    const TipsyScales scales(content.header, content.scales);
    if (!fits_single_precision(host,
                               {.length = scales.length, .mass = scales.mass, .velocity = scales.velocity}))
        losses.push_back("Tipsy holds single precision: numbers are rounded, to 6e-8 of each.");
    if (content.header.comoving && content.header.omega_baryon != 0)
        losses.push_back(fmt::format("Tipsy does not hold OmegaBaryon ({}).", content.header.omega_baryon));
    if (has_several_components(host))
        losses.push_back("Tipsy does not hold the components of the particles.");
    return losses;
}

void write_tipsy(const std::filesystem::path& file, ConstParticlesView host, const SnapshotContent& content,
                 std::endian order)
{
    AUREOLE_EXPECT(content.header.units.has_value(),
                   "{}: the header has no units, which tipsy needs; expected units of length and mass",
                   file.string());
    AUREOLE_EXPECT(!content.header.comoving || content.header.time > 0,
                   "{}: the scale factor of a comoving snapshot is {}, expected more than 0", file.string(),
                   content.header.time);
    if (host.n == 0 || host.n > Index{std::numeric_limits<std::int32_t>::max()})
        throw IoError(fmt::format("{}: {} particles, tipsy holds 1 to 2^31 - 1", file.string(), host.n));
    const TipsyFiles files = tipsy_files(file);
    if (files.parameters == file)
        throw IoError(
            fmt::format("{}: the extension .param is that of the file with the units, expected "
                        "another name for the snapshot",
                        file.string()));

    const Sequence sequence(host);
    AtomicFile snapshot(file), iord(files.ids), param(files.parameters);
    snapshot.write([&](std::ostream& stream) {
        RecordWriter(file, host, content).write({stream, order}, sequence);
    });
    iord.write([&](std::ostream& stream) { write_ids({stream, order}, host, sequence); });
    param.write([&](std::ostream& stream) {
        stream << to_comments(content.provenance) << to_param_text(content.header, file.stem().string());
    });
    param.commit();
    iord.commit();
    snapshot.commit();
}

}  // namespace aureole::io
