// The blocks of the lattice that a part holds, with the positions of their 9^3 corners (Kaehler 2017): 17.5
// kB each, or twice that with velocities. A block needs nothing of the rest of the lattice.
#pragma once

#include <vector>

#include "density/sheet/block_corners.hpp"
#include "sim/comm/parts.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::density {

/// Which part deposits a block: runs of blocks are dealt out to the parts in turn, so that voids and halos
/// come to all of them.
class BlockDeal {
public:
    BlockDeal(Index blocks, std::size_t parts)
        : blocks_(blocks),
          parts_(static_cast<Index>(parts)),
          run_(std::max<Index>(1, blocks / (runs_of_part * parts_)))
    {
    }

    std::size_t owner(Index block) const { return block / run_ % parts_; }
    /// In rising order.
    std::vector<Index> of(std::size_t part) const
    {
        std::vector<Index> own;
        for (std::size_t first = part * run_; first < blocks_; first += std::size_t{run_} * parts_)
            for (std::size_t b = first; b < std::min<std::size_t>(first + run_, blocks_); ++b)
                own.push_back(static_cast<Index>(b));
        return own;
    }

private:
    static constexpr Index runs_of_part = 64;
    Index blocks_, parts_, run_;
};

struct PartBlocks {
    static constexpr Index not_here = 0xffffffffu;

    Index side = 0;                   ///< sites of the lattice along an axis
    std::vector<Index> block;         ///< those that are here
    std::vector<Index> slot;          ///< of each block of the lattice: its place in `block`, or not_here
    Buffer<Vec3> position, velocity;  ///< [block][corners_per_block]; velocities may be absent

    PartBlocks() = default;
    PartBlocks(Index lattice_side, std::vector<Index> blocks, bool velocities);

    BlockCorners corners() const { return {side, slot.data(), position.data(), velocity.data()}; }
};

/// Blocks that each part held here gives to each part of the job: entry [k][p].
using BlocksToParts = std::vector<std::vector<std::vector<Index>>>;

/// What arrives at the parts held here. Collective.
std::vector<PartBlocks> send_blocks(comm::Parts& parts, const std::vector<PartBlocks>& held,
                                    const BlocksToParts& to, bool velocities);

}  // namespace aureole::density
