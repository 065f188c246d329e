// After the HDF5 File Format Specification, version 3.0: attribute (IV.A.2.m), datatype (IV.A.2.d) and
// dataspace messages (IV.A.2.b), link messages (IV.A.2.g), shared messages (IV.A.2 and its table of
// versions). Numbers are little-endian.
#include "sim/io/hdf5/header_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace aureole::io::hdf5 {

std::uint64_t number_in(Bytes bytes, std::size_t at, std::size_t n)
{
    std::uint64_t value = 0;
    for (std::size_t k = n; k-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + k]);
    return value;
}

namespace {

std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

/// Goes through the description of a type, and notes when it ends too early.
class TypeReader {
public:
    explicit TypeReader(Bytes bytes) : bytes_(bytes) {}

    /// Whether a type fits into what is left.
    bool read(int depth = 0)
    {
        constexpr int deepest = 32;
        if (depth > deepest || left() < 8) return false;
        const auto first = static_cast<unsigned>(number_in(bytes_, at_, 1));
        const auto bits = static_cast<std::size_t>(number_in(bytes_, at_ + 1, 3));
        const std::uint64_t size = number_in(bytes_, at_ + 4, 4);
        at_ += 8;
        const unsigned version = first >> 4;
        switch (first & 15) {
            case 0:  // integer
            case 4:  // bits
                return skip(4);
            case 1:  // real number
                return skip(12);
            case 2:  // time
                return skip(2);
            case 5:  // opaque, with a tag
                return skip(bits & 0xff);
            case 6:
                return read_members(version, bits & 0xffff, size, depth);
            case 8:
                return read_names(version, bits & 0xffff, depth);
            case 9:  // of variable length
                return read(depth + 1);
            case 10:
                return read_array(version, depth);
            default:  // strings and references hold no more; others are refused by the library
                return true;
        }
    }

private:
    std::size_t left() const { return bytes_.size() - at_; }

    bool skip(std::size_t n)
    {
        if (n > left()) return false;
        at_ += n;
        return true;
    }

    bool skip_name(unsigned version)
    {
        const auto rest = bytes_.subspan(at_);
        const auto end = std::ranges::find(rest, std::byte{0});
        if (end == rest.end()) return false;
        const auto length = static_cast<std::size_t>(end - rest.begin()) + 1;
        return skip(version < 3 ? padded(length) : length);
    }

    bool read_members(unsigned version, std::size_t n, std::uint64_t size, int depth)
    {
        std::size_t offset = 1;  // bytes that hold numbers up to `size`
        while (offset < 4 && size >> 8 * offset != 0) ++offset;
        const std::size_t fixed = version == 1 ? 32 : version == 2 ? 4 : offset;
        for (std::size_t k = 0; k < n; ++k)
            if (!skip_name(version) || !skip(fixed) || !read(depth + 1)) return false;
        return true;
    }

    bool read_names(unsigned version, std::size_t n, int depth)
    {
        if (left() < 8) return false;
        const auto size = static_cast<std::size_t>(number_in(bytes_, at_ + 4, 4));  // of the values
        if (!read(depth + 1)) return false;
        for (std::size_t k = 0; k < n; ++k)
            if (!skip_name(version)) return false;
        return n == 0 || (size <= left() && skip(n * size));
    }

    bool read_array(unsigned version, int depth)
    {
        if (left() < 1) return false;
        const auto rank = static_cast<std::size_t>(number_in(bytes_, at_, 1));
        return skip(version < 3 ? 4 + 8 * rank : 1 + 4 * rank) && read(depth + 1);
    }

    Bytes bytes_;
    std::size_t at_ = 0;
};

constexpr std::uint64_t too_many = std::numeric_limits<std::uint64_t>::max();

/// Where the address stands in a reference; nothing where it is to a table of shared messages.
std::optional<std::size_t> place_of_address(Bytes reference, FileFrame frame)
{
    if (reference.size() < 2) return {};
    const auto version = number_in(reference, 0, 1), kind = number_in(reference, 1, 1);
    if (version == 1) return 8 + frame.length;
    if (version == 3 && kind == 1) return {};
    return 2;
}

std::string beyond_the_file(std::uint64_t address, FileFrame frame)
{
    return fmt::format("an address of {} in a file of {} bytes", address, frame.file_bytes);
}

std::string reference_fault(Bytes reference, FileFrame frame)
{
    constexpr std::size_t heap_id = 8;
    const auto place = place_of_address(reference, frame);
    const std::size_t needed = place ? *place + frame.address : 2 + heap_id;
    if (needed > reference.size())
        return fmt::format("a reference of {} bytes in {}", needed, reference.size());
    if (!place)
        return frame.has_shared_messages ? ""
                                         : "a reference to shared messages, which the file does not have";
    const auto address = number_in(reference, *place, frame.address);
    return address < frame.file_bytes ? "" : beyond_the_file(address, frame);
}

/// The number of elements; nothing where the shape does not fit into `bytes`.
std::optional<std::uint64_t> elements_of(Bytes bytes, unsigned length_bytes)
{
    if (bytes.size() < 4) return {};
    const auto version = number_in(bytes, 0, 1), rank = number_in(bytes, 1, 1),
               flags = number_in(bytes, 2, 1);
    if (version != 1 && version != 2) return 0;
    const std::size_t begin = version == 1 ? 8 : 4;
    const std::size_t lists = (flags & 1) != 0 ? 2 : 1;
    if (begin + lists * rank * length_bytes > bytes.size()) return {};
    if (version == 2 && number_in(bytes, 3, 1) == 2) return 0;  // there are none
    std::uint64_t elements = 1;
    for (std::size_t k = 0; k < rank; ++k) {
        const std::uint64_t side = number_in(bytes, begin + k * length_bytes, length_bytes);
        elements = side != 0 && elements > too_many / side ? too_many : elements * side;
    }
    return elements;
}

std::string type_fault(Bytes type)
{
    return TypeReader(type).read() ? ""
                                   : fmt::format("a type that needs more than its {} bytes", type.size());
}

std::string shape_fault(Bytes shape, FileFrame frame)
{
    return elements_of(shape, frame.length)
               ? ""
               : fmt::format("a shape that needs more than its {} bytes", shape.size());
}

/// The parts of an attribute's message.
struct Attribute {
    Bytes name, type, shape, data;
    bool shared_type, shared_shape;
};

std::string fault_of_parts(const Attribute& a, FileFrame frame, const ReferencedSize& referenced)
{
    if (std::ranges::find(a.name, std::byte{0}) == a.name.end()) return "a name without an end";
    std::string fault = a.shared_type ? reference_fault(a.type, frame) : type_fault(a.type);
    if (fault.empty()) fault = a.shared_shape ? reference_fault(a.shape, frame) : shape_fault(a.shape, frame);
    if (!fault.empty() || a.shared_shape) return fault;
    const auto size = a.shared_type ? referenced(a.type) : size_of_type(a.type);
    const std::uint64_t elements = *elements_of(a.shape, frame.length);
    if (size && *size != 0 && elements > a.data.size() / *size)
        return fmt::format("{} elements of {} bytes, and {} bytes for them", elements, *size, a.data.size());
    return "";
}

std::string attribute_fault(Bytes message, FileFrame frame, const ReferencedSize& referenced)
{
    if (message.size() < 8) return "no sizes";
    const auto version = number_in(message, 0, 1), flags = version > 1 ? number_in(message, 1, 1) : 0;
    if (version < 1 || version > 3) return "";
    const auto size_at = [&](std::size_t at) {
        const auto bytes = static_cast<std::size_t>(number_in(message, at, 2));
        return version == 1 ? padded(bytes) : bytes;
    };
    const std::size_t name = size_at(2), type = size_at(4), shape = size_at(6);
    const std::size_t begin = version == 3 ? 9 : 8;
    if (begin + name + type + shape > message.size())
        return fmt::format("a name of {} bytes, a type of {} and a shape of {}", name, type, shape);
    return fault_of_parts({.name = message.subspan(begin, name),
                           .type = message.subspan(begin + name, type),
                           .shape = message.subspan(begin + name + type, shape),
                           .data = message.subspan(begin + name + type + shape),
                           .shared_type = (flags & 1) != 0,
                           .shared_shape = (flags & 2) != 0},
                          frame, referenced);
}

/// A link's parts before what it leads to.
struct Link {
    std::string fault{};
    unsigned kind = 0;      ///< 0: to an object of the file, 1: to a path, from 64 on: with a length
    std::size_t begin = 0;  ///< of what it leads to
};

Link link_in(Bytes message)
{
    if (message.size() < 2) return {"no flags"};
    const auto version = number_in(message, 0, 1), flags = number_in(message, 1, 1);
    if (version != 1 || flags > 31) return {fmt::format("version {} and flags {}", version, flags)};
    const unsigned length_bytes = 1U << (flags & 3);
    const std::size_t order = (flags & 8) != 0 ? 3 : 2, letters = order + ((flags & 4) != 0 ? 8 : 0),
                      length = letters + ((flags & 16) != 0 ? 1 : 0), name = length + length_bytes;
    if (name > message.size()) return {"no name"};
    const std::uint64_t name_bytes = number_in(message, length, length_bytes);
    if (name_bytes == 0 || name_bytes > message.size() - name)
        return {fmt::format("a name of {} bytes", name_bytes)};
    const auto kind = (flags & 8) != 0 ? static_cast<unsigned>(number_in(message, 2, 1)) : 0;
    if ((kind > 1 && kind < 64) || (letters < length && number_in(message, letters, 1) > 1))
        return {"a kind or an alphabet that does not exist"};
    return {{}, kind, name + static_cast<std::size_t>(name_bytes)};
}

/// What the library cannot read of a link, too: it frees what it has not filled when one of a list is
/// damaged.
std::string link_fault(Bytes message, FileFrame frame)
{
    const Link link = link_in(message);
    if (!link.fault.empty()) return link.fault;
    const std::size_t left = message.size() - link.begin;
    if (link.kind == 0) {
        if (frame.address > left) return fmt::format("an address of {} bytes in {}", frame.address, left);
        const auto address = number_in(message, link.begin, frame.address);
        return address < frame.file_bytes ? "" : beyond_the_file(address, frame);
    }
    if (left < 2) return "no length of what it leads to";
    const std::uint64_t bytes = number_in(message, link.begin, 2);
    return bytes != 0 && bytes <= left - 2 ? "" : fmt::format("{} bytes of what it leads to", bytes);
}

std::string storage_fault(unsigned kind, Bytes message, FileFrame frame)
{
    const std::uint64_t none = frame.address == 8 ? ~std::uint64_t{0} : ~std::uint32_t{0};
    for (const std::size_t place : places_of_storage(kind, message, frame))
        if (const auto address = number_in(message, place, frame.address);
            address != none && address >= frame.file_bytes)
            return beyond_the_file(address, frame);
    return "";
}

}  // namespace

std::optional<std::size_t> place_of_linked(unsigned kind, Bytes message, FileFrame frame)
{
    if (kind != link_message) return {};
    const Link link = link_in(message);
    if (!link.fault.empty() || link.kind != 0 || link.begin + frame.address > message.size()) return {};
    return link.begin;
}

std::vector<std::size_t> places_of_storage(unsigned kind, Bytes message, FileFrame frame)
{
    std::vector<std::size_t> places;
    if ((kind != links_message && kind != attributes_message) || message.size() < 2) return places;
    const auto flags = number_in(message, 1, 1);
    const std::size_t index_bytes = kind == links_message ? 8 : 2, n = (flags & 2) != 0 ? 3 : 2;
    for (std::size_t k = 0; k < n; ++k)
        places.push_back(2 + ((flags & 1) != 0 ? index_bytes : 0) + k * frame.address);
    std::erase_if(places, [&](std::size_t place) { return place + frame.address > message.size(); });
    return places;
}

std::string_view name_of_message(unsigned kind)
{
    switch (kind) {
        case type_message:
            return "type";
        case shape_message:
            return "shape";
        case link_message:
            return "link";
        case links_message:
            return "list of links";
        case attributes_message:
            return "list of attributes";
        case attribute_message:
            return "attribute";
        case layout_message:
            return "layout";
        case filters_message:
            return "list of filters";
        case fill_value_message:
        case old_fill_value_message:
            return "fill value";
        default:
            return "message";
    }
}

std::optional<std::uint64_t> address_in_reference(Bytes reference, FileFrame frame)
{
    const auto place = place_of_address(reference, frame);
    if (!place || *place + frame.address > reference.size()) return {};
    return number_in(reference, *place, frame.address);
}

std::optional<std::uint64_t> size_of_type(Bytes type)
{
    if (type.size() < 8) return {};
    return number_in(type, 4, 4);
}

std::string message_fault(unsigned kind, bool shared, Bytes message, FileFrame frame,
                          const ReferencedSize& referenced)
{
    if (shared) return reference_fault(message, frame);
    switch (kind) {
        case attribute_message:
            return attribute_fault(message, frame, referenced);
        case type_message:
            return type_fault(message);
        case shape_message:
            return shape_fault(message, frame);
        case link_message:
            return link_fault(message, frame);
        case links_message:
        case attributes_message:
            return storage_fault(kind, message, frame);
        default:
            return dataset_message_fault(kind, message, frame);
    }
}

}  // namespace aureole::io::hdf5
