// Messages of datasets, after the HDF5 File Format Specification, version 3.0: fill values (IV.A.2.e and f),
// layouts (IV.A.2.i), filters (IV.A.2.l).
#include <fmt/format.h>

#include "sim/io/hdf5/header_messages.hpp"

namespace aureole::io::hdf5 {
namespace {

/// Goes through a message, and notes when it ends too early.
class Walk {
public:
    explicit Walk(Bytes message) : message_(message) {}

    /// The next number of `bytes`; 0 behind the end.
    std::uint64_t number(std::size_t bytes)
    {
        skip(bytes);
        return within_ ? number_in(message_, at_ - bytes, bytes) : 0;
    }

    void skip(std::uint64_t bytes)
    {
        within_ = within_ && bytes <= message_.size() - at_;
        if (within_) at_ += static_cast<std::size_t>(bytes);
    }

    bool within() const { return within_; }

private:
    Bytes message_;
    std::size_t at_ = 0;
    bool within_ = true;
};

void walk_old_fill_value(Walk& walk) { walk.skip(walk.number(4)); }

void walk_fill_value(Walk& walk)
{
    const auto version = walk.number(1), flags = walk.number(1);
    bool defined = version == 1 || (version == 3 && (flags & 0x20) != 0);
    if (version < 3) {
        walk.skip(1);
        defined = walk.number(1) != 0 || defined;
    }
    if (defined && version <= 3)
        if (const auto size = walk.number(4); size < 1ULL << 31) walk.skip(size);  // else there is no value
}

void walk_old_layout(Walk& walk, FileFrame frame)
{
    constexpr std::uint64_t compact = 0;
    const auto rank = walk.number(1), kind = walk.number(1);
    walk.skip(5);
    if (kind != compact) walk.skip(frame.address);
    walk.skip(4 * rank);
    if (kind == compact) walk.skip(walk.number(4));
}

/// Of the index of chunks, before its address; nothing of kinds that do not exist.
void walk_chunk_index(Walk& walk, std::uint64_t flags, FileFrame frame)
{
    constexpr std::uint64_t single = 1, fixed_array = 3, extensible_array = 4, tree = 5;
    const auto kind = walk.number(1);
    if (kind == single && (flags & 2) != 0) walk.skip(frame.length + 4);
    if (kind == fixed_array) walk.skip(1);
    if (kind == extensible_array) walk.skip(5);
    if (kind == tree) walk.skip(6);
}

void walk_layout(Walk& walk, FileFrame frame)
{
    const auto version = walk.number(1);
    if (version < 3) return walk_old_layout(walk, frame);
    constexpr std::uint64_t compact = 0, contiguous = 1, chunked = 2, is_virtual = 3;
    const auto kind = walk.number(1);
    if (version > 4 || kind > is_virtual) return;
    if (kind == compact) return walk.skip(walk.number(2));
    if (kind == chunked && version == 4) {
        const auto flags = walk.number(1), rank = walk.number(1), bytes = walk.number(1);
        walk.skip(rank * bytes);
        walk_chunk_index(walk, flags, frame);
    }
    const std::uint64_t rank = kind == chunked && version == 3 ? walk.number(1) : 0;
    walk.skip(frame.address);
    walk.skip(kind == contiguous ? frame.length : kind == is_virtual ? 4 : 4 * rank);
}

void walk_filters(Walk& walk)
{
    constexpr std::uint64_t first_with_name = 256;
    const auto version = walk.number(1), n = walk.number(1);
    if (version == 1) walk.skip(6);
    for (std::uint64_t k = 0; k < n && version <= 2 && walk.within(); ++k) {
        const auto filter = walk.number(2);
        const auto name = version == 1 || filter >= first_with_name ? walk.number(2) : 0;
        walk.skip(2);
        const auto values = walk.number(2);
        walk.skip(version == 1 ? (name + 7) / 8 * 8 : name);
        walk.skip(4 * values + (version == 1 && values % 2 == 1 ? 4 : 0));
    }
}

}  // namespace

std::string dataset_message_fault(unsigned kind, Bytes message, FileFrame frame)
{
    Walk walk(message);
    if (kind == old_fill_value_message) walk_old_fill_value(walk);
    if (kind == fill_value_message) walk_fill_value(walk);
    if (kind == layout_message) walk_layout(walk, frame);
    if (kind == filters_message) walk_filters(walk);
    return walk.within() ? "" : fmt::format("parts that need more than its {} bytes", message.size());
}

}  // namespace aureole::io::hdf5
