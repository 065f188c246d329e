// The search for the points inside the tetrahedra of a lattice cube, and the chunks in which a GPU searches
// all cubes.
//
// Points are looked for by boxes in the balanced hierarchy of sim/core/spatial with their bounding boxes,
// at medians of the longest side. Built in O(P log P) on the host, searched in O(log P + what is found) on
// either backend.
#pragma once

#include <span>
#include <vector>

#include "density/sheet/orientation.hpp"
#include "density/sheet/tessellation.hpp"
#include "sim/core/spatial/balanced_tree.hpp"
#include "sim/core/spatial/bounding_box.hpp"

namespace aureole::density {

/// What kernels see of a tree of points.
struct PointTreeView : Hierarchy<const BoundingBox<double>> {
    const Vec3* sorted;  ///< [n]
    const Index* order;  ///< [n]: which point that is

    static constexpr Index leaf_size = 8;

    /// Calls body(number, position) for every point inside the box, its faces included.
    template <class Body>
    AUREOLE_HD void for_each_inside(const BoundingBox<double>& box, Body&& body) const
    {
        struct Visitor {
            const PointTreeView& tree;
            const BoundingBox<double>& box;
            Body& body;

            AUREOLE_HD bool opens(Index k) const { return tree.node[k].meets(box); }
            AUREOLE_HD void leaf(Index k) const
            {
                const Index end = tree.end(k);
                for (Index i = tree.begin(k); i < end; ++i)
                    if (box.meets(BoundingBox<double>::at(tree.sorted[i])))
                        body(tree.order[i], tree.sorted[i]);
            }
        } visitor{*this, box, body};
        traverse(*this, root, visitor);
    }
};

class PointTree {
public:
    /// At least one point, fewer than 2^32.
    explicit PointTree(std::span<const Vec3> points);

    static std::size_t bytes(std::size_t n_points);

    const BoundingBox<double>& bounds() const { return nodes_[BalancedTree::root]; }
    PointTreeView view() const { return {{shape_, nodes_.data()}, sorted_.data(), order_.data()}; }

    /// Calls body(number, position) for every point inside the box, its faces included.
    template <class Body>
    void for_each_inside(const BoundingBox<double>& box, Body&& body) const
    {
        view().for_each_inside(box, body);
    }

private:
    BalancedTree shape_;
    std::vector<Index> order_;
    std::vector<Vec3> sorted_;
    std::vector<BoundingBox<double>> nodes_;
};

}  // namespace aureole::density

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
