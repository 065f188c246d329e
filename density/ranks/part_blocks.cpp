#include "density/ranks/part_blocks.hpp"

#include <algorithm>
#include <cstring>

namespace aureole::density {
namespace {

constexpr std::size_t corner_bytes = corners_per_block * sizeof(Vec3);

std::size_t bytes_of_block(bool velocities) { return sizeof(Index) + corner_bytes * (velocities ? 2 : 1); }

/// Numbers of the blocks, then their positions, then their velocities.
comm::Parts::Box packed(const PartBlocks& from, const std::vector<Index>& blocks, bool velocities)
{
    comm::Parts::Box box(blocks.size() * bytes_of_block(velocities));
    std::byte* to = box.data();
    const auto put = [&to](const void* bytes, std::size_t n) {
        if (n > 0) std::memcpy(to, bytes, n);
        to += n;
    };
    put(blocks.data(), blocks.size() * sizeof(Index));
    for (const Index b : blocks)
        put(from.position.data() + std::size_t{from.slot[b]} * corners_per_block, corner_bytes);
    if (!velocities) return box;
    for (const Index b : blocks)
        put(from.velocity.data() + std::size_t{from.slot[b]} * corners_per_block, corner_bytes);
    return box;
}

PartBlocks unpacked(Index side, const std::vector<comm::Parts::Box>& boxes, bool velocities)
{
    std::vector<Index> blocks;
    for (const comm::Parts::Box& box : boxes) {
        const std::size_t before = blocks.size(), n = box.size() / bytes_of_block(velocities);
        blocks.resize(before + n);
        if (n > 0) std::memcpy(blocks.data() + before, box.data(), n * sizeof(Index));
    }
    PartBlocks here(side, std::move(blocks), velocities);
    std::size_t first = 0;
    for (const comm::Parts::Box& box : boxes) {
        const std::size_t n = box.size() / bytes_of_block(velocities);
        if (n == 0) continue;
        const std::byte* const from = box.data() + n * sizeof(Index);
        std::memcpy(here.position.data() + first * corners_per_block, from, n * corner_bytes);
        if (velocities)
            std::memcpy(here.velocity.data() + first * corners_per_block, from + n * corner_bytes,
                        n * corner_bytes);
        first += n;
    }
    return here;
}

}  // namespace

PartBlocks::PartBlocks(Index lattice_side, std::vector<Index> blocks, bool velocities)
    : side(lattice_side),
      block(std::move(blocks)),
      slot(LatticeBlocks{lattice_side}.count(), not_here),
      position(Backend::cpu, block.size() * corners_per_block),
      velocity(Backend::cpu, velocities ? block.size() * corners_per_block : 0)
{
    for (std::size_t k = 0; k < block.size(); ++k) slot[block[k]] = static_cast<Index>(k);
}

std::vector<PartBlocks> send_blocks(comm::Parts& parts, const std::vector<PartBlocks>& held,
                                    const BlocksToParts& to, bool velocities)
{
    comm::Parts::Boxes out = parts.boxes();
    parts.agreed_phase([&](int, int k) {
        const auto own = static_cast<std::size_t>(k);
        for (std::size_t p = 0; p < out[own].size(); ++p)
            out[own][p] = packed(held[own], to[own][p], velocities);
    });
    const comm::Parts::Boxes in = parts.exchange(std::move(out));
    std::vector<PartBlocks> here;
    parts.agreed_phase([&](int, int k) {
        const auto own = static_cast<std::size_t>(k);
        here.push_back(unpacked(held[own].side, in[own], velocities));
    });
    return here;
}

}  // namespace aureole::density
