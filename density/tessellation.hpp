// The dark-matter sheet as tetrahedra between particles in their initial lattice (Abel, Hahn & Kaehler 2012;
// Shandarin, Habib & Heitmann 2012). Each lattice cube is cut into six tetrahedra along its diagonal, one for
// each order of the three axes (Freudenthal 1942, Kuhn 1960): cubes meet face to face with the same cut
// everywhere, and corners follow from index arithmetic. Nothing is stored.
#pragma once

#include "density/grid.hpp"
#include "density/lattice_view.hpp"
#include "density/tetrahedron.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::density {

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

/// The eight particles of a lattice cube and their places in cells: corner 0 inside the box, the others at
/// their images nearest to it.
struct LatticeCube {
    Index particle[8];
    Vec3 corner[8];

    AUREOLE_HD Tetrahedron tetrahedron(int t) const
    {
        const CubeCorners c = kuhn_tetrahedron(t);
        return {{corner[c.corner[0]], corner[c.corner[1]], corner[c.corner[2]], corner[c.corner[3]]}};
    }

    /// `scale` multiplies the velocities.
    AUREOLE_HD CornerVelocities velocities(const ParticlesView& p, int t, double scale) const
    {
        const CubeCorners c = kuhn_tetrahedron(t);
        CornerVelocities v;
        for (int k = 0; k < 4; ++k) v.corner[k] = scale * p.velocity.load(particle[c.corner[k]]);
        return v;
    }
};

/// Cube number `cube` of the lattice, z running fastest.
AUREOLE_HD inline LatticeCube lattice_cube(const LatticeView& lattice, const ParticlesView& p,
                                           const CellCoordinates& cells, std::uint64_t cube)
{
    const std::uint64_t n = lattice.side;
    const std::uint64_t i[2] = {cube / (n * n), (cube / (n * n) + 1) % n};
    const std::uint64_t j[2] = {cube / n % n, (cube / n + 1) % n};
    const std::uint64_t k[2] = {cube % n, (cube % n + 1) % n};
    LatticeCube result;
    for (int c = 0; c < 8; ++c) {
        result.particle[c] = lattice.particle[(i[c >> 2] * n + j[c >> 1 & 1]) * n + k[c & 1]];
        const Vec3 x = cells.of(p.position.load(result.particle[c]));
        result.corner[c] = c == 0 ? x : result.corner[0] + cells.nearest(x - result.corner[0]);
    }
    return result;
}

}  // namespace aureole::density
