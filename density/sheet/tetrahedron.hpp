// A tetrahedron in the coordinates of a grid, and its velocities.
#pragma once

#include "density/cell_box.hpp"
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
AUREOLE_HD inline CellBox bounding_cells(const Tetrahedron& t)
{
    CellBox box{};
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

}  // namespace aureole::density
