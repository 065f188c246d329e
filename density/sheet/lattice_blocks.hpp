// The lattice in blocks of 8^3 cubes (Kaehler 2017). Threads and GPUs work on one block after the other. The
// 9^3 corners of a block are gathered before, so the code that deposits a block knows neither ids nor the
// rest of the lattice.
#pragma once

#include "sim/core/particles_view.hpp"

namespace aureole::density {

/// particle[(i n + j) n + k] started at site i, j, k of axes x, y, z; n = side.
struct LatticeView {
    Index side;
    const Index* particle;
};

inline constexpr Index cubes_per_block_side = 8, corners_per_block_side = cubes_per_block_side + 1;
inline constexpr Index corners_per_block =
    corners_per_block_side * corners_per_block_side * corners_per_block_side;

/// The cubes of a block: `cubes` along each axis from lattice site `first` on, fewer than 8 at the end of the
/// lattice.
struct BlockExtent {
    Index first[3], cubes[3];
};

/// Blocks are numbered with z running fastest.
struct LatticeBlocks {
    Index side;  ///< sites of the lattice along an axis

    AUREOLE_HD Index per_axis() const { return (side + cubes_per_block_side - 1) / cubes_per_block_side; }
    AUREOLE_HD Index count() const { return per_axis() * per_axis() * per_axis(); }
    AUREOLE_HD BlockExtent extent(Index block) const
    {
        const Index n = per_axis();
        BlockExtent e{{block / (n * n), block / n % n, block % n}, {}};
        for (int a = 0; a < 3; ++a) {
            e.first[a] *= cubes_per_block_side;
            const Index left = side - e.first[a];
            e.cubes[a] = left < cubes_per_block_side ? left : cubes_per_block_side;
        }
        return e;
    }
};

/// The index of corner i, j, k of a block in arrays of its corners.
AUREOLE_HD inline Index block_corner(Index i, Index j, Index k)
{
    return (i * corners_per_block_side + j) * corners_per_block_side + k;
}

/// The particle at corner i, j, k of a block; the lattice is periodic.
AUREOLE_HD inline Index particle_at(const LatticeView& lattice, const BlockExtent& block, Index i, Index j,
                                    Index k)
{
    const std::uint64_t n = lattice.side;
    return lattice
        .particle[((block.first[0] + i) % n * n + (block.first[1] + j) % n) * n + (block.first[2] + k) % n];
}

/// to[block_corner(i, j, k)] for all corners of a block, of positions or velocities.
AUREOLE_HD inline void gather_corners(const LatticeView& lattice, const BlockExtent& block,
                                      const ConstVec3View& from, Vec3* to)
{
    for (Index i = 0; i <= block.cubes[0]; ++i)
        for (Index j = 0; j <= block.cubes[1]; ++j)
            for (Index k = 0; k <= block.cubes[2]; ++k)
                to[block_corner(i, j, k)] = from.load(particle_at(lattice, block, i, j, k));
}

}  // namespace aureole::density
