#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <ostream>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/disk_room.hpp"
#include "sim/io/snapshots/tipsy.hpp"
#include "sim/io/snapshots/tipsy_layout.hpp"
#include "sim/io/snapshots/tipsy_param.hpp"

namespace aureole::io {
namespace {

/// Writes `target` by write(stream) under a temporary name; the caller commits.
template <class Write>
void write_file(const std::filesystem::path& target, const AtomicFile& file, Write write)
{
    errno = 0;
    std::ofstream stream(file.temporary(), std::ios::binary | std::ios::trunc);
    write(stream);
    stream.close();
    if (!stream)
        throw IoError(
            fmt::format("{}: cannot be written: {}", target.string(), write_failure(file.temporary())));
}

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

/// Particles in the sequence of the file, and how many of each kind.
struct Sequence {
    std::array<std::vector<Index>, tipsy_kinds.size()> members;

    explicit Sequence(std::span<const ParticleType> types)
    {
        for (std::size_t i = 0; i < types.size(); ++i)
            members[types[i] == 0 ? 0 : types[i] == 4 ? 2 : 1].push_back(static_cast<Index>(i));
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
        // header.time is in the header's units; comoving it is the scale factor, and velocities are v_pec /
        // sqrt(a)
        time = header.comoving ? 1 : header.units->time_s() / units.time_s();
        const double a_factor = header.comoving ? std::pow(header.time, header.velocity_a_exponent - 1) : 1;
        velocity = scales.velocity * velocity_unit * a_factor;
        potential = scales.potential * velocity_unit * velocity_unit;
    }
};

class RecordWriter {
public:
    RecordWriter(const std::filesystem::path& file, const Particles& host, const SnapshotContent& content)
        : file_(file), p_(host), content_(content), scales_(content.header, content.scales)
    {
    }

    void write(std::ostream& stream, const Sequence& sequence) const
    {
        put(stream, content_.header.time * scales_.time);
        put(stream, static_cast<std::int32_t>(p_.size()));
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
                                file_.string(), i, p_.id.host()[i], name, value));
            std::ranges::copy(standard_bytes(static_cast<float>(value)),
                              record.begin() + k++ * sizeof(float));
        };
        append("mass", p_.mass.host()[i] * scales_.mass);
        append("x", p_.position.x.host()[i] * scales_.length);
        append("y", p_.position.y.host()[i] * scales_.length);
        append("z", p_.position.z.host()[i] * scales_.length);
        append("vx", p_.velocity.x.host()[i] * scales_.velocity);
        append("vy", p_.velocity.y.host()[i] * scales_.velocity);
        append("vz", p_.velocity.z.host()[i] * scales_.velocity);
        while (k < kind.width) {
            const char* name = kind.further[k - tipsy_common_floats];
            append(name, further(name, i));
        }
        stream.write(record.data(), static_cast<std::streamsize>(kind.width * sizeof(float)));
    }

    /// Smoothing and softening length, potential; 0 for what the particles do not carry.
    double further(std::string_view name, Index i) const
    {
        if (name == "phi") return content_.potential ? p_.potential.host()[i] * scales_.potential : 0;
        if (name == "eps" || name == "hsmooth") return content_.softening[p_.type.host()[i]] * scales_.length;
        return 0;
    }

    const std::filesystem::path& file_;
    const Particles& p_;
    const SnapshotContent& content_;
    TipsyScales scales_;
};

/// Big-endian int32 as the other codes write them; as text, which their readers take too, when an id needs
/// more.
void write_ids(std::ostream& stream, const Particles& host, const Sequence& sequence)
{
    const auto ids = host.id.host();
    const bool small = std::ranges::all_of(
        ids, [](std::uint64_t id) { return id <= std::uint64_t{std::numeric_limits<std::int32_t>::max()}; });
    if (small)
        put(stream, static_cast<std::int32_t>(ids.size()));
    else
        stream << fmt::format("{}\n", ids.size());  // never grouped, whatever the locale
    for (const auto& members : sequence.members)
        for (const Index i : members)
            if (small)
                put(stream, static_cast<std::int32_t>(ids[i]));
            else
                stream << fmt::format("{}\n", ids[i]);
}

}  // namespace

void write_tipsy(const std::filesystem::path& file, const Particles& host, const SnapshotContent& content)
{
    AUREOLE_EXPECT(content.header.units.has_value(), "{}: tipsy needs units to write", file.string());
    AUREOLE_EXPECT(!content.header.comoving || content.header.time > 0,
                   "{}: a comoving snapshot at scale factor {}", file.string(), content.header.time);
    if (host.size() == 0 || host.size() > std::size_t{std::numeric_limits<std::int32_t>::max()})
        throw IoError(fmt::format("{}: {} particles, tipsy holds 1 to 2^31 - 1", file.string(), host.size()));
    const std::filesystem::path param_name = tipsy_param_name(file), iord_name = file.string() + ".iord";
    if (param_name == file)
        throw IoError(fmt::format("{}: .param is the name of the units' file", file.string()));

    const Sequence sequence(host.type.host());
    AtomicFile snapshot(file), iord(iord_name), param(param_name);
    write_file(file, snapshot,
               [&](std::ostream& stream) { RecordWriter(file, host, content).write(stream, sequence); });
    write_file(iord_name, iord, [&](std::ostream& stream) { write_ids(stream, host, sequence); });
    write_file(param_name, param, [&](std::ostream& stream) {
        stream << to_comments(content.provenance) << to_param_text(content.header, file.stem().string());
    });
    param.commit();
    iord.commit();
    snapshot.commit();
}

}  // namespace aureole::io
