#include "halo/arena.hpp"

#include <algorithm>
#include <vector>

#include "sim/core/buffer.hpp"

namespace aureole::halo {
namespace {

constexpr std::size_t alignment = 256, least_block = std::size_t{1} << 20;

}  // namespace

struct Arena::Blocks {
    Backend where;
    std::vector<Buffer<std::byte>> block;
};

Arena::Arena(Backend where) : blocks_(std::make_unique<Blocks>(Blocks{where, {}})) {}

Arena::~Arena() = default;

void Arena::reserve(std::size_t least, std::size_t wanted)
{
    std::vector<Buffer<std::byte>>& blocks = blocks_->block;
    if (!blocks.empty() && blocks[0].size() >= least) return;
    blocks.clear();
    blocks.emplace_back(blocks_->where, std::max({least, wanted, least_block}));
}

std::byte* Arena::take_bytes(std::size_t bytes)
{
    std::vector<Buffer<std::byte>>& blocks = blocks_->block;
    bytes = (bytes + alignment - 1) / alignment * alignment;
    if (blocks.empty() || used_ + bytes > blocks[block_].size()) {
        std::size_t held = 0;
        for (const Buffer<std::byte>& block : blocks) held += block.size();
        if (!blocks.empty()) ++block_;
        used_ = 0;
        if (block_ == blocks.size() || blocks[block_].size() < bytes) {
            blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(block_), blocks.end());
            blocks.emplace_back(blocks_->where, std::max({bytes, held / 2, least_block}));
        }
    }
    std::byte* const result = blocks[block_].data() + used_;
    used_ += bytes;
    return result;
}

}  // namespace aureole::halo
