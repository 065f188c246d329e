#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/snapshots/tipsy.hpp"
#include "sim/io/snapshots/tipsy_layout.hpp"
#include "sim/io/snapshots/tipsy_param.hpp"

namespace aureole::io {
namespace {

/// The bytes of a number in the "standard" order, big-endian.
template <class T>
std::array<char, sizeof(T)> standard_bytes(T value)
{
    auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
    if constexpr (std::endian::native == std::endian::little) std::ranges::reverse(bytes);
    return bytes;
}

template <class T>
void put(std::ostream& stream, T value)
{
    const auto bytes = standard_bytes(value);
    stream.write(bytes.data(), bytes.size());
}

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

    void write(std::ostream& stream, const Sequence& sequence) const
    {
        put(stream, content_.header.time * scales_.time);
        put(stream, static_cast<std::int32_t>(p_.n));
        put(stream, std::int32_t{3});
        for (const auto& members : sequence.members) put(stream, static_cast<std::int32_t>(members.size()));
        put(stream, std::int32_t{0});
        for (std::size_t kind = 0; kind < tipsy_kinds.size(); ++kind)
            for (const Index i : sequence.members[kind]) put_record(stream, tipsy_kinds[kind], i);
    }

private:
    void put_record(std::ostream& stream, const TipsyKind& kind, Index i) const
    {
        std::array<char, 12 * sizeof(float)> record;
        std::size_t k = 0;
        const auto append = [&](const char* name, double value) {
            if (!(std::abs(value) <= double{std::numeric_limits<float>::max()}))
                throw IoError(
                    fmt::format("{}: particle {} (id {}) has {} = {}, which single precision cannot hold",
                                file_.string(), i, p_.id_of(i), name, value));
            std::ranges::copy(standard_bytes(static_cast<float>(value)),
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
        stream.write(record.data(), static_cast<std::streamsize>(kind.width * sizeof(float)));
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

/// Writes ids as big-endian int32, as other codes do, or as text when an id needs more bits; readers of these
/// codes take both.
void write_ids(std::ostream& stream, ConstParticlesView host, const Sequence& sequence)
{
    constexpr std::uint64_t largest = std::numeric_limits<std::int32_t>::max();
    bool small = true;
    for (Index i = 0; i < host.n; ++i) small = small && host.id_of(i) <= largest;
    if (small)
        put(stream, static_cast<std::int32_t>(host.n));
    else
        stream << fmt::format("{}\n", host.n);  // without digit grouping in every locale
    for (const auto& members : sequence.members)
        for (const Index i : members)
            if (small)
                put(stream, static_cast<std::int32_t>(host.id_of(i)));
            else
                stream << fmt::format("{}\n", host.id_of(i));
}

}  // namespace

TipsyFiles tipsy_files(const std::filesystem::path& snapshot)
{
    return {snapshot, snapshot.string() + ".iord",
            std::filesystem::path(snapshot).replace_extension(".param")};
}

void write_tipsy(const std::filesystem::path& file, ConstParticlesView host, const SnapshotContent& content)
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
    snapshot.write([&](std::ostream& stream) { RecordWriter(file, host, content).write(stream, sequence); });
    iord.write([&](std::ostream& stream) { write_ids(stream, host, sequence); });
    param.write([&](std::ostream& stream) {
        stream << to_comments(content.provenance) << to_param_text(content.header, file.stem().string());
    });
    param.commit();
    iord.commit();
    snapshot.commit();
}

}  // namespace aureole::io
