// The layout (GADGET-2 user guide, section 6): Fortran records, a 32-bit byte count before and after the
// data, in the order header, POS, VEL, ID, MASS, then fields of the gas and of codes. Format 2 puts a record
// with the block's name before each. Counts are modulo 2^32, so sizes follow from the particle numbers
// wherever these fix them.
#include "sim/io/snapshots/gadget_binary.hpp"

#include <cmath>
#include <numeric>
#include <optional>

#include "sim/core/error.hpp"
#include "sim/io/binary_numbers.hpp"

namespace aureole::io {
namespace {

/// No code writes more blocks than this; a file with more is damaged, and its names are not listed.
constexpr std::size_t most_blocks_named = 64;

constexpr std::uint32_t gadget2_header_bytes = 256;

/// How many types a header of this size describes if GADGET-4 wrote it (24 bytes per type and 48), else 0.
std::uint32_t gadget4_types(std::uint32_t header_bytes)
{
    constexpr std::uint32_t most_types = 16;
    if (header_bytes < 48 || (header_bytes - 48) % 24 != 0) return 0;
    const std::uint32_t types = (header_bytes - 48) / 24;
    return types <= most_types ? types : 0;
}

/// Walks the records of one file.
class Scanner {
public:
    explicit Scanner(const std::filesystem::path& file) : input_(file) { part_.file = file; }

    GadgetBinaryPart scan()
    {
        scan_header();
        const std::uint64_t n = part_.header.total();
        if (n > 0 && part_.format == 1) {
            scan_block("POS", &part_.position);
            scan_block("VEL", &part_.velocity);
            scan_block("ID", &part_.id);
            if (part_.header.with_stored_mass() > 0) scan_block("MASS", &part_.mass);
        }
        while (at_ < input_.size()) scan_further_block();
        if (n > 0) {
            expect_found("POS", part_.position);
            expect_found("VEL", part_.velocity);
            expect_found("ID", part_.id);
            if (part_.header.with_stored_mass() > 0) expect_found("MASS", part_.mass);
        }
        return std::move(part_);
    }

private:
    [[noreturn]] void fail(const std::string& what, const std::string& problem) const
    {
        const bool named = what.find("block") != std::string::npos;
        throw IoError(fmt::format("{}: {}{}: {}", input_.name(), named ? "" : "block ", what, problem));
    }

    void scan_header()
    {
        find_byte_order();
        if (part_.format == 2 && scan_label() != "HEAD")
            fail("header", "format 2 expects the label HEAD at the beginning of the file");
        const std::uint32_t bytes = marker_of("header");
        if (bytes != gadget2_header_bytes && gadget4_types(bytes) == 0)
            fail("header",
                 fmt::format("a record of {} bytes, expected 256 (GADGET-2) or 24 per type and 48 (GADGET-4)",
                             bytes));
        const std::uint64_t data = at_ + 4;
        close_record("header", bytes, std::nullopt);
        part_.gadget4 = bytes != gadget2_header_bytes;
        if (part_.gadget4)
            read_gadget4_header(data, gadget4_types(bytes));
        else
            read_gadget2_header(data);
        check_header();
    }

    void find_byte_order()
    {
        for (const std::endian order : {std::endian::little, std::endian::big}) {
            input_.set_order(order);
            part_.order = order;
            const auto first = input_.value<std::uint32_t>(0);
            part_.format = first == 8 ? 2 : 1;
            if (is_gadget_first_marker(first)) return;
        }
        fail("header", "the first record is none that Gadget writes");
    }

    void read_gadget2_header(std::uint64_t at)
    {
        GadgetBinaryHeader& h = part_.header;
        for (std::size_t t = 0; t < n_particle_types; ++t) {
            h.count[t] = non_negative(t, input_.value<std::uint32_t>(at + 4 * t));
            h.mass[t] = input_.value<double>(at + 24 + 8 * t);
            h.count_total[t] = input_.value<std::uint32_t>(at + 96 + 4 * t);
        }
        h.time = input_.value<double>(at + 72);
        h.redshift = input_.value<double>(at + 80);
        h.n_files = file_count(input_.value<std::uint32_t>(at + 124));
        h.box_size = input_.value<double>(at + 128);
        h.omega0 = input_.value<double>(at + 136);
        h.omega_lambda = input_.value<double>(at + 144);
        h.hubble = input_.value<double>(at + 152);
    }

    void read_gadget4_header(std::uint64_t at, std::uint64_t types)
    {
        GadgetBinaryHeader& h = part_.header;
        for (std::uint64_t t = 0; t < types; ++t) {
            const std::uint64_t n = non_negative(t, input_.value<std::int64_t>(at + 8 * t));
            if (t >= n_particle_types) {
                if (n > 0) fail("header", fmt::format("{} particles of type {}, known are 0 to 5", n, t));
                continue;
            }
            h.count[t] = n;
            h.count_total[t] = static_cast<std::uint64_t>(input_.value<std::int64_t>(at + 8 * types + 8 * t));
            h.mass[t] = input_.value<double>(at + 16 * types + 8 * t);
        }
        h.time = input_.value<double>(at + 24 * types);
        h.redshift = input_.value<double>(at + 24 * types + 8);
        h.box_size = input_.value<double>(at + 24 * types + 16);
        h.n_files = file_count(input_.value<std::uint32_t>(at + 24 * types + 24));
    }

    std::uint64_t non_negative(std::uint64_t type, std::int64_t n) const
    {
        if (n < 0 || n > static_cast<std::int64_t>(max_particles))
            fail("header", fmt::format("{} particles of type {}, expected 0 to {}", n, type, max_particles));
        return static_cast<std::uint64_t>(n);
    }

    std::uint32_t file_count(std::uint32_t n) const
    {
        constexpr std::uint32_t most_files = 1 << 20;
        if (n > most_files) fail("header", fmt::format("num_files is {}", n));
        return n == 0 ? 1 : n;
    }

    void check_header() const
    {
        const GadgetBinaryHeader& h = part_.header;
        const std::pair<const char*, double> numbers[] = {
            {"time", h.time},     {"redshift", h.redshift},        {"BoxSize", h.box_size},
            {"Omega0", h.omega0}, {"OmegaLambda", h.omega_lambda}, {"HubbleParam", h.hubble}};
        for (const auto& [name, value] : numbers)
            if (!std::isfinite(value)) fail("header", fmt::format("{} is {}", name, value));
        for (std::size_t t = 0; t < n_particle_types; ++t)
            if (!(std::isfinite(h.mass[t]) && h.mass[t] >= 0))
                fail("header",
                     fmt::format("the mass of type {} is {}, expected a number >= 0", t, h.mass[t]));
        if (h.box_size < 0) fail("header", fmt::format("BoxSize is {}", h.box_size));
        if (h.total() > max_particles)
            fail("header", fmt::format("{} particles, at most {} can be read", h.total(), max_particles));
    }

    /// Format 2: the name that the next block carries.
    std::string scan_label()
    {
        const std::uint64_t data = at_ + 4;
        if (const std::uint32_t bytes = marker_of("label"); bytes != 8)
            fail("label", fmt::format("a record of {} bytes at byte {}, expected 8: corrupt", bytes, at_));
        close_record("label", 8, std::nullopt);
        std::string name(4, ' ');
        input_.read(data, std::as_writable_bytes(std::span(name)));
        for (char& c : name)
            if (c < ' ' || c > '~') c = ' ';
        while (!name.empty() && name.back() == ' ') name.pop_back();
        return name;
    }

    struct Shape {
        std::uint64_t n;      ///< particles
        std::uint64_t width;  ///< numbers per particle
    };

    void scan_block(const std::string& name, GadgetBinaryBlock* block)
    {
        const std::uint64_t n = name == "MASS" ? part_.header.with_stored_mass() : part_.header.total();
        const Shape shape{n, name == "POS" || name == "VEL" ? 3u : 1u};
        if (at_ == input_.size()) expect_found(name, *block);
        if (block->number_size != 0) fail(name, "stored twice");
        const std::uint32_t marker = marker_of(name);
        block->offset = at_ + 4;
        for (const std::uint64_t number_size : {4u, 8u}) {
            const std::uint64_t bytes = number_size * shape.width * shape.n;
            if (static_cast<std::uint32_t>(bytes) != marker) continue;
            block->number_size = number_size;
            close_record(name, bytes, shape);
            return;
        }
        fail(name,
             fmt::format("a record of {} bytes, expected {} or {} ({} particles, {} numbers of 4 or 8 "
                         "bytes each): header and data contradict each other",
                         marker, 4 * shape.width * shape.n, 8 * shape.width * shape.n, shape.n, shape.width));
    }

    /// A block after the four that are read or, in format 2, any block.
    void scan_further_block()
    {
        std::string name;
        if (part_.format == 2) {
            name = scan_label();
            if (GadgetBinaryBlock* block = known_block(name)) return scan_block(name, block);
        }
        if (part_.format == 1) name = fmt::format("block {}", 5 + part_.other_blocks.size());
        const std::uint32_t marker = marker_of(name);
        const std::uint64_t n_gas = part_.header.count[0];
        if (part_.format == 1 && n_gas > 0 && (marker == 4 * n_gas || marker == 8 * n_gas))
            name = "gas " + name;
        close_record(name, record_bytes(marker), std::nullopt);
        if (marker > 0 && part_.other_blocks.size() < most_blocks_named) part_.other_blocks.push_back(name);
    }

    GadgetBinaryBlock* known_block(const std::string& name)
    {
        if (part_.header.total() == 0) return nullptr;
        if (name == "POS") return &part_.position;
        if (name == "VEL") return &part_.velocity;
        if (name == "ID" || name == "IDS") return &part_.id;
        if (name == "MASS" && part_.header.with_stored_mass() > 0) return &part_.mass;
        return nullptr;
    }

    /// The count that opens the record at the present place.
    std::uint32_t marker_of(const std::string& name)
    {
        if (input_.size() - at_ < 4)
            fail(name, fmt::format("the file ends {} bytes after byte {}: truncated or corrupt",
                                   input_.size() - at_, at_));
        return input_.value<std::uint32_t>(at_);
    }

    /// The smallest size that the marker, modulo 2^32, and its repetition behind the data allow.
    std::uint64_t record_bytes(std::uint32_t marker)
    {
        for (std::uint64_t bytes = marker; at_ + 8 + bytes <= input_.size(); bytes += std::uint64_t{1} << 32)
            if (input_.value<std::uint32_t>(at_ + 4 + bytes) == marker) return bytes;
        return marker;
    }

    /// Moves behind the record of `bytes` data bytes at the present place.
    void close_record(const std::string& name, std::uint64_t bytes, std::optional<Shape> shape)
    {
        const auto marker = static_cast<std::uint32_t>(bytes);
        const std::uint64_t left = input_.size() - at_;
        if (left < 8 || bytes > left - 8) {
            const std::uint64_t there = left < 4 ? 0 : std::min(left - 4, bytes);
            std::string where;
            if (shape) where = fmt::format(" in particle {} of {}", there / (bytes / shape->n), shape->n);
            fail(name, fmt::format("the file ends{} ({} of {} bytes are there): truncated or corrupt", where,
                                   there, bytes));
        }
        if (const auto behind = input_.value<std::uint32_t>(at_ + 4 + bytes); behind != marker)
            fail(name, fmt::format("the record begins with the count {} and ends with {}: corrupt", marker,
                                   behind));
        at_ += 8 + bytes;
    }

    void expect_found(const std::string& name, const GadgetBinaryBlock& block) const
    {
        if (block.number_size == 0)
            fail(name, fmt::format("missing, the header promises {} particles: truncated or corrupt",
                                   part_.header.total()));
    }

    BinaryInput input_;
    GadgetBinaryPart part_;
    std::uint64_t at_ = 0;  ///< where the next record begins
};

}  // namespace

std::uint64_t GadgetBinaryHeader::total() const
{
    return std::accumulate(count.begin(), count.end(), std::uint64_t{0});
}

std::uint64_t GadgetBinaryHeader::with_stored_mass() const
{
    std::uint64_t n = 0;
    for (std::size_t t = 0; t < n_particle_types; ++t)
        if (mass[t] == 0) n += count[t];
    return n;
}

bool is_gadget_first_marker(std::uint32_t bytes)
{
    return bytes == 8 || bytes == gadget2_header_bytes || gadget4_types(bytes) > 0;
}

GadgetBinaryPart scan_gadget_binary_part(const std::filesystem::path& file) { return Scanner(file).scan(); }

}  // namespace aureole::io
