// The search of the points in the tetrahedra of a chunk of blocks: a thread takes a lattice cube and looks up
// the points in its bounding box in the tree. Exact signs decide, so the result is that of the host. The
// build compiles this file without fused multiply-adds, so that positions in cells are those of the host bit
// for bit.
#include "density/points/point_search.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::density {
namespace {

constexpr Index cubes_per_block = cubes_per_block_side * cubes_per_block_side * cubes_per_block_side;

AUREOLE_HD void search_cube(const PointChunk& chunk, Index c)
{
    constexpr Index side = cubes_per_block_side;
    const Index block = c / cubes_per_block, i = c / (side * side) % side, j = c / side % side, k = c % side;
    const BlockExtent extent = chunk.blocks.extent(chunk.first_block + block);
    if (i >= extent.cubes[0] || j >= extent.cubes[1] || k >= extent.cubes[2]) return;
    const std::uint64_t n = chunk.blocks.side;
    const std::uint64_t number = ((extent.first[0] + i) * n + extent.first[1] + j) * n + extent.first[2] + k;
    const LatticeCube cube =
        lattice_cube(chunk.position + std::size_t{block} * corners_per_block, chunk.cells, i, j, k);
    for_each_held_point(
        chunk.tree, cube, chunk.cells, [&](int t, Index point, Vec3, int image, int orientation) {
            const std::uint64_t at = aureole::atomic_add(chunk.n_found, std::uint64_t{1});
            if (at < chunk.capacity)
                chunk.found[at] = {number * tetrahedra_per_cube + static_cast<std::uint64_t>(t), point,
                                   static_cast<std::int16_t>(image), static_cast<std::int16_t>(orientation)};
        });
}

}  // namespace

void find_points(Exec exec, const PointChunk& chunk)
{
    const PointChunk asked = chunk;
    for_each(exec, chunk.n_blocks * cubes_per_block, [=] AUREOLE_HD(Index c) { search_cube(asked, c); });
}

}  // namespace aureole::density
