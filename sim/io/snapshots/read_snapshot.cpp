// The front door for files: tells the formats apart by content and hands over.
#include <algorithm>
#include <fstream>
#include <optional>

#include "sim/core/error.hpp"
#include "sim/io/snapshots/gadget_binary.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "sim/io/snapshots/text_table.hpp"
#include "sim/io/snapshots/tipsy.hpp"

namespace aureole::io {
namespace {

/// `file`, or the first part of the binary snapshot of several files that has this base name.
std::filesystem::path first_file(const std::filesystem::path& file)
{
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

/// The file's first bytes as numbers and as characters, for people who know their formats.
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
    const bool packed =
        seen.starts_with("1f 8b") || seen.starts_with("42 5a 68") || seen.starts_with("fd 37 7a");
    throw IoError(
        fmt::format("{}: no known format; it begins with {}{}. Known are Gadget HDF5 (GADGET-4, AREPO, SWIFT "
                    "style), Gadget binary "
                    "(formats 1 and 2), tipsy (standard and native) and text tables (id m x y z vx vy vz)",
                    file.string(), seen, packed ? ", as compressed files do: unpack it first" : ""));
}

/// tipsy and Gadget headers are both a few small integers, so a tipsy file has to fit its size before it is
/// taken for one, and a damaged one is recognised last.
Snapshot read_by_content(const std::filesystem::path& file)
{
    if (is_tipsy(file)) return read_tipsy(file);
    if (is_gadget_binary(file)) return read_gadget_binary(file);
    if (has_tipsy_header(file)) return read_tipsy(file);
    if (is_text(file)) return read_text_table(file);
    refuse_format(file);
}

/// One id that two particles share, if there is any.
std::optional<std::uint64_t> repeated_id(std::span<const std::uint64_t> ids)
{
    const auto [least, greatest] = std::ranges::minmax(ids);
    if (greatest - least < 64 * ids.size()) {  // as nearly always: a bit per value is less than a sorted copy
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

}  // namespace

Snapshot read_snapshot(const std::filesystem::path& file)
{
    Snapshot snapshot;
    if (is_hdf5(file)) {  // base names among them
        snapshot = read_gadget_hdf5(file);
    } else {
        const std::filesystem::path first = first_file(file);
        std::error_code error;
        if (std::filesystem::file_size(first, error) == 0 && !error)
            throw IoError(fmt::format("{}: the file is empty", first.string()));
        snapshot = read_by_content(first);
    }
    // codes that spawn particles give children their parent's id, so this is no damage
    if (snapshot.particles.size() > 0)
        if (const auto id = repeated_id(snapshot.particles.id.host()))
            snapshot.notes.push_back(fmt::format("Ids are not unique ({} occurs more than once).", *id));
    return snapshot;
}

}  // namespace aureole::io
