// Displacements of the sites of a periodic cube in Lagrangian perturbation theory, to second order (Bouchet
// et al. 1995): with delta linear at a = 1,
//     nabla^2 phi = delta,   nabla^2 phi2 = sum_(i<j) (phi_,ii phi_,jj - phi_,ij^2),
//     x = q - D nabla phi + D2 nabla phi2,   dx / dlna = -f D nabla phi + f2 D2 nabla phi2.
#pragma once

#include <array>
#include <vector>

#include "ics/lattice_growth.hpp"
#include "ics/linear_modes.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::ics {

using VectorField = std::array<std::vector<double>, 3>;  ///< x, y and z components; of a grid z fastest

struct LagrangianFields {
    VectorField first;   ///< nabla phi
    VectorField second;  ///< nabla phi2; empty for order 1
    VectorField rate;    ///< what stands for nabla phi in velocities; empty: nabla phi
};

/// A start from which waves of the lattice are those of linear theory when D has grown by `until` (Garrison
/// et al. 2016): displacements are along the lattice's eigenvectors, larger by until^(1 - n), and velocities
/// n times as fast. Densities of all waves are meant, and waves of second order are those of a continuum.
struct LatticeStart {
    LatticeGrowth growth;
    double until;
};

/// Points of the cube, in the units of `side`, which need not be that of the modes.
struct SitesView {
    ConstVec3View position;
    Index n;
    double side;
};

/// The fields of `modes`, whose waves of -n/2 are zero, at all sites. Products are taken on a grid of 3 n / 2
/// (Orszag 1971), so that no wave is mistaken for another. `order` is 1 or 2. Memory: some 12 n^3 doubles at
/// order 2 beside the modes, 3 more with a lattice.
LagrangianFields lagrangian_fields(const ModeGrid& grid, const Modes& modes, int order,
                                   const LatticeStart* lattice = nullptr);

/// The same at `sites` instead: interpolated by piecewise cubic splines from a mesh of (2 n)^3 and divided by
/// their window, which leaves images of 1 % of a wave at the end of the grid's waves and of 4e-4 at half of
/// it. At most 1024 points along an axis. Memory: as above, or 18 n^3 doubles where that is more.
LagrangianFields lagrangian_fields_at(const SitesView& sites, const ModeGrid& grid, const Modes& modes,
                                      int order);

}  // namespace aureole::ics
