#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "sim/core/error.hpp"
#include "sim/io/binary_numbers.hpp"
#include "sim/io/snapshots/tipsy.hpp"
#include "sim/io/snapshots/tipsy_layout.hpp"

namespace aureole::io {
namespace {

struct TipsyHeader {
    std::endian order = std::endian::big;
    double time = 0;
    std::array<std::uint64_t, tipsy_kinds.size()> count{};

    std::uint64_t total() const { return count[0] + count[1] + count[2]; }
    std::uint64_t body_bytes() const
    {
        std::uint64_t bytes = 0;
        for (std::size_t kind = 0; kind < count.size(); ++kind)
            bytes += count[kind] * tipsy_kinds[kind].width * sizeof(float);
        return bytes;
    }
    /// Where the records begin, known from the file's size; nothing when it fits neither header. A padded
    /// file that lost four bytes has the size of one without pad, but a pad is no mass: zero, or some
    /// integer, which as a float is smaller than any normal number.
    std::optional<std::uint64_t> records_at(BinaryInput& input) const
    {
        if (input.size() == tipsy_header_bytes + tipsy_pad_bytes + body_bytes())
            return tipsy_header_bytes + tipsy_pad_bytes;
        if (input.size() == tipsy_header_bytes + body_bytes() &&
            input.value<float>(tipsy_header_bytes) >= std::numeric_limits<float>::min())
            return tipsy_header_bytes;
        return std::nullopt;
    }
};

/// The header in the byte order in which it makes sense, if there is one.
std::optional<TipsyHeader> header_of(BinaryInput& input)
{
    if (input.size() < tipsy_header_bytes) return std::nullopt;
    for (const std::endian order : {std::endian::big, std::endian::little}) {
        input.set_order(order);
        const auto n = input.value<std::int32_t>(8), n_dim = input.value<std::int32_t>(12);
        TipsyHeader header{order, input.value<double>(0), {}};
        bool sensible = n > 0 && n_dim >= 1 && n_dim <= 3;
        for (std::size_t kind = 0; kind < header.count.size(); ++kind) {
            const auto count = input.value<std::int32_t>(16 + 4 * kind);
            sensible = sensible && count >= 0;
            header.count[kind] = static_cast<std::uint32_t>(count);
        }
        if (sensible && header.total() == static_cast<std::uint32_t>(n)) return header;
    }
    return std::nullopt;
}

[[noreturn]] void refuse_size(const BinaryInput& input, const TipsyHeader& header)
{
    std::uint64_t left = input.size() - std::min(input.size(), tipsy_header_bytes + tipsy_pad_bytes);
    std::string where = "behind the last particle";
    for (std::size_t kind = 0; kind < tipsy_kinds.size(); ++kind) {
        const std::uint64_t record = tipsy_kinds[kind].width * sizeof(float);
        if (left < header.count[kind] * record) {
            where = fmt::format("in {} particle {} of {}", tipsy_kinds[kind].name, left / record,
                                header.count[kind]);
            break;
        }
        left -= header.count[kind] * record;
    }
    throw IoError(
        fmt::format("{}: the tipsy header promises {} gas, {} dark and {} star particles, {} bytes with "
                    "the header; the file has {} and ends {}: truncated, corrupt or another dialect",
                    input.name(), header.count[0], header.count[1], header.count[2],
                    tipsy_header_bytes + tipsy_pad_bytes + header.body_bytes(), input.size(), where));
}

/// The count and the ids of an .iord file in text, checked against `n`.
std::vector<std::uint64_t> ids_from_text(const std::filesystem::path& file, std::uint64_t n)
{
    std::ifstream stream(file);
    std::vector<std::uint64_t> numbers;
    for (std::string word; numbers.size() <= n && stream >> word;) {
        std::uint64_t value = 0;
        const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc{} || rest != word.data() + word.size())
            throw IoError(fmt::format("{}: number {} is '{}', expected a whole number >= 0", file.string(),
                                      numbers.size(), word.substr(0, 40)));
        numbers.push_back(value);
    }
    if (numbers.empty() || numbers[0] != n || numbers.size() != n + 1 || !(stream >> std::ws).eof())
        throw IoError(fmt::format(
            "{}: says {} ids and holds {}, expected {}: truncated or of another snapshot", file.string(),
            numbers.empty() ? 0 : numbers[0], numbers.empty() ? 0 : numbers.size() - 1, n));
    numbers.erase(numbers.begin());
    return numbers;
}

/// Fills the ids from the .iord file beside the snapshot, if there is one.
bool read_ids(const std::filesystem::path& file, std::span<std::uint64_t> ids)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return false;
    BinaryInput input(file);
    for (const std::endian order : {std::endian::big, std::endian::little}) {
        input.set_order(order);
        if (input.size() != 4 + 4 * ids.size() || input.value<std::uint32_t>(0) != ids.size()) continue;
        input.each<std::int32_t>(4, ids.size(), [&](std::uint64_t k, std::int32_t id) {
            if (id < 0)
                throw IoError(
                    fmt::format("{}: particle {} has id {}, expected at least 0", file.string(), k, id));
            ids[k] = static_cast<std::uint64_t>(id);
        });
        return true;
    }
    std::ranges::copy(ids_from_text(file, ids.size()), ids.begin());
    return true;
}

/// The records of one kind, from `at` on, into the particles from `first` on.
void read_records(BinaryInput& input, std::uint64_t at, const TipsyKind& kind, std::uint64_t count,
                  std::uint64_t first, Particles& to)
{
    constexpr std::array<const char*, tipsy_common_floats> names{"mass", "x", "y", "z", "vx", "vy", "vz"};
    const std::array<std::span<double>, tipsy_common_floats> columns{
        to.mass.host(),       to.position.x.host(), to.position.y.host(), to.position.z.host(),
        to.velocity.x.host(), to.velocity.y.host(), to.velocity.z.host()};
    const auto types = to.type.host();
    input.each<float>(at, count * kind.width, [&](std::uint64_t k, float value) {
        const std::uint64_t column = k % kind.width, i = first + k / kind.width;
        if (column >= tipsy_common_floats) return;
        if (!std::isfinite(value) || (column == 0 && value < 0))
            throw IoError(fmt::format(
                "{}: block {}: particle {} (id {}) has {} = {}, expected a finite number{}", input.name(),
                kind.name, i, to.id.host()[i], names[column], value, column == 0 ? " >= 0" : ""));
        columns[column][i] = value;
        types[i] = kind.type;
    });
}

/// Softening lengths of one kind: their median, and whether all are equal.
struct KindSoftening {
    double median = 0;
    bool equal = true;
};

/// The column of a kind that holds softening lengths: eps, and hsmooth of gas.
KindSoftening read_softening(BinaryInput& input, std::uint64_t at, const TipsyKind& kind, std::uint64_t count)
{
    std::uint64_t column = tipsy_common_floats;
    while (std::string_view(kind.further[column - tipsy_common_floats]) !=
           (kind.type == 0 ? "hsmooth" : "eps"))
        ++column;
    std::vector<float> lengths;
    lengths.reserve(count);
    input.each<float>(at, count * kind.width, [&](std::uint64_t k, float value) {
        if (k % kind.width == column && std::isfinite(value) && value >= 0) lengths.push_back(value);
    });
    if (lengths.empty()) return {};
    const auto [least, greatest] = std::ranges::minmax(lengths);
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::ranges::nth_element(lengths, middle);
    return {*middle, least == greatest};
}

/// Adds the lengths of a kind to those that the snapshot states. Where they differ the median stands for all,
/// except for gas: its hsmooth differs when it is the reach of the smoothed hydrodynamics.
void add_softening(const TipsyKind& kind, const KindSoftening& found, Snapshot& snapshot)
{
    if (!(found.median > 0) || (kind.type == 0 && !found.equal)) return;
    if (!snapshot.softening) snapshot.softening.emplace();
    StatedSoftening& stated = *snapshot.softening;
    stated.length[kind.type] = found.median;
    const char* const field = kind.type == 0 ? "hsmooth" : "eps";
    stated.source += fmt::format("{}{}{} of the {} records", stated.source.empty() ? "" : ", ",
                                 found.equal ? "" : "median ", field, kind.name);
}

void list_dropped(const TipsyHeader& header, std::vector<std::string>& dropped)
{
    for (std::size_t kind = 0; kind < tipsy_kinds.size(); ++kind)
        for (std::size_t k = 0; header.count[kind] > 0 && k < tipsy_kinds[kind].width - tipsy_common_floats;
             ++k)
            dropped.push_back(fmt::format("{}/{}", tipsy_kinds[kind].name, tipsy_kinds[kind].further[k]));
}

}  // namespace

bool has_tipsy_header(const std::filesystem::path& file)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return false;
    BinaryInput input(file);
    return header_of(input).has_value();
}

bool is_tipsy(const std::filesystem::path& file)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return false;
    BinaryInput input(file);
    const auto header = header_of(input);
    return header && header->records_at(input);
}

Snapshot read_tipsy(const std::filesystem::path& file, const SnapshotArrays& arrays)
{
    BinaryInput input(file);
    const auto header = header_of(input);
    if (!header)
        throw IoError(
            fmt::format("{}: no tipsy header (1 to 3 dimensions, counts that add up)", input.name()));
    const auto begin = header->records_at(input);
    if (!begin) refuse_size(input, *header);
    if (!std::isfinite(header->time))
        throw IoError(fmt::format("{}: the time is {}", input.name(), header->time));

    Snapshot snapshot;
    snapshot.format = fmt::format(
        "tipsy ({})", header->order == std::endian::big ? "standard, big-endian" : "native, little-endian");
    snapshot.header.time = header->time;
    if (const auto param = find_tipsy_param(file, snapshot.notes))
        snapshot.header = to_snapshot_header(header->time, *param, snapshot.notes);

    snapshot.particles = new_particles(header->total(), {true, arrays.components, arrays.forces});
    if (!read_ids(tipsy_files(file).ids, snapshot.particles.id.host()))
        snapshot.notes.push_back("There is no .iord file beside it; ids count from 1 in file order.");
    std::uint64_t at = *begin, first = 0;
    for (std::size_t kind = 0; kind < tipsy_kinds.size(); ++kind) {
        const std::uint64_t count = header->count[kind];
        read_records(input, at, tipsy_kinds[kind], count, first, snapshot.particles);
        add_softening(tipsy_kinds[kind], read_softening(input, at, tipsy_kinds[kind], count), snapshot);
        at += count * tipsy_kinds[kind].width * sizeof(float);
        first += count;
    }
    list_dropped(*header, snapshot.dropped_fields);
    return snapshot;
}

}  // namespace aureole::io
