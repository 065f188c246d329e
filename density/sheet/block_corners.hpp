// Where the positions and velocities at the corners of the lattice's blocks come from: particles of host
// memory in the order of a lattice, or blocks that were put together before, as ranks exchange them.
#pragma once

#include <cstring>

#include "density/sheet/lattice.hpp"
#include "density/sheet/lattice_blocks.hpp"

namespace aureole::density {

/// A view: what it was made of must outlive it. Arrays of a block have corners_per_block entries.
class BlockCorners {
public:
    BlockCorners(const ConstParticlesView& particles, const Lattice& lattice)
        : lattice_(lattice.view()),
          where_(particles.where),
          from_position_(particles.position),
          from_velocity_(particles.velocity)
    {
    }

    /// `slot[b]` says which of the stored blocks block b is. `velocity` may be null.
    BlockCorners(Index side, const Index* slot, const Vec3* position, const Vec3* velocity)
        : lattice_{side, nullptr}, slot_(slot), position_(position), velocity_(velocity)
    {
    }

    Index side() const { return lattice_.side; }
    LatticeBlocks blocks() const { return {lattice_.side}; }
    Backend where() const { return where_; }

    void positions(Index block, Vec3* to) const { gather(block, from_position_, position_, to); }
    void velocities(Index block, Vec3* to) const { gather(block, from_velocity_, velocity_, to); }

private:
    void gather(Index block, const ConstVec3View& from, const Vec3* stored, Vec3* to) const
    {
        if (slot_)
            std::memcpy(to, stored + std::size_t{slot_[block]} * corners_per_block,
                        corners_per_block * sizeof(Vec3));
        else
            gather_corners(lattice_, blocks().extent(block), from, to);
    }

    LatticeView lattice_;
    Backend where_ = Backend::cpu;
    ConstVec3View from_position_{}, from_velocity_{};
    const Index* slot_ = nullptr;
    const Vec3 *position_ = nullptr, *velocity_ = nullptr;
};

}  // namespace aureole::density
