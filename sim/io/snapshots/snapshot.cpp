#include "sim/io/snapshots/snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <optional>

#include "sim/core/error.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/mean_density.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"

namespace aureole::io {

Particles new_particles(std::size_t n, const SnapshotArrays& arrays)
{
    AUREOLE_EXPECT(n <= max_particles, "{} particles are more than one set holds ({})", n, max_particles);
    if (arrays.positions && arrays.velocities && arrays.components && arrays.forces)
        return Particles(Backend::cpu, n);
    const auto filled = []<class T>(Buffer<T>& array, std::size_t size, T value) {
        array = Buffer<T>(Backend::cpu, size);
        std::ranges::fill(array.host(), value);
    };
    const auto zeros = [&](Vec3Buffer& vectors) {
        for (auto* axis : {&vectors.x, &vectors.y, &vectors.z}) filled(*axis, n, 0.0);
    };
    Particles particles;
    filled(particles.mass, n, 0.0);
    filled(particles.type, n, ParticleType{1});
    filled(particles.id, n, std::uint64_t{0});
    std::iota(particles.id.host().begin(), particles.id.host().end(), std::uint64_t{1});
    if (arrays.velocities) zeros(particles.velocity);
    if (arrays.positions) zeros(particles.position);
    if (arrays.components) filled(particles.component, n, Component{0});
    if (!arrays.forces) return particles;
    zeros(particles.acceleration);
    filled(particles.potential, n, 0.0);
    return particles;
}

std::array<std::uint64_t, n_particle_types> count_by_type(ConstParticlesView host)
{
    std::array<std::uint64_t, n_particle_types> counts{};
    for (Index i = 0; i < host.n; ++i) {
        const ParticleType type = host.type_of(i);
        AUREOLE_EXPECT(type < n_particle_types, "particle type {}, expected 0 to {}", type,
                       n_particle_types - 1);
        ++counts[type];
    }
    return counts;
}

void restore_nbody_numbers(Snapshot& snapshot)
{
    if (!snapshot.header.nbody_scales) return;
    const UnitScales& scales = *snapshot.header.nbody_scales;
    const auto divide = [](Buffer<double>& values, double scale) {
        if (scale == 1) return;
        for (double& value : values.host()) {
            if (std::isfinite(value) && !std::isfinite(value / scale))
                throw IoError(fmt::format(
                    "/Provenance says that numbers of the run were multiplied by {}, but {} divided by it "
                    "is not finite; expected the provenance of the file's own run",
                    scale, value));
            value /= scale;
        }
    };
    Particles& host = snapshot.particles;
    divide(host.mass, scales.mass);
    for (auto* axis : {&host.position.x, &host.position.y, &host.position.z}) divide(*axis, scales.length);
    for (auto* axis : {&host.velocity.x, &host.velocity.y, &host.velocity.z}) divide(*axis, scales.velocity);
    if (snapshot.softening)
        for (double& length : snapshot.softening->length) length /= scales.length;
    snapshot.header.time /= scales.time;
    snapshot.header.box_size /= scales.length;
}

void complete_scale_factor(SnapshotHeader& header, std::optional<double> scale_factor,
                           std::optional<double> redshift, const std::string& file,
                           std::vector<std::string>& notes)
{
    constexpr double tolerance = 1e-3;  // headers are rounded by hand, too
    if (redshift && *redshift <= -1)
        throw IoError(fmt::format("{}: Redshift is {}, expected more than -1", file, *redshift));
    const bool possible = scale_factor && *scale_factor > 0 && *scale_factor <= 1 + tolerance;
    if (!redshift && !possible) {
        notes.push_back(fmt::format(
            "The file has no Redshift and {}; redshift 0 was taken.",
            scale_factor ? fmt::format("Time = {} is no scale factor", *scale_factor) : "no Time"));
        redshift = 0;
        scale_factor.reset();
    }
    header.redshift = redshift ? *redshift : 1 / *scale_factor - 1;
    header.time = scale_factor ? *scale_factor : 1 / (1 + header.redshift);
    if (std::abs(header.time * (1 + header.redshift) - 1) > tolerance)
        notes.push_back(
            fmt::format("Time = {} and Redshift = {} contradict each other, expected Time = {:.6g} in a "
                        "comoving file; both "
                        "were kept.",
                        header.time, header.redshift, 1 / (1 + header.redshift)));
}

// read_snapshot(): from the name that a user gives to the reader of the file's format.

namespace {

/// The file that a user's name leads to: the file itself, or the first part of the snapshot with this base
/// name.
std::filesystem::path first_file(const std::filesystem::path& file)
{
    if (const auto hdf5 = hdf5_file_of(file)) return *hdf5;
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored))
        throw IoError(fmt::format("{}: is a directory, expected a snapshot file", file.string()));
    if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
        throw IoError(fmt::format("{}: is a device or a pipe, expected a snapshot file", file.string()));
    if (std::filesystem::exists(file, ignored)) return file;
    const std::filesystem::path part = file.string() + ".0";
    if (std::filesystem::is_regular_file(part, ignored)) return part;
    throw IoError(
        fmt::format("{}: no such file, nor {} as the first of several", file.string(), part.string()));
}

/// The file's first bytes as numbers and as characters, by which many formats can be told.
std::string first_bytes(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    std::array<char, 16> bytes;
    stream.read(bytes.data(), bytes.size());
    std::string numbers, characters;
    for (std::streamsize k = 0; k < stream.gcount(); ++k) {
        const auto byte = static_cast<unsigned char>(bytes[static_cast<std::size_t>(k)]);
        numbers += fmt::format("{}{:02x}", k > 0 ? " " : "", byte);
        characters += byte >= ' ' && byte <= '~' ? static_cast<char>(byte) : '.';
    }
    return fmt::format("{} ('{}')", numbers, characters);
}

[[noreturn]] void refuse_format(const std::filesystem::path& file)
{
    const std::string seen = first_bytes(file);
    const bool compressed =
        seen.starts_with("1f 8b") || seen.starts_with("42 5a 68") || seen.starts_with("fd 37 7a");
    throw IoError(fmt::format("{}: no known format; it begins with {}{}. Known are {}", file.string(), seen,
                              compressed ? ", as compressed files do: decompress it first" : "",
                              known_snapshot_formats()));
}

Snapshot read_by_content(const std::filesystem::path& file, const SnapshotArrays& arrays)
{
    const SnapshotReading* likely = nullptr;
    for (const SnapshotFormat& format : snapshot_formats().entries()) {
        if (!format.reading.read) continue;
        const Recognition found = format.reading.recognise(file);
        if (found == Recognition::certain) return format.reading.read(file, arrays);
        if (found == Recognition::likely && !likely) likely = &format.reading;
    }
    if (!likely) refuse_format(file);
    return likely->read(file, arrays);
}

}  // namespace

std::optional<std::uint64_t> repeated_id(std::span<const std::uint64_t> ids)
{
    if (ids.empty()) return std::nullopt;
    const auto [least, greatest] = std::ranges::minmax(ids);
    if (greatest - least < 64 * ids.size()) {  // a bit for each value takes less memory than a sorted copy
        std::vector<bool> seen(greatest - least + 1);
        std::optional<std::uint64_t> found;
        for (const std::uint64_t id : ids) {
            if (seen[id - least]) found = std::min(found.value_or(id), id);
            seen[id - least] = true;
        }
        return found;
    }
    std::vector<std::uint64_t> sorted(ids.begin(), ids.end());
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice == sorted.end()) return std::nullopt;
    return *twice;
}

std::string repeated_id_note(std::uint64_t id)
{
    return fmt::format("Ids are not unique ({} occurs more than once).", id);
}

bool of_gadget_family(const Snapshot& snapshot)
{
    return !snapshot.format.starts_with("tipsy") && !snapshot.format.starts_with("text");
}

Snapshot read_snapshot(const std::filesystem::path& file) { return read_snapshot(file, {}); }

Snapshot read_snapshot(const std::filesystem::path& file, const SnapshotArrays& arrays)
{
    const std::filesystem::path first = first_file(file);
    std::error_code error;
    if (std::filesystem::file_size(first, error) == 0 && !error)
        throw IoError(fmt::format("{}: the file is empty", first.string()));
    Snapshot snapshot = read_by_content(first, arrays);
    snapshot.file = first;
    if (!arrays.positions) return snapshot;
    if (of_gadget_family(snapshot)) decide_units(snapshot);
    // Codes that spawn particles give children the id of their parent, so repeated ids are no damage.
    if (const auto id = repeated_id(snapshot.particles.id.host()))
        snapshot.notes.push_back(repeated_id_note(*id));
    return snapshot;
}

}  // namespace aureole::io
