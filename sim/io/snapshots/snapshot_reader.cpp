// read_snapshot(): from the name that a user gives to the reader of the file's format.
#include <algorithm>
#include <fstream>
#include <optional>

#include "sim/core/error.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/mean_density.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"

namespace aureole::io {
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

/// One id that two particles share, if there is any.
std::optional<std::uint64_t> repeated_id(std::span<const std::uint64_t> ids)
{
    const auto [least, greatest] = std::ranges::minmax(ids);
    if (greatest - least < 64 * ids.size()) {  // a bit for each value takes less memory than a sorted copy
        std::vector<bool> seen(greatest - least + 1);
        for (const std::uint64_t id : ids) {
            if (seen[id - least]) return id;
            seen[id - least] = true;
        }
        return std::nullopt;
    }
    std::vector<std::uint64_t> sorted(ids.begin(), ids.end());
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice == sorted.end()) return std::nullopt;
    return *twice;
}

/// Tipsy has G = 1 and text tables say nothing of a box: neither has the units of Gadget.
bool of_gadget_family(const Snapshot& snapshot)
{
    return !snapshot.format.starts_with("tipsy") && !snapshot.format.starts_with("text");
}

}  // namespace

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
    if (snapshot.particles.size() > 0)
        if (const auto id = repeated_id(snapshot.particles.id.host()))
            snapshot.notes.push_back(fmt::format("Ids are not unique ({} occurs more than once).", *id));
    return snapshot;
}

}  // namespace aureole::io
