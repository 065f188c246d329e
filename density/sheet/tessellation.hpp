// The dark-matter sheet as tetrahedra between particles in their initial lattice (Abel, Hahn & Kaehler 2012;
// Shandarin, Habib & Heitmann 2012). Each lattice cube is cut into six tetrahedra along its diagonal, one for
// each order of the three axes (Freudenthal 1942, Kuhn 1960): cubes meet face to face with the same cut
// everywhere, and corners follow from index arithmetic. Nothing is stored.
#pragma once

#include "density/grid.hpp"
#include "density/sheet/lattice_blocks.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::density {

/// Corners in cells, each a multiple of the grid's quantum.
struct Tetrahedron {
    Vec3 corner[4];

    /// In cells^3, rounded. Positive for all tetrahedra of the undisturbed lattice.
    AUREOLE_HD double signed_volume() const
    {
        return dot(corner[1] - corner[0], cross(corner[2] - corner[0], corner[3] - corner[0])) / 6;
    }
};

/// Velocities at the corners; the velocity is linear between them.
struct CornerVelocities {
    Vec3 corner[4];

    AUREOLE_HD Vec3 mean() const { return 0.25 * ((corner[0] + corner[1]) + (corner[2] + corner[3])); }
};

AUREOLE_HD inline double component(Vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/// Cells that the tetrahedron's bounding box reaches into.
AUREOLE_HD inline IndexBox bounding_cells(const Tetrahedron& t)
{
    IndexBox box{};
    for (int axis = 0; axis < 3; ++axis) {
        double low = component(t.corner[0], axis), high = low;
        for (int c = 1; c < 4; ++c) {
            const double x = component(t.corner[c], axis);
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        box.axis[axis] = Planes{0}.cells(low, high);
    }
    return box;
}

inline constexpr int tetrahedra_per_cube = 6;

/// Corners of a cube are numbered by bits: 4 towards x, 2 towards y, 1 towards z.
struct CubeCorners {
    int corner[4];
};

/// Tetrahedron t of a cube, 0 <= t < 6: from 0 to 7 along the axes in one of their orders, turned so that in
/// the undisturbed lattice all volumes are positive.
AUREOLE_HD inline CubeCorners kuhn_tetrahedron(int t)
{
    switch (t) {
        case 0:
            return {{0, 4, 6, 7}};
        case 1:
            return {{0, 2, 3, 7}};
        case 2:
            return {{0, 1, 5, 7}};
        case 3:
            return {{0, 5, 4, 7}};
        case 4:
            return {{0, 6, 2, 7}};
        default:
            return {{0, 3, 1, 7}};
    }
}

/// The indices of the corners of one tetrahedron in its block: tetrahedron t of cube i, j, k. A GPU thread
/// uses this, as it takes one tetrahedron at a time.
struct TetrahedronSites {
    Index at[4];

    AUREOLE_HD TetrahedronSites(int t, Index i, Index j, Index k)
    {
        const CubeCorners c = kuhn_tetrahedron(t);
        for (int q = 0; q < 4; ++q) {
            const auto bits = static_cast<Index>(c.corner[q]);
            at[q] = block_corner(i + (bits >> 2), j + (bits >> 1 & 1), k + (bits & 1));
        }
    }

    /// The same tetrahedron as LatticeCube::tetrahedron(t), which starts at corner 0 of the cube.
    AUREOLE_HD Tetrahedron tetrahedron(const Vec3* position, const CellCoordinates& cells) const
    {
        Tetrahedron t;
        t.corner[0] = cells.of(position[at[0]]);
        for (int q = 1; q < 4; ++q)
            t.corner[q] = t.corner[0] + cells.nearest(cells.of(position[at[q]]) - t.corner[0]);
        return t;
    }

    AUREOLE_HD CornerVelocities velocities(const Vec3* velocity, double scale) const
    {
        CornerVelocities v;
        for (int q = 0; q < 4; ++q) v.corner[q] = scale * velocity[at[q]];
        return v;
    }
};

/// The eight corners of a lattice cube in cells: corner 0 inside the box, the others at their images nearest
/// to it.
struct LatticeCube {
    Index at[8];  ///< their indices in the block
    Vec3 corner[8];

    AUREOLE_HD Tetrahedron tetrahedron(int t) const
    {
        const CubeCorners c = kuhn_tetrahedron(t);
        return {{corner[c.corner[0]], corner[c.corner[1]], corner[c.corner[2]], corner[c.corner[3]]}};
    }

    /// The corners' velocities, taken from those of the block and multiplied by `scale`.
    AUREOLE_HD CornerVelocities velocities(const Vec3* velocity, int t, double scale) const
    {
        const CubeCorners c = kuhn_tetrahedron(t);
        CornerVelocities v;
        for (int k = 0; k < 4; ++k) v.corner[k] = scale * velocity[at[c.corner[k]]];
        return v;
    }
};

/// Cube i, j, k of a block; in_cells(corner) is CellCoordinates::of() of a corner of the block.
template <class InCells>
AUREOLE_HD LatticeCube joined_cube(InCells&& in_cells, const CellCoordinates& cells, Index i, Index j,
                                   Index k)
{
    LatticeCube cube;
    for (Index c = 0; c < 8; ++c) {
        cube.at[c] = block_corner(i + (c >> 2), j + (c >> 1 & 1), k + (c & 1));
        const Vec3 x = in_cells(cube.at[c]);
        cube.corner[c] = c == 0 ? x : cube.corner[0] + cells.nearest(x - cube.corner[0]);
    }
    return cube;
}

/// Cube i, j, k of a block whose corners are at `position`.
AUREOLE_HD inline LatticeCube lattice_cube(const Vec3* position, const CellCoordinates& cells, Index i,
                                           Index j, Index k)
{
    return joined_cube([&](Index corner) { return cells.of(position[corner]); }, cells, i, j, k);
}

/// Calls body(tetrahedron) for all tetrahedra of a block whose corners are at `position`.
template <class Body>
void for_each_tetrahedron(const Vec3* position, const BlockExtent& block, const CellCoordinates& cells,
                          Body&& body)
{
    for (Index i = 0; i < block.cubes[0]; ++i)
        for (Index j = 0; j < block.cubes[1]; ++j)
            for (Index k = 0; k < block.cubes[2]; ++k) {
                const LatticeCube cube = lattice_cube(position, cells, i, j, k);
                for (int t = 0; t < tetrahedra_per_cube; ++t) body(cube.tetrahedron(t));
            }
}

}  // namespace aureole::density
