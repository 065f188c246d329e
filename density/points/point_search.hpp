// The search for the points inside the tetrahedra of a lattice cube, and the chunks in which a GPU searches
// all cubes.
#pragma once

#include <vector>

#include "density/points/point_tree.hpp"
#include "density/sheet/orientation.hpp"
#include "density/sheet/tessellation.hpp"

namespace aureole {
struct Progress;
}

namespace aureole::density {

/// A point and a tetrahedron that contains it.
struct FoundPoint {
    std::uint64_t tetrahedron;  ///< 6 times its lattice cube, z fastest, plus its number in the cube
    Index point;
    std::int16_t
        image;  ///< the periodic image of the cube that the point is in, numbered as in image_shift()
    std::int16_t orientation;  ///< of the tetrahedron, 1 or -1
};

inline constexpr int n_images = 27;

/// The shift by -1 to 1 periods along each axis, z fastest.
AUREOLE_HD inline Vec3 image_shift(int image, Vec3 period)
{
    return {(image / 9 - 1) * period.x, (image / 3 % 3 - 1) * period.y, (image % 3 - 1) * period.z};
}

/// Calls body(t, point, place, image, orientation) for every tetrahedron t of a cube and every point that it
/// contains; `place` is the image of the point that is near the cube.
template <class Body>
AUREOLE_HD void for_each_held_point(const PointTreeView& tree, const LatticeCube& cube,
                                    const CellCoordinates& cells, Body&& body)
{
    BoundingBox<double> box{cube.corner[0], cube.corner[0]};
    for (int c = 1; c < 8; ++c) box.include(cube.corner[c]);
    for (int image = 0; image < n_images; ++image) {
        const Vec3 shift = image_shift(image, cells.period());
        tree.for_each_inside({box.low + shift, box.high + shift}, [&](Index point, Vec3 there) {
            const Vec3 place = there - shift;
            for (int t = 0; t < tetrahedra_per_cube; ++t) {
                const int orientation = holds(cube.tetrahedron(t), place, cells.quantum());
                if (orientation != 0) body(t, point, place, image, orientation);
            }
        });
    }
}

/// Consecutive blocks on the device. Found points are counted, and stored up to `capacity`.
struct PointChunk {
    PointTreeView tree;
    CellCoordinates cells;
    LatticeBlocks blocks;
    Index first_block, n_blocks;
    const Vec3* position;  ///< [n_blocks][corners_per_block]
    FoundPoint* found;     ///< [capacity], in any order
    std::uint64_t capacity;
    std::uint64_t* n_found;  ///< starts at 0
};

/// Searches a chunk, in stream order.
void find_points(Exec exec, const PointChunk& chunk);

/// All pairs of a point of a tree in host memory and a tetrahedron that contains it, in any order. Throws
/// Stopped when `progress` asks for it.
std::vector<FoundPoint> points_found_cuda(const PointTreeView& tree, const CellCoordinates& cells,
                                          const LatticeView& lattice, const ConstVec3View& position,
                                          const Progress& progress);

/// Bytes of the chunks beside the tree, once in pinned host memory and once on the device; the device takes
/// 16 more for each point found in a chunk.
std::size_t point_chunks_bytes(Index lattice_side);

}  // namespace aureole::density
