// After the HDF5 File Format Specification, version 3.0: superblock (II.A), B-trees and symbol tables (III.A
// to III.C), object headers (IV.A.1) and messages (IV.A.2).

#include <fmt/format.h>

#include <set>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/io/binary_numbers.hpp"
#include "sim/io/hdf5/header_messages.hpp"

namespace aureole::io::hdf5 {
namespace {

constexpr std::size_t most_steps = 1000000;  ///< entries of groups, and messages
constexpr std::size_t most_blocks = 1000;    ///< of one object header

constexpr std::uint32_t mark(const char (&text)[5])
{
    std::uint32_t value = 0;
    for (int k = 3; k >= 0; --k) value = value << 8 | static_cast<unsigned char>(text[k]);
    return value;
}

struct Message {
    unsigned kind;
    bool shared;
    std::uint64_t at;  ///< of its content in the file
    std::size_t bytes;
};

/// The groups and object headers of one file.
class ObjectHeaders {
public:
    explicit ObjectHeaders(const std::filesystem::path& file) : in_(file, std::endian::little) {}

    void check()
    {
        if (!begin()) return;
        while (!waiting_.empty() && steps_ < most_steps) {
            const std::uint64_t at = waiting_.back();
            waiting_.pop_back();
            if (seen_.insert(at).second) check_object(at);
        }
    }

private:
    struct Block {
        std::uint64_t begin, bytes;
    };

    /// How the messages of an object lie.
    struct Layout {
        bool old = false;               ///< version 1: kinds of two bytes, no checksums
        unsigned head = 8;              ///< bytes before the content of a message
        std::size_t left = most_steps;  ///< messages that are still to come
        std::vector<Block> blocks;
    };

    /// Reads the superblock; false for files that are none of these.
    bool begin()
    {
        constexpr std::uint64_t signature = 0x0a1a0a0d46444889;
        if (!inside(0, 48) || in_.value<std::uint64_t>(0) != signature) return false;
        const auto version = in_.value<std::uint8_t>(8);
        const std::uint64_t sizes = version < 2 ? 13 : 9;
        frame_ = {in_.value<std::uint8_t>(sizes), in_.value<std::uint8_t>(sizes + 1), in_.size()};
        const auto usual = [](unsigned bytes) { return bytes == 4 || bytes == 8; };
        if (version > 3 || !usual(frame_.address) || !usual(frame_.length)) return false;
        const std::uint64_t addresses = version == 0 ? 24 : version == 1 ? 28 : 12;
        if (number(addresses, frame_.address) != 0) return false;  // behind a user block
        if (version >= 2)
            each_message(number(addresses + frame_.address, frame_.address), [this](const Message& message) {
                frame_.has_shared_messages |= message.kind == shared_table_message;
            });
        // old superblocks end with the entry of the root in a symbol table, newer ones with its address
        wait_for_address_at(addresses + (version < 2 ? 5 : 3) * frame_.address);
        return true;
    }

    bool inside(std::uint64_t at, std::uint64_t bytes) const
    {
        return at <= in_.size() && bytes <= in_.size() - at;
    }

    /// An address or a length; the largest number where the file ends before.
    std::uint64_t number(std::uint64_t at, unsigned bytes)
    {
        if (!inside(at, bytes)) return ~std::uint64_t{0};
        return bytes == 4 ? in_.value<std::uint32_t>(at) : in_.value<std::uint64_t>(at);
    }

    /// For an object or the node of a tree.
    void wait_for(std::uint64_t address)
    {
        ++steps_;
        if (inside(address, 16) && !seen_.contains(address)) waiting_.push_back(address);
    }

    void wait_for_address_at(std::uint64_t at) { wait_for(number(at, frame_.address)); }

    void check_object(std::uint64_t at)
    {
        const auto first = in_.value<std::uint32_t>(at);
        if (first == mark("TREE")) return follow_tree(at);
        if (first == mark("SNOD")) return follow_symbols(at);
        each_message(at, [this](const Message& message) { check_message(message); });
    }

    void follow_tree(std::uint64_t at)
    {
        if (in_.value<std::uint8_t>(at + 4) != 0) return;  // of a dataset's chunks
        const auto n = in_.value<std::uint16_t>(at + 6);
        std::uint64_t key = at + 8 + 2 * frame_.address;
        for (unsigned k = 0; k < n && steps_ < most_steps; ++k, key += frame_.length + frame_.address)
            wait_for_address_at(key + frame_.length);
    }

    void follow_symbols(std::uint64_t at)
    {
        const auto n = in_.value<std::uint16_t>(at + 6);
        std::uint64_t entry = at + 8;
        for (unsigned k = 0; k < n && steps_ < most_steps; ++k, entry += 2 * frame_.address + 24)
            wait_for_address_at(entry + frame_.address);
    }

    /// No blocks where `at` is no object header that is known here.
    Layout layout_at(std::uint64_t at)
    {
        if (!inside(at, 16)) return {};
        if (in_.value<std::uint8_t>(at) == 1)
            return {.old = true,
                    .left = in_.value<std::uint16_t>(at + 2),
                    .blocks = {{at + 16, in_.value<std::uint32_t>(at + 8)}}};
        if (in_.value<std::uint32_t>(at) != mark("OHDR") || in_.value<std::uint8_t>(at + 4) != 2) return {};
        const auto flags = in_.value<std::uint8_t>(at + 5);
        const std::uint64_t size = at + 6 + ((flags & 0x20) != 0 ? 16 : 0) + ((flags & 0x10) != 0 ? 4 : 0);
        const unsigned size_bytes = 1U << (flags & 3);
        if (!inside(size, 8)) return {};
        const std::uint64_t stored = in_.value<std::uint64_t>(size),
                            bytes = size_bytes == 8 ? stored : stored & ((1ULL << 8 * size_bytes) - 1);
        return {.head = (flags & 4) != 0 ? 6U : 4U, .blocks = {{size + size_bytes, bytes}}};
    }

    /// Calls use() for each message of the object header at `at`; what lies beyond the end of a block is left
    /// to the library. Throws IoError for blocks beyond the end of the file.
    template <class Use>
    void each_message(std::uint64_t at, Use use)
    {
        Layout layout = layout_at(at);
        for (std::size_t k = 0; k < layout.blocks.size() && k < most_blocks; ++k)
            each_message_in(layout.blocks[k], layout, use);
    }

    template <class Use>
    void each_message_in(Block block, Layout& layout, Use& use)
    {
        if (!inside(block.begin, block.bytes))
            throw IoError(
                fmt::format("{}: damaged: {} bytes of an object header from {} on, and the file has {}",
                            in_.name(), block.bytes, block.begin, in_.size()));
        const std::uint64_t end = block.begin + block.bytes;
        for (std::uint64_t at = block.begin; layout.left > 0 && at + layout.head <= end; ++steps_) {
            --layout.left;
            const std::uint64_t size = at + (layout.old ? 2 : 1), content = at + layout.head;
            const Message message{
                layout.old ? in_.value<std::uint16_t>(at) : unsigned{in_.value<std::uint8_t>(at)},
                (in_.value<std::uint8_t>(size + 2) & 2) != 0, content, in_.value<std::uint16_t>(size)};
            if (message.bytes > end - content) return;
            if (message.kind == continuation_message && message.bytes >= frame_.address + frame_.length)
                add_block(layout, content);
            use(message);
            at = content + message.bytes;
        }
    }

    /// Blocks of version 2 stand between a mark and a checksum.
    void add_block(Layout& layout, std::uint64_t at)
    {
        Block block{number(at, frame_.address), number(at + frame_.address, frame_.length)};
        if (!layout.old) {
            if (block.bytes < 8 || number(block.begin, 4) != mark("OCHK")) return;
            block = {block.begin + 4, block.bytes - 8};
        }
        layout.blocks.push_back(block);
    }

    Bytes content_of(const Message& message)
    {
        content_.resize(message.bytes);
        in_.read(message.at, content_);
        return content_;
    }

    void check_message(const Message& message)
    {
        if (message.kind == symbols_message && message.bytes >= 2 * frame_.address)
            return wait_for_address_at(message.at);
        const Bytes content = content_of(message);
        const auto referenced = [this](Bytes reference) { return size_behind(reference); };
        const std::string fault = message_fault(message.kind, message.shared, content, frame_, referenced);
        if (!fault.empty())
            throw IoError(fmt::format("{}: damaged: the {} in the {} bytes from {} on has {}", in_.name(),
                                      name_of_message(message.kind), message.bytes, message.at, fault));
        if (const auto place = place_of_linked(message.kind, content, frame_))
            wait_for(number_in(content, *place, frame_.address));
    }

    /// The size of the type in another object header.
    std::optional<std::uint64_t> size_behind(Bytes reference)
    {
        const auto address = address_in_reference(reference, frame_);
        if (!address) return {};
        std::optional<std::uint64_t> size;
        each_message(*address, [&](const Message& message) {
            if (message.kind == type_message && !message.shared && message.bytes >= 8)
                size = in_.value<std::uint32_t>(message.at + 4);
        });
        wait_for(*address);
        return size;
    }

    BinaryInput in_;
    FileFrame frame_;
    std::size_t steps_ = 0;
    std::vector<std::uint64_t> waiting_;
    std::set<std::uint64_t> seen_;
    std::vector<std::byte> content_;
};

}  // namespace

void expect_messages_within_headers(const std::filesystem::path& file) { ObjectHeaders(file).check(); }

}  // namespace aureole::io::hdf5
