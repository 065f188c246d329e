// After the HDF5 File Format Specification, version 3.0: superblock (II.A), B-trees and symbol tables (III.A
// to III.C), object headers (IV.A.1.a) and messages (IV.A.2).
#include "sim/io/hdf5/old_attributes.hpp"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/io/binary_input.hpp"
#include "sim/io/hdf5/attribute_message.hpp"

namespace aureole::io::hdf5 {
namespace {

constexpr std::size_t most_steps = 1000000;  ///< entries of groups, and messages
constexpr std::size_t most_blocks = 1000;    ///< of one object header

/// The groups and object headers of one file.
class OldHeaders {
public:
    explicit OldHeaders(const std::filesystem::path& file) : in_(file, std::endian::little) {}

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

    /// Reads the superblock; false for files that are none of these.
    bool begin()
    {
        constexpr std::uint64_t signature = 0x0a1a0a0d46444889;
        if (!inside(0, 96) || in_.value<std::uint64_t>(0) != signature) return false;
        const auto version = in_.value<std::uint8_t>(8);
        offset_bytes_ = in_.value<std::uint8_t>(13);
        length_bytes_ = in_.value<std::uint8_t>(14);
        const auto usual = [](unsigned bytes) { return bytes == 4 || bytes == 8; };
        if (version > 1 || !usual(offset_bytes_) || !usual(length_bytes_)) return false;
        const std::uint64_t addresses = version == 0 ? 24 : 28, root = addresses + 4 * offset_bytes_;
        if (number(addresses, offset_bytes_) != 0) return false;  // behind a user block
        wait_for(root + offset_bytes_);
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

    /// For the object, or node of a tree, whose address stands at `at`.
    void wait_for(std::uint64_t at)
    {
        ++steps_;
        const std::uint64_t address = number(at, offset_bytes_);
        if (inside(address, 16) && !seen_.contains(address)) waiting_.push_back(address);
    }

    void check_object(std::uint64_t at)
    {
        constexpr std::uint32_t tree = 0x45455254, symbols = 0x444f4e53;  // "TREE", "SNOD"
        const auto first = in_.value<std::uint32_t>(at);
        if (first == tree) return follow_tree(at);
        if (first == symbols) return follow_symbols(at);
        if ((first & 0xff) != 1) return;
        std::size_t left = in_.value<std::uint16_t>(at + 2);
        std::vector<Block> blocks{{at + 16, in_.value<std::uint32_t>(at + 8)}};
        for (std::size_t k = 0; k < blocks.size() && k < most_blocks; ++k)
            check_messages(blocks[k], left, blocks);
    }

    void follow_tree(std::uint64_t at)
    {
        if (in_.value<std::uint8_t>(at + 4) != 0) return;  // of a dataset's chunks
        const auto n = in_.value<std::uint16_t>(at + 6);
        std::uint64_t key = at + 8 + 2 * offset_bytes_;
        for (unsigned k = 0; k < n && steps_ < most_steps; ++k, key += length_bytes_ + offset_bytes_)
            wait_for(key + length_bytes_);
    }

    void follow_symbols(std::uint64_t at)
    {
        const auto n = in_.value<std::uint16_t>(at + 6);
        std::uint64_t entry = at + 8;
        for (unsigned k = 0; k < n && steps_ < most_steps; ++k, entry += 2 * offset_bytes_ + 24)
            wait_for(entry + offset_bytes_);
    }

    /// `left`: messages of the object that are still to come.
    void check_messages(Block block, std::size_t& left, std::vector<Block>& blocks)
    {
        if (!inside(block.begin, block.bytes)) return;
        const std::uint64_t end = block.begin + block.bytes;
        for (std::uint64_t at = block.begin; left > 0 && at + 8 <= end; --left, ++steps_) {
            const auto kind = in_.value<std::uint16_t>(at), bytes = in_.value<std::uint16_t>(at + 2);
            const bool shared = (in_.value<std::uint8_t>(at + 4) & 2) != 0;
            const std::uint64_t data = at + 8;
            if (bytes > end - data) return;  // the library looks at this itself
            if (kind == 0x10 && bytes >= offset_bytes_ + length_bytes_)
                blocks.push_back({number(data, offset_bytes_), number(data + offset_bytes_, length_bytes_)});
            if (kind == 0x11 && bytes >= 2 * offset_bytes_) wait_for(data);
            if (kind == 0x0c && !shared) check_attribute(data, bytes);
            at = data + bytes;
        }
    }

    void check_attribute(std::uint64_t at, std::size_t bytes)
    {
        message_.resize(bytes);
        in_.read(at, message_);
        const std::string fault = attribute_fault(message_, length_bytes_);
        if (!fault.empty())
            throw IoError(fmt::format("{}: damaged: the attribute in the {} bytes from {} on has {}",
                                      in_.name(), bytes, at, fault));
    }

    BinaryInput in_;
    unsigned offset_bytes_ = 8, length_bytes_ = 8;
    std::size_t steps_ = 0;
    std::vector<std::uint64_t> waiting_;
    std::set<std::uint64_t> seen_;
    std::vector<std::byte> message_;
};

}  // namespace

void expect_attributes_within_messages(const std::filesystem::path& file) { OldHeaders(file).check(); }

}  // namespace aureole::io::hdf5
