#include "sim/io/halos/labels_file.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "sim/core/backend.hpp"
#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/binary_numbers.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/text_words.hpp"

namespace aureole::io {
namespace {

/// The numbers of a file as rows from 0, with -1 for no group.
std::vector<std::int64_t> as_rows(std::vector<std::int64_t> numbers)
{
    const bool from_zero = std::ranges::any_of(numbers, [](std::int64_t number) { return number < 0; });
    for (std::int64_t& number : numbers) number = std::max<std::int64_t>(from_zero ? number : number - 1, -1);
    return numbers;
}

[[noreturn]] void refuse_count(const std::string& name, std::int64_t found, std::size_t expected)
{
    throw IoError(
        fmt::format("{}: holds {} group numbers, expected {}, one for each particle", name, found, expected));
}

/// The byte order in which the first number counts the int32 that follow; nothing when it does so in neither.
std::optional<std::endian> binary_order(BinaryInput& input)
{
    if (input.size() < 4 || input.size() % 4 != 0) return std::nullopt;
    for (const std::endian order : {std::endian::big, std::endian::little}) {
        input.set_order(order);
        if (std::uint64_t{input.value<std::uint32_t>(0)} == input.size() / 4 - 1) return order;
    }
    return std::nullopt;
}

std::vector<std::int64_t> read_binary(BinaryInput& input, std::size_t n_particles)
{
    const std::uint64_t n = input.size() / 4 - 1;
    if (n != n_particles) refuse_count(input.name(), static_cast<std::int64_t>(n), n_particles);
    std::vector<std::int64_t> numbers(n);
    input.each<std::int32_t>(4, n, [&](std::uint64_t k, std::int32_t number) { numbers[k] = number; });
    return as_rows(std::move(numbers));
}

/// Collects the words of a text: first the count, then the numbers.
class TextReader {
public:
    TextReader(std::string name, std::size_t n_particles) : name_(std::move(name)), expected_(n_particles) {}

    void add_line(std::string_view line)
    {
        ++line_number_;
        for (const std::string_view word : split_words(line)) {
            const auto number = number_in<std::int64_t>(word);
            if (!number)
                throw IoError(fmt::format("{}, line {}: found '{}', expected a whole number", name_,
                                          line_number_, word.substr(0, 40)));
            if (!counted_)
                set_count(*number);
            else if (numbers_.size() == expected_)
                throw IoError(
                    fmt::format("{}, line {}: found '{}' after the {} group numbers that its first "
                                "line announces",
                                name_, line_number_, word.substr(0, 40), expected_));
            else
                numbers_.push_back(*number);
        }
    }

    std::vector<std::int64_t> take()
    {
        if (!counted_) throw IoError(fmt::format("{}: is empty, expected a count of particles", name_));
        if (numbers_.size() != expected_)
            throw IoError(
                fmt::format("{}: ends after {} of the {} group numbers that its first line "
                            "announces",
                            name_, numbers_.size(), expected_));
        return as_rows(std::move(numbers_));
    }

private:
    void set_count(std::int64_t count)
    {
        if (count < 0 || static_cast<std::uint64_t>(count) != expected_)
            refuse_count(name_, count, expected_);
        counted_ = true;
        numbers_.reserve(expected_);
    }

    std::string name_;
    std::size_t expected_;
    std::uint64_t line_number_ = 0;
    bool counted_ = false;
    std::vector<std::int64_t> numbers_;
};

std::vector<std::int64_t> read_text(const std::filesystem::path& file, std::size_t n_particles)
{
    std::ifstream stream = open_text(file);
    TextReader reader(file.string(), n_particles);
    for (std::string line; std::getline(stream, line);) reader.add_line(line);
    if (stream.bad()) throw IoError(fmt::format("{}: reading failed", file.string()));
    return reader.take();
}

}  // namespace

std::vector<std::int64_t> read_grp(const std::filesystem::path& file, std::size_t n_particles)
{
    BinaryInput input(file);
    if (binary_order(input)) return read_binary(input, n_particles);
    std::byte first{};
    for (std::uint64_t at = 0; at < std::min<std::uint64_t>(input.size(), 64); ++at) {
        input.read(at, {&first, 1});
        if (first == std::byte{0})
            throw IoError(
                fmt::format("{}: {} bytes are neither a text nor an int32 count with as many int32 "
                            "group numbers behind it",
                            file.string(), input.size()));
    }
    return read_text(file, n_particles);
}

void write_grp(const std::filesystem::path& file, std::span<const std::int32_t> group,
               const Provenance& provenance)
{
    AtomicFile target(file);
    target.write([&](std::ostream& out) {
        constexpr std::size_t block_bytes = std::size_t{1} << 16;
        std::string block = fmt::format("{}\n", group.size());
        for (const std::int32_t row : group) {
            block += fmt::format("{}\n", std::int64_t{row} + 1);
            if (block.size() < block_bytes) continue;
            out << block;
            block.clear();
        }
        out << block;
    });
    write_metadata(file, provenance);
    target.commit();
}

namespace {
/// Entries in the order of rising ids; throws IoError for an id that is there twice.
std::vector<Index> order_by_id(std::span<const std::uint64_t> ids, const std::string& what)
{
    std::vector<Index> order(ids.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::sort(order, {}, [ids](Index i) { return ids[i]; });
    const auto twice = std::ranges::adjacent_find(order, {}, [ids](Index i) { return ids[i]; });
    if (twice != order.end())
        throw IoError(fmt::format("{} id {} twice: labels cannot be matched by id", what, ids[*twice]));
    return order;
}

std::vector<std::int64_t> matched(const std::filesystem::path& file, std::span<const std::uint64_t> ids,
                                  std::span<const std::uint64_t> labelled,
                                  std::span<const std::int64_t> label)
{
    const std::vector<Index> there = order_by_id(labelled, fmt::format("{}: holds", file.string()));
    const std::vector<Index> here = order_by_id(ids, "the snapshot holds");
    std::vector<std::int64_t> result(ids.size());
    auto at = there.begin();
    for (const Index i : here) {
        while (at != there.end() && labelled[*at] < ids[i]) ++at;
        if (at == there.end() || labelled[*at] != ids[i])
            throw IoError(
                fmt::format("{}: holds no label of particle id {} of the snapshot", file.string(), ids[i]));
        result[i] = std::max<std::int64_t>(label[*at], -1);
    }
    return result;
}

std::vector<std::int64_t> read_labels(const std::filesystem::path& file, std::span<const std::uint64_t> ids)
{
    const Hdf5File in = Hdf5File::open(file);
    if (!in.has_dataset("/ParticleIDs") || !in.has_dataset("/GroupIDs"))
        throw IoError(
            fmt::format("{}: holds no labels (/ParticleIDs and /GroupIDs, as `aureole find --labels` "
                        "writes them)",
                        file.string()));
    const Hdf5Dataset particles = in.dataset("/ParticleIDs");
    const auto label = in.values<std::int64_t>("/GroupIDs");
    if (particles.rows() != label.size() || label.size() > max_particles)
        throw IoError(fmt::format("{}: {} /ParticleIDs and {} /GroupIDs, expected as many of either",
                                  file.string(), particles.rows(), label.size()));
    std::vector<std::uint64_t> labelled(label.size());
    read_ids(particles, labelled);
    return matched(file, ids, labelled, label);
}

}  // namespace

void write_labels(const std::filesystem::path& file, std::span<const std::uint64_t> ids,
                  std::span<const std::int32_t> group, const Attributes& settings,
                  const Provenance& provenance)
{
    AUREOLE_EXPECT(ids.size() == group.size(), "{}: {} ids and {} group numbers, expected as many of either",
                   file.string(), ids.size(), group.size());
    write_hdf5(file, [&](Hdf5File& out) {
        out.write_dataset("/ParticleIDs", ids);
        write_field<std::int64_t>(out, "/GroupIDs", ids.size(), 0,
                                  [group](std::size_t row, std::int64_t* to) { *to = group[row]; });
        out.write_attributes("/", settings);
        write_provenance(out, provenance);
    });
}

std::vector<std::int64_t> read_memberships(const std::filesystem::path& file,
                                           std::span<const std::uint64_t> ids)
{
    return is_hdf5(file) ? read_labels(file, ids) : read_grp(file, ids.size());
}

}  // namespace aureole::io
