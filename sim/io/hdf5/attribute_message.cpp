// After the HDF5 File Format Specification, version 3.0: attribute (IV.A.2.m), datatype (IV.A.2.d) and
// dataspace messages (IV.A.2.b). Numbers are little-endian.
#include "sim/io/hdf5/attribute_message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace aureole::io::hdf5 {
namespace {

using Bytes = std::span<const std::byte>;

std::uint64_t number(Bytes bytes, std::size_t at, std::size_t n)
{
    std::uint64_t value = 0;
    for (std::size_t k = n; k-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + k]);
    return value;
}

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
        const auto first = static_cast<unsigned>(number(bytes_, at_, 1));
        const auto bits = static_cast<std::size_t>(number(bytes_, at_ + 1, 3));
        const std::uint64_t size = number(bytes_, at_ + 4, 4);
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
        const auto size = static_cast<std::size_t>(number(bytes_, at_ + 4, 4));  // of the values
        if (!read(depth + 1)) return false;
        for (std::size_t k = 0; k < n; ++k)
            if (!skip_name(version)) return false;
        return n == 0 || (size <= left() && skip(n * size));
    }

    bool read_array(unsigned version, int depth)
    {
        if (left() < 1) return false;
        const auto rank = static_cast<std::size_t>(number(bytes_, at_, 1));
        return skip(version < 3 ? 4 + 8 * rank : 1 + 4 * rank) && read(depth + 1);
    }

    Bytes bytes_;
    std::size_t at_ = 0;
};

constexpr std::uint64_t too_many = std::numeric_limits<std::uint64_t>::max();

/// The number of elements; nothing where the shape does not fit into `bytes`.
std::optional<std::uint64_t> elements_of(Bytes bytes, unsigned length_bytes)
{
    if (bytes.size() < 4) return {};
    const auto version = number(bytes, 0, 1), rank = number(bytes, 1, 1), flags = number(bytes, 2, 1);
    if (version != 1 && version != 2) return 0;
    const std::size_t begin = version == 1 ? 8 : 4;
    const std::size_t lists = (flags & 1) != 0 ? 2 : 1;
    if (begin + lists * rank * length_bytes > bytes.size()) return {};
    if (version == 2 && number(bytes, 3, 1) == 2) return 0;  // there are none
    std::uint64_t elements = 1;
    for (std::size_t k = 0; k < rank; ++k) {
        const std::uint64_t side = number(bytes, begin + k * length_bytes, length_bytes);
        elements = side != 0 && elements > too_many / side ? too_many : elements * side;
    }
    return elements;
}

}  // namespace

std::string attribute_fault(Bytes message, unsigned length_bytes)
{
    if (message.size() < 8) return "no sizes";
    const auto version = number(message, 0, 1), flags = version > 1 ? number(message, 1, 1) : 0;
    if (version < 1 || version > 3) return "";
    const auto size_at = [&](std::size_t at) {
        const auto bytes = static_cast<std::size_t>(number(message, at, 2));
        return version == 1 ? padded(bytes) : bytes;
    };
    const std::size_t sizes[] = {size_at(2), size_at(4), size_at(6)};
    const std::size_t name = version == 3 ? 9 : 8, type = name + sizes[0], space = type + sizes[1],
                      data = space + sizes[2];
    if (data > message.size())
        return fmt::format("a name of {} bytes, a type of {} and a shape of {}", sizes[0], sizes[1],
                           sizes[2]);
    const Bytes text = message.subspan(name, sizes[0]);
    if (std::ranges::find(text, std::byte{0}) == text.end()) return "a name without an end";
    if ((flags & 3) != 0) return "";  // type or shape stand elsewhere
    const Bytes type_bytes = message.subspan(type, sizes[1]);
    if (!TypeReader(type_bytes).read())
        return fmt::format("a type that needs more than its {} bytes", sizes[1]);
    const auto elements = elements_of(message.subspan(space, sizes[2]), length_bytes);
    if (!elements) return fmt::format("a shape that needs more than its {} bytes", sizes[2]);
    const std::uint64_t size = number(type_bytes, 4, 4), left = message.size() - data;
    if (size != 0 && *elements > left / size)
        return fmt::format("{} elements of {} bytes, and {} bytes for them", *elements, size, left);
    return "";
}

}  // namespace aureole::io::hdf5
