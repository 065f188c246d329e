#include "sim/io/checkpoint_file.hpp"

#define XXH_INLINE_ALL
#include <xxhash/xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"

namespace aureole::io {
namespace {

constexpr std::uint64_t reflected_polynomial = 0xc96c5795d7870f42;

using Tables = std::array<std::array<std::uint64_t, 256>, 8>;

/// Table k holds the change of the remainder by a byte that k more bytes follow.
constexpr Tables make_tables()
{
    Tables tables{};
    for (std::uint64_t byte = 0; byte < 256; ++byte) {
        std::uint64_t remainder = byte;
        for (int bit = 0; bit < 8; ++bit)
            remainder = (remainder >> 1) ^ ((remainder & 1) ? reflected_polynomial : 0);
        tables[0][byte] = remainder;
    }
    for (std::size_t k = 1; k < 8; ++k)
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint64_t before = tables[k - 1][byte];
            tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
        }
    return tables;
}

constexpr Tables tables = make_tables();

}  // namespace

std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t so_far)
{
    static_assert(std::endian::native == std::endian::little, "eight bytes are read as one word");
    std::uint64_t remainder = ~so_far;
    std::size_t i = 0;
    for (; i + 8 <= bytes.size(); i += 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data() + i, 8);
        word ^= remainder;
        remainder = 0;
        for (int k = 0; k < 8; ++k)
            remainder ^= tables[static_cast<std::size_t>(7 - k)][(word >> 8 * k) & 0xff];
    }
    for (; i < bytes.size(); ++i)
        remainder =
            (remainder >> 8) ^ tables[0][(remainder ^ std::to_integer<std::uint64_t>(bytes[i])) & 0xff];
    return ~remainder;
}

std::uint64_t xxh3(std::span<const std::byte> bytes, std::uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

namespace {

constexpr char magic[] = "AUREOLE-CHECKPT\n";
constexpr std::uint32_t byte_order_mark = 0x01020304;
constexpr std::uint32_t most_sections = 4096;

struct Header {
    std::array<char, 16> magic{};
    std::uint32_t byte_order = byte_order_mark, version = checkpoint_version, real_bytes = sizeof(double);
    std::uint32_t n_sections = 0;
    std::uint64_t file_bytes = 0;
    std::array<std::uint64_t, 2> zeros{};
    std::uint64_t checksum = 0;  ///< of the table and of what goes before in the header
};
struct TableRow {
    std::array<char, 40> name{};
    std::uint64_t first = 0, bytes = 0, checksum = 0;
};
static_assert(sizeof(Header) == 64 && sizeof(TableRow) == 64);

std::span<const std::byte> bytes_of(const std::vector<TableRow>& table)
{
    return std::as_bytes(std::span(table));
}

std::uint64_t checksum(std::uint32_t version, std::span<const std::byte> bytes, std::uint64_t seed = 0)
{
    return version == oldest_checkpoint_version ? crc64(bytes, seed) : xxh3(bytes, seed);
}

std::uint64_t checksum_of(const Header& header, const std::vector<TableRow>& table)
{
    const auto before = std::as_bytes(std::span(&header, 1)).first(offsetof(Header, checksum));
    return checksum(header.version, before, checksum(header.version, bytes_of(table)));
}

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

bool write_bytes(std::FILE* file, std::span<const std::byte> bytes)
{
    if (bytes.empty()) return true;  // an empty span may be null, which fwrite() does not take
    return std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
}

}  // namespace

std::uint64_t write_checkpoint_file(const std::filesystem::path& file, const std::filesystem::path& previous,
                                    std::span<const CheckpointSection> sections,
                                    const std::function<void()>& before_rename)
{
    Header header;
    std::copy_n(magic, header.magic.size(), header.magic.begin());
    header.n_sections = static_cast<std::uint32_t>(sections.size());
    header.file_bytes = sizeof(Header) + sections.size() * sizeof(TableRow);
    std::vector<TableRow> table(sections.size());
    for (std::size_t k = 0; k < sections.size(); ++k) {
        const auto& [name, bytes] = sections[k];
        AUREOLE_EXPECT(!name.empty() && name.size() < table[k].name.size(),
                       "a section of a checkpoint is named '{}', expected 1 to 39 characters", name);
        std::ranges::copy(name, table[k].name.begin());
        table[k].first = header.file_bytes;
        table[k].bytes = bytes.size();
        header.file_bytes += bytes.size();
    }
    const auto n = static_cast<std::ptrdiff_t>(sections.size());
#pragma omp parallel for schedule(dynamic)
    for (std::ptrdiff_t k = 0; k < n; ++k) table[k].checksum = checksum(header.version, sections[k].bytes);
    header.checksum = checksum_of(header, table);

    AtomicFile target(file);
    const auto expect = [&](bool good) {
        if (!good)
            throw IoError(fmt::format("{}: {} bytes cannot be written: {}", file.string(), header.file_bytes,
                                      write_failure(target.temporary())));
    };
    std::unique_ptr<std::FILE, Close> out(std::fopen(target.temporary().c_str(), "wb"));
    expect(out != nullptr);
    expect(write_bytes(out.get(), std::as_bytes(std::span(&header, 1))));
    expect(write_bytes(out.get(), bytes_of(table)));
    for (const CheckpointSection& section : sections) expect(write_bytes(out.get(), section.bytes));
    expect(std::fclose(out.release()) == 0);
    if (before_rename) {
        sync_file(target.temporary());
        before_rename();
    }
    target.commit_durably(previous);
    return header.checksum;
}

bool is_checkpoint(const std::filesystem::path& file)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return false;  // opening a pipe would wait
    std::array<char, 16> found{};
    std::ifstream in(file, std::ios::binary);
    in.read(found.data(), found.size());
    return in && std::equal(found.begin(), found.end(), magic);
}

CheckpointFile::CheckpointFile(const std::filesystem::path& file)
    : name_(file.string()), stream_(without_waiting(file), std::ios::binary)
{
    std::error_code failed;
    if (!std::filesystem::exists(file, failed)) throw IoError(fmt::format("{}: no such file", name_));
    const std::uint64_t bytes = std::filesystem::file_size(file, failed);
    if (!stream_ || failed) throw IoError(fmt::format("{}: cannot be read", name_));
    read_header(bytes);
}

void CheckpointFile::read_header(std::uint64_t bytes_found)
{
    const auto refuse = [&](const std::string& what) { throw IoError(fmt::format("{}: {}", name_, what)); };
    Header header;
    stream_.read(reinterpret_cast<char*>(&header), sizeof header);
    if (!stream_) refuse(fmt::format("is cut off: {} bytes are fewer than a header has", bytes_found));
    if (std::memcmp(header.magic.data(), magic, header.magic.size()) != 0) refuse("is no checkpoint");
    if (header.byte_order != byte_order_mark) refuse("was written with another byte order");
    if (header.version < oldest_checkpoint_version || header.version > checkpoint_version)
        refuse(fmt::format("has version {} of the format, expected {} to {}", header.version,
                           oldest_checkpoint_version, checkpoint_version));
    version_ = header.version;
    if (header.real_bytes != sizeof(double))
        refuse(fmt::format("has real numbers of {} bytes, expected {}", header.real_bytes, sizeof(double)));
    if (header.file_bytes != bytes_found)
        refuse(fmt::format("is cut off or damaged: {} bytes, expected {}", bytes_found, header.file_bytes));
    if (header.n_sections > most_sections) refuse(fmt::format("claims {} sections", header.n_sections));
    std::vector<TableRow> rows(header.n_sections);
    stream_.read(reinterpret_cast<char*>(rows.data()),
                 static_cast<std::streamsize>(rows.size() * sizeof(TableRow)));
    if (!stream_) refuse("is cut off in its table of sections");
    if (const std::uint64_t found = checksum_of(header, rows); found != header.checksum)
        refuse(fmt::format("is damaged: checksum {:016x} of its header, expected {:016x}", found,
                           header.checksum));
    checksum_ = header.checksum;
    std::uint64_t next = sizeof(Header) + rows.size() * sizeof(TableRow);
    for (const TableRow& row : rows) {
        if (row.name.back() != '\0' || row.first != next || row.bytes > bytes_found - next)
            refuse("has sections that do not fit its size");
        next += row.bytes;
        table_.push_back({row.name.data(), row.first, row.bytes, row.checksum});
    }
    if (next != bytes_found) refuse("has sections that do not fit its size");
}

const CheckpointFile::Entry& CheckpointFile::find(const std::string& name) const
{
    const auto found = std::ranges::find(table_, name, &Entry::name);
    if (found == table_.end()) throw IoError(fmt::format("{}: has no section '{}'", name_, name));
    return *found;
}

void CheckpointFile::read(const std::string& name, std::span<std::byte> to)
{
    const Entry& entry = find(name);
    if (entry.bytes != to.size())
        throw IoError(
            fmt::format("{}: section '{}' has {} bytes, expected {}", name_, name, entry.bytes, to.size()));
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(entry.first));
    stream_.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
    if (!stream_) throw IoError(fmt::format("{}: section '{}' cannot be read", name_, name));
    if (const std::uint64_t found = io::checksum(version_, to); found != entry.checksum)
        throw IoError(fmt::format("{}: section '{}' is damaged: checksum {:016x}, expected {:016x}", name_,
                                  name, found, entry.checksum));
}

}  // namespace aureole::io
