// The container of a checkpoint: named sections of bytes, every one of them under a checksum. All numbers are
// little-endian. Nothing lies between the parts, so that checksums cover every bit of the file.
//
//     header    64 bytes   magic "AUREOLE-CHECKPT\n" (16), byte order mark 0x01020304 (u32), version (u32),
//                          bytes of a real number (u32), number of sections (u32), bytes of the whole file
//                          (u64), zeros (16), checksum of the bytes before this one with that of the table as
//                          seed (u64)
//     table     64 bytes a section: name padded with zeros (40), first byte in the file (u64), bytes (u64),
//                          checksum of the section (u64)
//     sections  one behind the other, in the order of the table
//
// The checksum is XXH3 (Collet, at the speed of memory); in version 3 of the format, which is read too, it
// was CRC-64/XZ, and the header's went on from the table's. Written under a temporary name, synced and
// renamed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace aureole::io {

// CRC-64/XZ: the polynomial of ECMA-182, reflected, initial value and final exclusive or all ones (its check
// value, of the digits 123456789, is 995dc9bbdf1939fa). Finds every burst of up to 64 wrong bits, and
// anything else but for one case in 2^64. The implementation takes eight bytes at a time (Kounavis & Berry
// 2008).

/// The checksum of `bytes`; `so_far` is the checksum of the bytes before them, 0 at the beginning.
std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t so_far = 0);

/// XXH3 of 64 bits with `seed`, as the library of that name gives it on every machine. It misses one damage
/// in 2^64.
std::uint64_t xxh3(std::span<const std::byte> bytes, std::uint64_t seed = 0);

inline constexpr std::uint32_t checkpoint_version = 4;
/// The oldest that is read: the same with CRC-64.
inline constexpr std::uint32_t oldest_checkpoint_version = 3;

struct CheckpointSection {
    std::string name;  ///< at most 39 characters
    std::span<const std::byte> bytes;
};

/// Writes `file`; the file that stood there is kept under the name `previous`, where that is not empty, and
/// lost otherwise. Returns CheckpointFile::checksum() of it. Throws IoError naming the file; then both files
/// are as they were. `before_rename` is called once all bytes are on the disk and
/// before the file gets its name; what it throws leaves both files as they were, too.
std::uint64_t write_checkpoint_file(const std::filesystem::path& file, const std::filesystem::path& previous,
                                    std::span<const CheckpointSection> sections,
                                    const std::function<void()>& before_rename = {});

/// Whether a file begins as checkpoints do.
bool is_checkpoint(const std::filesystem::path& file);

class CheckpointFile {
public:
    /// Reads and verifies header and table. Throws IoError saying what is wrong: no checkpoint, of another
    /// version, byte order or precision, cut off, damaged.
    explicit CheckpointFile(const std::filesystem::path& file);

    /// That of the header, which covers the checksums of all sections.
    std::uint64_t checksum() const noexcept { return checksum_; }

    bool contains(const std::string& name) const
    {
        return std::ranges::find(table_, name, &Entry::name) != table_.end();
    }

    /// Bytes of a section; throws IoError when there is none of that name.
    std::uint64_t size(const std::string& name) const { return find(name).bytes; }

    /// The whole section, as many bytes as `to` has; throws IoError when it holds another number of bytes or
    /// its checksum is wrong.
    void read(const std::string& name, std::span<std::byte> to);

private:
    struct Entry {
        std::string name;
        std::uint64_t first = 0, bytes = 0, checksum = 0;
    };
    void read_header(std::uint64_t bytes_found);
    const Entry& find(const std::string& name) const;

    std::string name_;
    std::ifstream stream_;
    std::vector<Entry> table_;
    std::uint32_t version_ = checkpoint_version;
    std::uint64_t checksum_ = 0;
};

}  // namespace aureole::io
